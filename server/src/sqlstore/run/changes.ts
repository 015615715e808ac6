// The changes of one statement before they are written: each row is checked against keys as it comes, and against
// references when the statement ends. Nothing is written if the statement fails.
import type { Key as StoreKey, Value } from "../../exploration/client";
import type { Key, Table } from "../catalog";
import type { Env } from "../compile/node";
import type { Slices } from "../compile/slices";
import type { ChangedRow } from "../routine/triggers";
import type { SqlRow } from "../values/value";
import { checkPending, checkReferences, readParents } from "./references";
import {
  conflict,
  insert,
  readOwn,
  remove,
  rowAt,
  update,
  type ChangesContext,
  type ChangeState,
  type Conflict,
  type PendingReference,
} from "./rowChanges";
import { encodeRow } from "./versions";

export interface Changes {
  /** The row of a unique key that a new row would repeat, with the key. */
  readonly conflict: (
    table: Table,
    row: SqlRow,
    keys: readonly Key[],
    env: Env,
  ) => Conflict | undefined;
  /** Asks at once for the keys that all these new rows take. */
  readonly readOwn: (table: Table, rows: readonly SqlRow[], env: Env) => Slices<void>;
  /** Asks at once for what all these new rows refer to. */
  readonly readParents: (table: Table, rows: readonly SqlRow[]) => Slices<void>;
  /** Adds a row; fails when it repeats a key. */
  readonly insert: (table: Table, row: SqlRow, env: Env) => void;
  readonly update: (table: Table, key: StoreKey, before: SqlRow, after: SqlRow, env: Env) => void;
  readonly remove: (table: Table, key: StoreKey, before: SqlRow, env: Env) => void;
  /** The row under a key, with what this statement did to it. */
  readonly rowAt: (table: Table, key: StoreKey) => SqlRow | undefined;
  /** References of all changed rows; ON DELETE and ON UPDATE add changes. */
  readonly checkReferences: (env: Env) => Slices<void>;
  /** References that are to be looked at again when the transaction ends. */
  readonly pending: () => readonly PendingReference[];
  /** Fails for those of which a row is left that refers to none. */
  readonly checkPending: (all: readonly PendingReference[]) => void;
  /** The versions that are to be written; no key occurs twice. */
  readonly writes: () => Iterable<readonly [StoreKey, Value]>;
  /** The rows that are not as they were, in the order in which they changed first. */
  readonly changed: () => readonly ChangedRow[];
  /** Facts about a row that this statement wrote. */
  readonly keyOf: (row: SqlRow) => StoreKey | undefined;
}

export function createChanges(context: ChangesContext): Changes {
  const state: ChangeState = {
    context,
    dialect: context.catalog.dialect,
    changed: new Map(),
    entries: new Map(),
    written: new Map(),
    pending: [],
  };
  return {
    conflict: (...given) => conflict(state, ...given),
    readOwn: (...given) => readOwn(state, ...given),
    readParents: (...given) => readParents(state, ...given),
    insert: (...given) => insert(state, ...given),
    update: (...given) => update(state, ...given),
    remove: (...given) => remove(state, ...given),
    rowAt: (...given) => rowAt(state, ...given),
    checkReferences: (env) => checkReferences(state, env),
    pending: () => state.pending,
    checkPending: (all) => checkPending(state, all),
    writes: () => writesOf(state),
    changed: () => [...state.changed.values()],
    keyOf: (row) => state.written.get(row),
  };
}

function* writesOf({ changed, entries }: ChangeState): Generator<readonly [StoreKey, Value]> {
  for (const [key, { table, before, after }] of changed) {
    if (after !== undefined) yield [key, encodeRow(table, after)];
    else if (before !== undefined) yield [key, undefined];
  }
  yield* entries;
}
