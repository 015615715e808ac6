// The precision with which a statement was understood, computed from taint and never set.
import type { Precision } from "../protocol/report";
import type { SourceRange } from "../protocol/source";

/**
 * A loss with its reason. `over`: a predicate or a value over rows was weakened; `outside`: as `over`, but possibly dependent on more than
 * rows and arguments (an unknown function), so that no isolation level covers it; `approx`: only keyword and tables are known; `opaque`:
 * the effect is unknown.
 */
export interface Taint {
  readonly effect: "over" | "outside" | "approx" | "opaque";
  readonly reason: string;
  readonly source?: SourceRange;
  /** The unknown part of the statement's result, for readers that use its column names. */
  readonly unknown?: "columns";
}

/** True if a loss makes the columns of the result unknown. */
export function hidesColumns(taint: readonly Taint[]): boolean {
  return taint.some(({ unknown }) => unknown === "columns");
}

const ORDER: readonly Precision[] = ["exact", "over", "approx", "opaque"];

/** The precision for a list of losses: the worst of them, `exact` without any. */
export function precisionOf(taint: readonly Taint[]): Precision {
  return worstPrecision(taint.map(({ effect }) => (effect === "outside" ? "over" : effect)));
}

/** The least precise of these, `exact` for none. */
export function worstPrecision(precisions: readonly Precision[]): Precision {
  return precisions.reduce<Precision>(
    (worst, each) => (ORDER.indexOf(each) > ORDER.indexOf(worst) ? each : worst),
    "exact",
  );
}
