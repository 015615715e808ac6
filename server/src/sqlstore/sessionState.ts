// State of a session between statements.
import type { Key as StoreKey, Value } from "../exploration/client";
import type { SessionFacts } from "./compile/node";
import type { TransactionStatus } from "./sessionTypes";
import type { SqlValue } from "./values/value";

interface Savepoint {
  readonly name: string;
  readonly waiting: ReadonlyMap<StoreKey, Value>;
}

export interface State {
  status: TransactionStatus;
  savepoints: Savepoint[];
  /** Writes since the first savepoint, which may still be undone. */
  waiting: Map<StoreKey, Value>;
  startedAt: number;
  level: string | undefined;
  autocommit: boolean;
  facts: SessionFacts;
  readonly currentValues: Map<string, number>;
  lastSequence: string | undefined;
  readonly variables: Map<string, SqlValue>;
  settings: Map<string, string>;
  /** Values before SET LOCAL, restored when the transaction ends. */
  settingsBefore: Map<string, string> | undefined;
}
