// A fix of an anomaly: an edit that was applied in memory, read and analysed again before it is offered.
import type { Range } from "./source";
import type { Rests } from "./report";

/** Kinds of fixes, from the cheapest to the dearest for those who run the program. */
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
] as const;

export type FixKind = (typeof FIX_KINDS)[number];

/** A text in place of a range of a file of the project, as it was when the fix was found. */
export interface FixEdit {
  /** Relative to the project, with `/`. */
  readonly file: string;
  readonly range: Range;
  readonly newText: string;
  /** There is no such file yet: the text is all of it. */
  readonly creates?: true;
}

export interface Fix {
  readonly kind: FixKind;
  /** One line for a menu: "Lock the row when withdraw reads it (FOR UPDATE)". */
  readonly title: string;
  /** In the order of files and places; none overlaps another. */
  readonly edits: readonly FixEdit[];
  /** Costs, as clauses: "others wait for its commit". */
  readonly costs: readonly string[];
  /** The old witness on the changed program, in one sentence. */
  readonly now: string;
  /** Ids of the other anomalies that go with this one. */
  readonly alsoRemoves: readonly string[];
  /** Bound or proof on which the verified result rests. */
  readonly rests: Rests;
}

/** A fix that is not offered: what kind, and why in one sentence. `example` shows how it would look. */
export interface Advice {
  readonly kind: FixKind;
  readonly reason: string;
  readonly example?: string;
}

/** Fixes of an anomaly, and why others are not offered. */
export interface FixReport {
  readonly anomaly: string;
  /** Verified ones, the cheapest first. */
  readonly fixes: readonly Fix[];
  readonly advice: readonly Advice[];
  /** Not all candidates were tried: it was stopped, or its time was up. */
  readonly isPartial: boolean;
}
