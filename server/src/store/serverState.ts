// State of the simulated server: its committed states, sessions and locks.
import type { UniqueKey, Schema } from "../program/schema";
import type { ProductLevel } from "../isolation/levels";
import type { TableRows, Write } from "./row";
import type { HeldLock } from "./locks";
import type { Machine } from "./machine";
import type { StepRecord } from "./runRecord";
import type { SqlValue } from "./value";

/** A key that was given to a row and must be checked at commit. */
export interface OpenKey {
  readonly table: string;
  readonly row: string;
  readonly key: UniqueKey;
  readonly values: Values;
}

/** Rows visited so far by a waiting statement, per search in the order of their beginnings. */
export type SearchProgress = readonly TableRows[];

/** The database after some commits. Immutable: a snapshot is a reference to one. */
export interface DatabaseState {
  readonly tables: ReadonlyMap<string, TableRows>;
  /** Transactions (`transactionAt`) committed in it, in commit order. */
  readonly instances: readonly string[];
}

/** One session. */
export interface Session {
  readonly machine: Machine;
  /** The level of its current transaction. */
  level: ProductLevel;
  /** The level of a transaction that declares this name. */
  readonly levels: (declared: string | undefined) => ProductLevel;
  /** The snapshot of the transaction, or of the waiting statement. */
  snapshot: DatabaseState | undefined;
  /** The group that shares a snapshot and that the last statement was part of, by its name. */
  snapshotOf: string | undefined;
  /** True if the statement goes on with what the one before it began. */
  isLaterPart: boolean;
  /** The newest state when its last statement had run. */
  after: DatabaseState | undefined;
  /** The number of committed states that were superseded when its last transaction ended: none of them is the newest at a later BEGIN. */
  over: number;
  /** The writes of the open transaction. */
  log: readonly Write[];
  /** The writes of a unit's committed transactions. */
  kept: readonly Write[];
  locks: readonly HeldLock[];
  /** Keys to check at its commit. */
  openKeys: readonly OpenKey[];
  /** Set while a statement waits. `step` is the step at which it began. */
  waiting:
    | {
        readonly holders: readonly string[];
        readonly since: number;
        readonly step: number;
        readonly wants: HeldLock | undefined;
      }
    | undefined;
  /** Rows visited by the current statement, and the number of searches that its attempt has begun. */
  passed: SearchProgress;
  searches: number;
  skips: Skips;
  ended: string | undefined;
}

/** The server in the middle of a run. */
export interface Server {
  readonly schema: Schema;
  readonly sessions: ReadonlyMap<string, Session>;
  newest: DatabaseState;
  /** All committed states so far, including `newest`. */
  past: readonly DatabaseState[];
  steps: readonly StepRecord[];
  /** True for a serial run that a concurrent one is compared with: it passes by what that passed by. */
  readonly isSerial?: true;
}

/** The rows that a statement with SKIP LOCKED passes by. */
export interface Skips {
  /** True for a row that it passed by in the run that this one is compared with. */
  readonly has: (name: string) => boolean;
  readonly add: (name: string) => void;
}

export type Values = Readonly<Record<string, SqlValue>>;
