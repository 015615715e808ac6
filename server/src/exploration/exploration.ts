// Entry of the explorer: runs of a client program, decided by one of three drivers.
import type { ProductLevelName } from "../isolation/levels";
import type { FinalState, History, TransactionId } from "./history";

/** The levels that the store can hold histories to. At `any` every read may return any committed version. */
export type StoreLevel = AxiomaticLevel | ProductLevelName;

/** As Biswas and Enea define them (OOPSLA 2019); parallel snapshot isolation as Cerone and Gotsman (PODC 2016). */
export type AxiomaticLevel =
  | "any"
  | "read-committed"
  | "read-atomic"
  | "causal"
  | "prefix"
  | "parallel-snapshot-isolation"
  | "snapshot-isolation"
  | "serializable";

/** Limits that keep a run finite whatever the client does. */
export interface RunLimits {
  /** Events of one transaction; 10,000 if absent. */
  readonly events?: number;
  /** Transactions of one session, retries included; 50 if absent. */
  readonly transactions?: number;
  /**
   * Lets the event loop turn once. Application code that awaits something else than the store is given a few turns
   * before it counts as stuck; without this only promises that need no turn are waited for.
   */
  readonly turn?: () => Promise<void>;
}

/** One execution of the client. */
export interface Run {
  readonly history: History;
  /** Problems of the client's code; empty in an orderly run. */
  readonly problems: readonly RunProblem[];
  /**
   * Every state that the database can be in at the end, over all orders of commits that the level allows for this
   * history, without repetition. Assertions over the final state must hold in each.
   */
  readonly finalStates: () => readonly FinalState[];
}

export interface RunProblem {
  readonly session: number;
  /** The transaction that was open, if one was. */
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
   * Only at levels up to `causal`: explore at this weaker level, and leave out histories that the level forbids. Slower,
   * and the same result; for comparison.
   */
  readonly startLevel?: AxiomaticLevel;
  /** Go on with what an earlier exploration, or `split`, left. */
  readonly from?: readonly Work[];
  /**
   * Stop as soon as so many beginnings of histories are left, and take the broadest ones first: they are the work of
   * others. Which histories there are does not depend on how the work is divided.
   */
  readonly spread?: number;
  /** Keys that exist in some history, as an earlier exploration of the same client found out. */
  readonly universe?: readonly string[];
  /** Polled during runs; true ends the exploration and leaves the rest as work. */
  readonly stop?: () => boolean;
}

/** The beginning of some histories that are still to be explored: plain data. */
export type Work =
  /** All histories that go on from this one; its last transaction may be open. */
  | { readonly kind: "history"; readonly history: History }
  /** All histories that come of moving a read of this one behind its last transaction, which has just committed. */
  | { readonly kind: "moves"; readonly history: History }
  /** All that goes on from these sessions' steps; see `timeline.ts`. */
  | { readonly kind: "steps"; readonly steps: readonly number[] };

/** Events of an exploration. */
export type ExploreEvent =
  | { readonly kind: "run"; readonly run: Run }
  /**
   * A key turned up that predicates of earlier runs had missed. All runs so far are void. They come again, unless the
   * exploration was given a part of the work: then it ends, and all parts are to be explored again from the start.
   */
  | { readonly kind: "restart"; readonly keys: readonly string[] };

/** Which version a random run reads where the level leaves a choice. */
export type Strategy =
  /** Any, each as likely as the others. */
  | "uniform"
  /** The latest: runs are close to serial. */
  | "latest"
  /** The oldest: the furthest from serial that the level allows. */
  | "stale";

export interface RandomOptions extends RunLimits {
  readonly level: StoreLevel;
  /** `uniform` if absent. */
  readonly strategy?: Strategy;
}

export interface DirectedOptions extends RunLimits {
  /** The history that is to come about: its order of transactions, and whom each read reads from. */
  readonly schedule: History;
  readonly level: StoreLevel;
}

export interface DirectedRun extends Run {
  /** The run did what the schedule says; what differed is among the problems. */
  readonly followed: boolean;
  /** The level allows the history that came about; absent at products' levels of which a history does not tell enough. */
  readonly allowed?: boolean;
}

export interface ExploreSummary {
  /** Since the last restart; each a history of its own. */
  readonly histories: number;
  /** Runs that were begun. */
  readonly runs: number;
  /**
   * Runs that gave no history of the level, or one that came up elsewhere. At levels up to `causal` only those in which
   * two transactions took the same unique value.
   */
  readonly blocked: number;
  /** Every history of the level was told. */
  readonly exhausted: boolean;
  /** The rest if it was stopped. */
  readonly remaining: readonly Work[];
  readonly universe: readonly string[];
  /** The most beginnings of histories that were kept at a time. */
  readonly peakWork: number;
}
