// The changed rows of one statement, and its entries of unique keys: each row is checked against keys as it comes.
import type { Key as StoreKey, Value } from "../../exploration/client";
import type { Dialect } from "../../program/dialect";
import { columnAt, type Catalog, type ForeignKey, type Key, type Table } from "../catalog";
import type { Env } from "../compile/node";
import type { Slices } from "../compile/slices";
import type { ChangedRow } from "../routine/triggers";
import { failure, type SqlFailure } from "../sqlError";
import { identity } from "../values/compare";
import { formatValue } from "../values/format";
import type { SqlRow } from "../values/value";
import type { Rows } from "./rows";
import type { TableRules } from "./tableRules";
import { rowKey, tablePrefix } from "./versions";

export interface Change extends ChangedRow {
  /** The row under its new key. */
  readonly moved?: SqlRow;
}

/** A reference that was violated when its statement ended, and may be by then. */
export interface PendingReference {
  /** The table that refers. */
  readonly child: string;
  readonly key: ForeignKey;
  /** Values of its columns. */
  readonly values: SqlRow;
}

/** When a reference is checked: with its statement, with its transaction, or not at all. */
export type ReferenceTime = "now" | "later" | "never";

export interface ChangesContext {
  readonly catalog: Catalog;
  readonly rows: Rows;
  readonly rules: (table: Table) => TableRules;
  readonly references: (child: Table, key: ForeignKey) => ReferenceTime;
  /** The number of a row of a table without a primary key. */
  readonly rowNumber: () => number;
}

/** The changes of a statement so far. */
export interface ChangeState {
  readonly context: ChangesContext;
  readonly dialect: Dialect;
  readonly changed: Map<StoreKey, Change>;
  /** Entries of unique keys: the row that has each by now. */
  readonly entries: Map<StoreKey, Value>;
  /** The keys of rows that were written. */
  readonly written: Map<SqlRow, StoreKey>;
  readonly pending: PendingReference[];
}

export interface Conflict {
  readonly key: Key;
  readonly at: StoreKey;
  readonly row: SqlRow;
}

export function rowAt(state: ChangeState, table: Table, key: StoreKey): SqlRow | undefined {
  const change = state.changed.get(key);
  return change === undefined ? state.context.rows.newestRow(table, key) : change.after;
}

export function entryAt(state: ChangeState, key: StoreKey): Value {
  return state.entries.has(key) ? state.entries.get(key) : state.context.rows.newestVersion(key);
}

function put(
  state: ChangeState,
  table: Table,
  key: StoreKey,
  after: SqlRow | undefined,
  moved?: SqlRow,
): void {
  const known = state.changed.get(key);
  const before = known === undefined ? state.context.rows.newestRow(table, key) : known.before;
  state.changed.set(key, { table, before, after, ...(moved && { moved }) });
  if (after !== undefined) state.written.set(after, key);
}

export function conflict(
  state: ChangeState,
  table: Table,
  row: SqlRow,
  keys: readonly Key[],
  env: Env,
): Conflict | undefined {
  for (const key of keys) {
    if (key.primary) {
      const at = rowKey(table, row, state.dialect);
      const existing = at === undefined ? undefined : rowAt(state, table, at);
      if (at !== undefined && existing !== undefined) return { key, at, row: existing };
      continue;
    }
    const entry = state.context.rules(table).entry(key, row, env);
    const owner = entry === undefined ? undefined : entryAt(state, entry);
    if (typeof owner !== "string") continue;
    const existing = rowAt(state, table, owner);
    if (existing !== undefined) return { key, at: owner, row: existing };
  }
  return undefined;
}

function enter(
  state: ChangeState,
  table: Table,
  row: SqlRow,
  at: StoreKey | undefined,
  owner: Value,
  env: Env,
): void {
  for (const key of table.keys) {
    if (key.primary) continue;
    const entry = state.context.rules(table).entry(key, row, env);
    if (entry === undefined) continue;
    // Another row's entry stays when this row gives it up.
    if (owner === undefined && entryAt(state, entry) !== at) continue;
    state.entries.set(entry, owner);
  }
}

export function* readOwn(
  state: ChangeState,
  table: Table,
  fresh: readonly SqlRow[],
  env: Env,
): Slices<void> {
  const { rows, rules } = state.context;
  const own: StoreKey[] = [];
  for (const row of fresh) {
    const key = rowKey(table, row, state.dialect);
    if (key !== undefined) own.push(key);
    for (const each of table.keys) {
      if (each.primary) continue;
      const entry = rules(table).entry(each, row, env);
      if (entry !== undefined) own.push(entry);
    }
  }
  const lacking = rows.newestOf(own);
  if (lacking !== undefined) yield rows.withIndexes(lacking, table);
}

export function insert(state: ChangeState, table: Table, row: SqlRow, env: Env): void {
  const other = conflict(state, table, row, table.keys, env);
  if (other !== undefined) throw duplicate(table, other.key, row, state.dialect);
  const key =
    rowKey(table, row, state.dialect) ?? `${tablePrefix(table)}#${state.context.rowNumber()}`;
  put(state, table, key, row);
  enter(state, table, row, key, key, env);
}

export function update(
  state: ChangeState,
  table: Table,
  key: StoreKey,
  before: SqlRow,
  after: SqlRow,
  env: Env,
): void {
  const next = rowKey(table, after, state.dialect) ?? key;
  const moved = table.keys.filter(
    ({ columns, where, expressions }) =>
      (where ?? expressions) !== undefined ||
      columns.some((at) => !same(table, at, before, after, state.dialect)),
  );
  for (const each of moved) {
    const other = conflict(state, table, after, [each], env);
    if (other !== undefined && other.at !== key) throw duplicate(table, each, after, state.dialect);
  }
  enter(state, table, before, key, undefined, env);
  if (next !== key) put(state, table, key, undefined, after);
  put(state, table, next, after);
  enter(state, table, after, next, next, env);
}

export function remove(
  state: ChangeState,
  table: Table,
  key: StoreKey,
  before: SqlRow,
  env: Env,
): void {
  put(state, table, key, undefined);
  for (const each of table.keys) {
    if (each.primary) continue;
    const entry = state.context.rules(table).entry(each, before, env);
    if (entry !== undefined && entryAt(state, entry) === key) state.entries.set(entry, undefined);
  }
}

/** Rows of a table with equal values in some columns, as they are after the statement. */
export function matching(
  state: ChangeState,
  table: Table,
  columns: readonly number[],
  values: SqlRow,
): readonly (readonly [StoreKey, SqlRow])[] {
  const fixed = new Map(columns.map((at, index) => [at, [values[index] ?? null]] as const));
  const all = new Map(state.context.rows.newestRows(table, fixed));
  for (const [key, change] of state.changed) {
    if (change.table.name !== table.name) continue;
    if (change.after === undefined) all.delete(key);
    else all.set(key, change.after);
  }
  return [...all].filter(([, row]) =>
    columns.every((at, index) => {
      const [own, wanted] = [row[at] ?? null, values[index] ?? null];
      const type = table.columns[at]?.declared.type ?? "unknown";
      return (
        own !== null && identity(own, type, state.dialect) === identity(wanted, type, state.dialect)
      );
    }),
  );
}

export function positions(table: Table, names: readonly string[]): readonly number[] {
  return names.map((name) => {
    const at = columnAt(table, name);
    if (at === undefined) throw failure("noColumn", `column "${name}" does not exist`);
    return at;
  });
}

export function same(
  table: Table,
  at: number,
  left: SqlRow,
  right: SqlRow,
  dialect: Dialect,
): boolean {
  const type = table.columns[at]?.declared.type ?? "unknown";
  return identity(left[at] ?? null, type, dialect) === identity(right[at] ?? null, type, dialect);
}

export function replaced(row: SqlRow, columns: readonly number[], values: SqlRow): SqlRow {
  const next = [...row];
  for (const [index, at] of columns.entries()) next[at] = values[index] ?? null;
  return next;
}

function shown(table: Table, columns: readonly number[], row: SqlRow): readonly string[] {
  return columns.map((at) =>
    formatValue(row[at] ?? null, table.columns[at]?.declared.type ?? "text"),
  );
}

/** The error for a row that repeats a key. */
export function duplicate(table: Table, key: Key, row: SqlRow, dialect: Dialect): SqlFailure {
  const values = shown(table, key.columns, row);
  const names = key.columns.map((at) => table.columns[at]?.name ?? "");
  if (dialect !== "postgres") {
    const name = key.primary ? "PRIMARY" : key.name;
    const place = dialect === "mysql" ? `${table.name}.${name}` : name;
    return failure("duplicate", `Duplicate entry '${values.join("-")}' for key '${place}'`, {
      table: table.name,
      constraint: name,
    });
  }
  return failure("duplicate", `duplicate key value violates unique constraint "${key.name}"`, {
    // The values of expressions are not at hand.
    ...(key.expressions === undefined && {
      detail: `Key (${names.join(", ")})=(${values.join(", ")}) already exists.`,
    }),
    table: table.name,
    constraint: key.name,
  });
}
