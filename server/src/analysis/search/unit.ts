// The unit of work: one tuple of transactions at one level. A pure function of its input; results are cached by its hash.
import type { Confirmation } from "../../store/execution";

/** Indexes into the program's transactions. For products: in commit order. For papers' levels: a necklace. */
export interface Unit {
  readonly transactions: readonly number[];
}

/** One anomaly of a unit: what the solver proposed and the store ran. */
export interface Finding {
  readonly confirmation: Confirmation;
  /** Tables on the cycle, sorted. */
  readonly tables: readonly string[];
  /** Papers' levels: the levels that allow this cycle, by name. Products: filled by the caller. */
  readonly allowedAt: readonly string[];
  readonly preventedBy: readonly string[];
}

export interface UnitResult {
  readonly findings: readonly Finding[];
  /** Why (a part of) the unit stayed undecided. */
  readonly undecided: readonly string[];
  readonly queries: number;
  /** What it rests on beside the text, by the names of `encoding/assumptions.ts`; absent is nothing. */
  readonly assumed?: readonly string[];
}

export interface SearchLimits {
  /** Per check, see SolverOptions. */
  readonly resourceLimit: number;
  /** Findings per unit. */
  readonly maxFindings: number;
  /** Polled between queries; true stops with what was found so far. */
  readonly stopped: () => boolean;
}
