// The answer to "is it safe for any number of transactions?" in the report. Every view renders the same steps.
import type { Range } from "./source";
import type { Dependency } from "./dependency";

/**
 * `proved`: no execution of any number of these transactions has an anomaly. `blocked`: a chain of dependencies could not be ruled out, or
 * the program has something that rules out a proof. `unknown`: an answer is missing.
 */
export type ProofStatus = "proved" | "blocked" | "unknown";

/** The scheme of the proof: the level alone, the static conflicts, or induction along arbitration. */
export type ProofScheme = "level" | "graph" | "induction" | "shortest path";

export interface ProofReport {
  readonly status: ProofStatus;
  readonly scheme?: ProofScheme;
  /** The argument, one sentence per step. */
  readonly steps: readonly ProofStep[];
  /** Obstacles. */
  readonly obstacles: readonly ProofObstacle[];
  /** Facts about all executions that the argument uses, each proved on the way. */
  readonly lemmas: readonly string[];
}

export interface ProofStep {
  readonly text: string;
  /** The transactions that the step covers. */
  readonly transactions: readonly string[];
}

export interface ProofObstacle {
  /** "OrderStatus -> Delivery -> NewOrder": each depends on the previous one. Empty if the obstacle is no chain. */
  readonly chain: readonly string[];
  /** One per arrow. */
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
  /** Absent if no level was proved. */
  readonly level?: string;
  /** Every level that was tried, in the order of the table of levels. */
  readonly tried: readonly LevelTrial[];
}

export interface LevelTrial {
  readonly level: string;
  /** `anomaly`: a found anomaly occurs there as well; `open`: neither shown nor proved. */
  readonly status: "proved" | "anomaly" | "open";
  /** True for an open level whose proof was cut short by time or by the solver. */
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
