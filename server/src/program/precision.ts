// How far a statement was understood. Precision is computed from taint and never set.
import type { Precision } from "../protocol/report";
import type { SourceRange } from "../protocol/source";

/**
 * A loss with its reason. `over`: a predicate over rows, or a value of them, was weakened; `outside`: as `over`, of what
 * may depend on more than rows and arguments, so that no isolation level answers for it (a function that nobody knows);
 * `approx`: known only by keyword and tables; `opaque`: the effect is unknown.
 */
export interface Taint {
  readonly effect: "over" | "outside" | "approx" | "opaque";
  readonly reason: string;
  readonly source?: SourceRange;
  /** Part of the statement's result that is not known, for those who read that result by its names. */
  readonly unknown?: "columns";
}

/** True if a loss leaves the columns of the result unknown. */
export function hidesColumns(taint: readonly Taint[]): boolean {
  return taint.some(({ unknown }) => unknown === "columns");
}

const ORDER: readonly Precision[] = ["exact", "over", "approx", "opaque"];

/** The precision that a list of losses leaves: the worst of them, `exact` without any. */
export function precisionOf(taint: readonly Taint[]): Precision {
  return worstPrecision(taint.map(({ effect }) => (effect === "outside" ? "over" : effect)));
}

/** The least precise of the given, `exact` for none. */
export function worstPrecision(precisions: readonly Precision[]): Precision {
  return precisions.reduce<Precision>(
    (worst, each) => (ORDER.indexOf(each) > ORDER.indexOf(worst) ? each : worst),
    "exact",
  );
}
