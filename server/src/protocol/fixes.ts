// A fix of an anomaly: an edit that was applied in memory, read and analysed again before it is offered.
import type { Range } from "./source";
import type { Rests } from "./report";

/** Kinds of fixes, by increasing cost at run time. */
export const FIX_KINDS = [
  "own-connection",
  "guarded-update",
  "version-check",
  "unique-key",
  "row-lock",
  "anchor-lock",
  "advisory-lock",
  "one-transaction",
  "raised-level",
  "lock-order",
  "retry-loop",
] as const;

export type FixKind = (typeof FIX_KINDS)[number];

/** A replacement in a file of the project, as it was when the fix was found. */
export interface FixEdit {
  /** Relative to the project, with `/`. */
  readonly file: string;
  readonly range: Range;
  readonly newText: string;
  /** True for a new file: the text is its whole content. */
  readonly creates?: true;
}

export interface Fix {
  readonly kind: FixKind;
  /** One line for a menu: "Lock the row when withdraw reads it (FOR UPDATE)". */
  readonly title: string;
  /** Edits sorted by file and position, without overlaps. */
  readonly edits: readonly FixEdit[];
  /** Costs, as clauses: "others wait for its commit". */
  readonly costs: readonly string[];
  /** The old witness on the changed program, in one sentence. */
  readonly now: string;
  /** Ids of the other anomalies that the fix removes. */
  readonly alsoRemoves: readonly string[];
  /** The bound or proof that the verification rests on. */
  readonly rests: Rests;
}

/** A fix that is not offered: its kind, and the reason in one sentence. `example` shows its form. */
export interface Advice {
  readonly kind: FixKind;
  readonly reason: string;
  readonly example?: string;
}

/** The fixes of an anomaly, and the reasons against others. */
export interface FixReport {
  readonly anomaly: string;
  /** The verified fixes, cheapest first. */
  readonly fixes: readonly Fix[];
  readonly advice: readonly Advice[];
  /** True if not all candidates were tried: stopped or out of time. */
  readonly isPartial: boolean;
}
