// The unit of work: one tuple of transactions at one level. Solving it is a pure function of its input; results are cached by its hash.
import type { StatementId } from "../../program/statement";
import type { Row, Value } from "../../protocol/witness";
import type { Confirmation } from "../../store/execution";
import type { ProofAnswer } from "../proof/answer";

/** Indexes into the program's transactions: in commit order for products, a necklace for papers' levels. */
export interface Unit {
  readonly transactions: readonly number[];
  /**
   * For triples: searches only the cycles of which two members form a harmless cycle by themselves. Used if no other anomaly was found:
   * these are rare and expensive to search.
   */
  readonly evenPartly?: true;
  /**
   * Another question than anomalies. `invariants`: which of the program's invariants the one transaction breaks, and whether its
   * preconditions are consistent; without a transaction, whether the invariants are. `proof`: whether the whole program is serializable at
   * its levels for any number of transactions; `provable` is the same without obstacles.
   */
  readonly question?: "invariants" | "proof" | "provable";
}

/** An invariant that a transaction breaks when run alone from a start where all invariants hold. */
export interface BrokenInvariant {
  /** Index in the program's list. */
  readonly index: number;
  /** The executed run; absent if the solver's example could not be executed. */
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
  /** Names of assumptions that no rows (at least one in each table) or arguments satisfy together; empty if consistent. */
  readonly contradictory: readonly string[];
}

/** One anomaly of a unit: proposed by the solver and run by the store. */
export interface Finding {
  readonly confirmation: Confirmation;
  /** Tables of the cycle, sorted. */
  readonly tables: readonly string[];
  /** Papers' levels: names of the levels that allow this cycle. Products: filled in by the caller. */
  readonly allowedAt: readonly string[];
  readonly preventedBy: readonly string[];
  /** Reads of earlier causes; its cycle uses none of them. */
  readonly past?: readonly StatementId[];
}

export interface UnitResult {
  readonly findings: readonly Finding[];
  /** Reasons why (a part of) the unit is undecided. */
  readonly undecided: readonly string[];
  readonly queries: number;
  /** True if the solver gave up or was stopped: more effort may change the answer. */
  readonly gaveUp?: true;
  /** Assumptions beyond the text, by the names of `encoding/assumptions.ts`; none if absent. */
  readonly assumed?: readonly string[];
  /** The answer to the question about invariants. */
  readonly invariants?: InvariantAnswer;
  /** The answer to the question for a proof. */
  readonly proof?: ProofAnswer;
}

export interface SearchLimits {
  /** Per solver call, see SolverOptions. */
  readonly resourceLimit: number;
  /** Maximum per unit. */
  readonly maxFindings: number;
  /** Polled between queries; true stops with the findings so far. */
  readonly stopped: () => boolean;
  /** Called for each solver query. */
  readonly asked?: () => void;
}
