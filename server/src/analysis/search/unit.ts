// The unit of work: one tuple of transactions at one level. A pure function of its input; results are cached by its hash.
import type { StatementId } from "../../program/statement";
import type { Row, Value } from "../../protocol/witness";
import type { Confirmation } from "../../store/execution";
import type { ProofAnswer } from "../proof/answer";

/** Indexes into the program's transactions. For products: in commit order. For papers' levels: a necklace. */
export interface Unit {
  readonly transactions: readonly number[];
  /**
   * Of three: those cycles count, and only those, of which two form one that is harmless by itself.
   * Asked where no other anomaly was found: these are rare, and dear to search for.
   */
  readonly evenPartly?: true;
  /**
   * Instead of anomalies: which of the program's invariants the one transaction breaks, and whether its preconditions
   * can hold together; without a transaction, whether the invariants can. Or whether the whole program is serializable
   * at its levels with any number of transactions (`provable`: without what stands in the way).
   */
  readonly question?: "invariants" | "proof" | "provable";
}

/** An invariant that a transaction breaks, alone, from a start where all invariants hold. */
export interface BrokenInvariant {
  /** Place in the program's list. */
  readonly index: number;
  /** Run that the store executed; absent where the solver's example could not be executed. */
  readonly example?: BreakingRun;
  /** The reason why there is no example. */
  readonly reason?: string;
}

export interface BreakingRun {
  readonly arguments: Readonly<Record<string, Value>>;
  readonly initial: Readonly<Record<string, readonly Row[]>>;
  readonly final: Readonly<Record<string, readonly Row[]>>;
  /** The last statement that changed a table of the invariant. */
  readonly statement?: StatementId;
}

export interface InvariantAnswer {
  readonly broken: readonly BrokenInvariant[];
  /** Names of assumptions that no rows (at least one in each table) or no arguments satisfy together; empty: none. */
  readonly contradictory: readonly string[];
}

/** One anomaly of a unit: what the solver proposed and the store ran. */
export interface Finding {
  readonly confirmation: Confirmation;
  /** Tables on the cycle, sorted. */
  readonly tables: readonly string[];
  /** Papers' levels: the levels that allow this cycle, by name. Products: filled by the caller. */
  readonly allowedAt: readonly string[];
  readonly preventedBy: readonly string[];
  /** Reads of the other causes that were found before it; its cycle passes none of them. */
  readonly past?: readonly StatementId[];
}

export interface UnitResult {
  readonly findings: readonly Finding[];
  /** Why (a part of) the unit stayed undecided. */
  readonly undecided: readonly string[];
  readonly queries: number;
  /** The solver gave up, or was stopped: with more effort the answer may be another. */
  readonly gaveUp?: true;
  /** Assumptions beside the text, by the names of `encoding/assumptions.ts`; absent is nothing. */
  readonly assumed?: readonly string[];
  /** The answer to the question about invariants. */
  readonly invariants?: InvariantAnswer;
  /** The answer to the question for a proof. */
  readonly proof?: ProofAnswer;
}

export interface SearchLimits {
  /** Per check, see SolverOptions. */
  readonly resourceLimit: number;
  /** Findings per unit. */
  readonly maxFindings: number;
  /** Polled between queries; true stops with what was found so far. */
  readonly stopped: () => boolean;
  /** Called for each question to the solver. */
  readonly asked?: () => void;
}
