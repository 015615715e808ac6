// The answer to "is it safe for any number of transactions?", as the report holds it. Every view renders the same steps.
import type { Dependency } from "./report";
import type { Range } from "./source";

/**
 * `proved`: no execution of any number of these transactions has an anomaly. `blocked`: a chain of dependencies could not
 * be ruled out, or the program has something that no proof may rest on. `unknown`: an answer is missing.
 */
export type ProofStatus = "proved" | "blocked" | "unknown";

/** How it was proved: by the level alone, by what statements can conflict at all, or by induction along arbitration. */
export type ProofScheme = "level" | "graph" | "induction" | "shortest path";

export interface ProofReport {
  readonly status: ProofStatus;
  readonly scheme?: ProofScheme;
  /** The argument, one sentence a step. */
  readonly steps: readonly ProofStep[];
  /** Obstacles. */
  readonly obstacles: readonly ProofObstacle[];
  /** Facts about all executions that the argument needs, each proved on the way. */
  readonly lemmas: readonly string[];
}

export interface ProofStep {
  readonly text: string;
  /** The transactions that the step settles. */
  readonly transactions: readonly string[];
}

export interface ProofObstacle {
  /** "OrderStatus -> Delivery -> NewOrder": each depends on the one before it. Empty where it is no chain. */
  readonly chain: readonly string[];
  /** One for each arrow. */
  readonly dependencies: readonly ProofDependency[];
  readonly reason: string;
  /** Advice that would remove it. */
  readonly advice?: string;
  readonly file?: string;
  readonly range?: Range;
}

export interface ProofDependency {
  readonly dependency: Dependency;
  readonly table: string;
  readonly columns: readonly string[];
  readonly from: ProofEnd;
  readonly to: ProofEnd;
}

/** The weakest level at which some transactions, which share no table with the others, are proved safe. */
export interface SufficientLevel {
  readonly transactions: readonly string[];
  /** Absent where no level was proved. */
  readonly level?: string;
  /** Every level that was tried, as the table of levels orders them. */
  readonly tried: readonly LevelTrial[];
}

export interface LevelTrial {
  readonly level: string;
  /** `anomaly`: something that was found happens there as well; `open`: neither shown nor proved. */
  readonly status: "proved" | "anomaly" | "open";
  /** True of an open proof that was not sought to its end, for time or since the solver gave up. */
  readonly undecided?: true;
  readonly scheme?: ProofScheme;
}

/** A statement of a transaction. */
export interface ProofEnd {
  readonly transaction: string;
  readonly file: string;
  readonly range: Range;
  readonly text: string;
}
