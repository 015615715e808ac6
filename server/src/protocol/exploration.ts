// The result of exploring a client program, as the CLI prints it in JSON and as every view renders it.
import type { Anomaly, Verdict } from "./report";
import type { Range } from "./source";

/** An assertion that some execution breaks, with the smallest execution that was found. */
export interface ExplorationViolation {
  /** As the client program says it. */
  readonly assertion: string;
  /** Where it stands in the client program. */
  readonly range: Range;
  /**
   * `serial`: transactions that run one after the other break it already, so that no isolation level helps;
   * `isolation`: no serial order breaks it; `unknown`: not all serial orders were tried, and none of those broke it.
   */
  readonly cause: "isolation" | "serial" | "unknown";
  /** For `serial`: an order that breaks it, and whether every order does. */
  readonly order?: { readonly transactions: readonly string[]; readonly every: boolean };
  /** How many of the executions that were explored break it. */
  readonly count: number;
  /** The number of the first of these, from 1. */
  readonly first: number;
  /** One sentence: what happened, at which level. */
  readonly message: string;
  /** The execution in the format that `isolens history` reads: a key per row. */
  readonly history: unknown;
  /** Statement by statement, as every view renders it; the same as `anomaly.steps`. */
  readonly steps: Anomaly["steps"];
  /** The same execution as the panel shows it. */
  readonly anomaly: Anomaly;
  /** Transactions of the client that the execution does without, because the assertion breaks all the same. */
  readonly leftOut: readonly string[];
}

export interface ExplorationReport {
  readonly tool: string;
  readonly formatVersion: 1;
  /** The client program, as it was asked for. */
  readonly client: string;
  readonly level: string;
  readonly driver: "exhaustive" | "random";
  /** The seed of the random driver. */
  readonly seed?: number;
  readonly verdict: Verdict;
  readonly sessions: number;
  readonly transactions: number;
  /** Exhaustive: different histories; random: runs. */
  readonly histories: number;
  /** Every history that the level allows was seen. */
  readonly exhausted: boolean;
  /** Different outcomes: what all transactions returned, and the rows at the end. */
  readonly statesSeen: number;
  /** Different outcomes of serial orders, and whether these are all. */
  readonly serial: { readonly states: number; readonly exhausted: boolean };
  /** Those that serial orders break come first. */
  readonly violations: readonly ExplorationViolation[];
  /** Assertions that no explored execution breaks. */
  readonly holding: readonly string[];
  /** Open questions, and why. */
  readonly unknown: readonly ExplorationUnknown[];
}

export interface ExplorationUnknown {
  readonly reason: string;
  /** The place in the client program that it is about. */
  readonly range?: Range;
}
