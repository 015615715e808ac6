// State of a session between statements.
import type { Key as StoreKey, Value } from "../exploration/client";
import type { SessionFacts, UserVariables } from "./compile/node";
import type { PendingReference } from "./run/rowChanges";
import type { TransactionStatus } from "./sessionTypes";

export interface Savepoint {
  readonly name: string;
  readonly waiting: ReadonlyMap<StoreKey, Value>;
  /** The number of definitions that the transaction had made. */
  readonly definitions: number;
  readonly pending: readonly PendingReference[];
  readonly deferred: ReadonlyMap<string, boolean>;
}

export interface State {
  status: TransactionStatus;
  savepoints: Savepoint[];
  /** Writes since the first savepoint, which may still be undone. */
  waiting: Map<StoreKey, Value>;
  startedAt: number;
  /** Level that was asked for: of the transaction at hand or the next one, and of those without one of their own. */
  level: string | undefined;
  usualLevel: string | undefined;
  /** True if the transaction at hand, or the next one, may not change rows; that of the session where it says nothing. */
  readOnly: boolean | undefined;
  usualReadOnly: boolean;
  /** References that are checked when the transaction ends. */
  pending: PendingReference[];
  /** Modes that SET CONSTRAINTS set: true for deferred, by name, `*` for all. */
  deferred: Map<string, boolean>;
  /** Takes back the definitions that the open transaction has made. */
  undo: (() => void)[];
  /** Statements share a transaction that none of them began: those of one message, up to what settles it. */
  isGrouped: boolean;
  /** The open transaction was begun by no statement, and outlives the one at hand. */
  isImplicit: boolean;
  /** True if the open transaction has run a statement, and so keeps its level. */
  hasRun: boolean;
  autocommit: boolean;
  facts: SessionFacts;
  readonly currentValues: Map<string, number>;
  lastSequence: string | undefined;
  readonly variables: UserVariables;
  settings: Map<string, string>;
  /** Values before SET LOCAL, restored when the transaction ends. */
  settingsBefore: Map<string, string> | undefined;
}
