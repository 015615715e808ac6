// Interface of the explorer: runs of a client program, decided by one of three drivers.
import type { ProductLevelName } from "../isolation/levels";
import type { FinalState, History, TransactionId } from "./history";

/** The levels of the store. At `any` every read may return any committed version. */
export type StoreLevel = AxiomaticLevel | ProductLevelName;

/** As defined by Biswas and Enea (OOPSLA 2019); parallel snapshot isolation as by Cerone and Gotsman (PODC 2016). */
export type AxiomaticLevel =
  | "any"
  | "read-committed"
  | "read-atomic"
  | "causal"
  | "prefix"
  | "parallel-snapshot-isolation"
  | "snapshot-isolation"
  | "serializable";

/** Limits that keep every run finite. */
export interface RunLimits {
  /** Maximal events per transaction; 10,000 by default. */
  readonly events?: number;
  /** Maximal transactions per session, retries included; 50 by default. */
  readonly transactions?: number;
  /**
   * Lets the event loop turn once. Application code that awaits something other than the store gets a few turns before it counts as stuck;
   * without this only promises that need no turn are awaited.
   */
  readonly turn?: () => Promise<void>;
}

/** One execution of the client. */
export interface Run {
  readonly history: History;
  /** Problems of the client's code; empty for a normal run. */
  readonly problems: readonly RunProblem[];
  /**
   * All possible final states over all commit orders that the level allows for this history, without repetition. Assertions over the final
   * state must hold in each.
   */
  readonly finalStates: () => readonly FinalState[];
}

export interface RunProblem {
  readonly session: number;
  /** The open transaction, if any. */
  readonly transaction?: TransactionId;
  readonly kind:
    | "thrown"
    | "stuck"
    | "too-many-events"
    | "too-many-transactions"
    | "wrong-request"
    | "not-deterministic";
  readonly message: string;
}

export interface ExploreOptions extends RunLimits {
  readonly level: StoreLevel;
  /**
   * For levels up to `causal`: explores at this weaker level, and drops histories that the level forbids. Slower, with the same result; for
   * comparison.
   */
  readonly startLevel?: AxiomaticLevel;
  /** Continues the remaining work of an earlier exploration, or of `split`. */
  readonly from?: readonly Work[];
  /**
   * Stops as soon as this many prefixes of histories are pending, exploring the broadest first: they are work for other threads. The set of
   * histories does not depend on the division.
   */
  readonly spread?: number;
  /** Keys that exist in some history, known from an earlier exploration of the same client. */
  readonly universe?: readonly string[];
  /** Polled during runs; true ends the exploration and returns the rest as work. */
  readonly stop?: () => boolean;
}

/** A prefix of histories still to be explored: plain data. */
export type Work =
  /** All histories that extend this one; its last transaction may be open. */
  | { readonly kind: "history"; readonly history: History }
  /** All histories that result from moving a read of this one behind its last transaction, which has just committed. */
  | { readonly kind: "moves"; readonly history: History }
  /** All that extends these sessions' steps; see `timeline.ts`. */
  | { readonly kind: "steps"; readonly steps: readonly number[] };

/** Events of an exploration. */
export type ExploreEvent =
  | { readonly kind: "run"; readonly run: Run }
  /**
   * A new key turned up that predicates of earlier runs had missed: all runs so far are void. They are repeated, unless the exploration had
   * a part of the work: then it ends, and all parts must be restarted.
   */
  | { readonly kind: "restart"; readonly keys: readonly string[] };

/** The version that a random run reads if the level allows several. */
export type Strategy =
  /** Any, with equal probability. */
  | "uniform"
  /** The latest: runs are close to serial. */
  | "latest"
  /** The oldest: as far from serial as the level allows. */
  | "stale";

export interface RandomOptions extends RunLimits {
  readonly level: StoreLevel;
  /** `uniform` by default. */
  readonly strategy?: Strategy;
}

export interface DirectedOptions extends RunLimits {
  /** The history to realise: its transaction order, and the writer of each read. */
  readonly schedule: History;
  readonly level: StoreLevel;
}

export interface DirectedRun extends Run {
  /** True if the run did what the schedule says; differences are among the problems. */
  readonly followed: boolean;
  /** True if the level allows the realised history; absent at products' levels for which a history has too little information. */
  readonly allowed?: boolean;
}

export interface ExploreSummary {
  /** Distinct histories since the last restart. */
  readonly histories: number;
  /** The number of started runs. */
  readonly runs: number;
  /** Runs without a new history of the level. At levels up to `causal` only those in which two transactions took the same unique value. */
  readonly blocked: number;
  /** True if every history of the level was reported. */
  readonly exhausted: boolean;
  /** The rest, if it was stopped. */
  readonly remaining: readonly Work[];
  readonly universe: readonly string[];
  /** The maximal number of pending prefixes. */
  readonly peakWork: number;
}
