// The result of exploring a client program, as JSON of the CLI and as input of every view.
import type { Anomaly, Verdict } from "./report";
import type { Range } from "./source";

/** A violated assertion, with the smallest execution found. */
export interface ExplorationViolation {
  /** The assertion's text in the client program. */
  readonly assertion: string;
  /** Its place in the client program. */
  readonly range: Range;
  /**
   * `serial`: a serial order breaks it already, so that no isolation level helps; `isolation`: no serial order breaks it; `unknown`: not
   * all serial orders were tried, and none of those tried broke it.
   */
  readonly cause: "isolation" | "serial" | "unknown";
  /** For `serial`: an order that breaks it, and whether every order does. */
  readonly order?: { readonly transactions: readonly string[]; readonly every: boolean };
  /** The number of explored executions that break it. */
  readonly count: number;
  /** The number of the first of these, from 1. */
  readonly first: number;
  /** One sentence: what happened, at which level. */
  readonly message: string;
  /** The execution in the format of `isolens history`: one key per row. */
  readonly history: unknown;
  /** The steps for every view; the same as `anomaly.steps`. */
  readonly steps: Anomaly["steps"];
  /** The same execution for the panel. */
  readonly anomaly: Anomaly;
  /** Transactions of the client that were removed because the assertion breaks without them. */
  readonly leftOut: readonly string[];
}

export interface ExplorationReport {
  readonly tool: string;
  readonly formatVersion: 1;
  /** The client program as the user named it. */
  readonly client: string;
  readonly level: string;
  readonly driver: "exhaustive" | "random";
  /** The seed of the random driver. */
  readonly seed?: number;
  readonly verdict: Verdict;
  readonly sessions: number;
  readonly transactions: number;
  /** The number of different histories (exhaustive), or of runs (random). */
  readonly histories: number;
  /** True if every history that the level allows was seen. */
  readonly exhausted: boolean;
  /** The number of different outcomes: returned values of all transactions, and final rows. */
  readonly statesSeen: number;
  /** The number of different outcomes of serial orders, and whether these are all. */
  readonly serial: { readonly states: number; readonly exhausted: boolean };
  /** The violations; those that serial orders break come first. */
  readonly violations: readonly ExplorationViolation[];
  /** Assertions that no explored execution breaks. */
  readonly holding: readonly string[];
  /** Undecided assertions, with the reason. */
  readonly unknown: readonly ExplorationUnknown[];
}

export interface ExplorationUnknown {
  readonly reason: string;
  /** The place in the client program. */
  readonly range?: Range;
}
