// The changes of one statement before they are written: each row is checked against keys as it comes, and against
// references when the statement ends. Nothing is written if the statement fails.
import type { Key as StoreKey, Value } from "../../exploration/client";
import type { Dialect } from "../../program/dialect";
import {
  columnAt,
  primaryKeyOf,
  type Catalog,
  type ForeignKey,
  type Key,
  type Table,
} from "../catalog";
import type { Env } from "../compile/node";
import { missingRows, type Slices } from "../compile/slices";
import { failure } from "../sqlError";
import { identity } from "../values/compare";
import { formatValue } from "../values/format";
import type { SqlRow, SqlValue } from "../values/value";
import type { ChangedRow } from "../routine/triggers";
import { eachInTurns, forEachItem, type Rows } from "./rows";
import type { TableRules } from "./tableRules";
import { encodeRow, indexKey, rowKey, tablePrefix } from "./versions";

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
  readonly remove: (table: Table, key: StoreKey, before: SqlRow) => void;
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

export interface Conflict {
  readonly key: Key;
  readonly at: StoreKey;
  readonly row: SqlRow;
}

type Change = ChangedRow;

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

/** Row whose parent changed, with what becomes of it. */
interface Reaction {
  readonly child: Table;
  readonly key: ForeignKey;
  readonly own: readonly number[];
  readonly at: StoreKey;
  readonly row: SqlRow;
  /** The parent's new key; undefined where it is gone. */
  readonly next: SqlRow | undefined;
  readonly action: ForeignKey["onDelete"];
  readonly parent: Table;
  /** The parent's key before. */
  readonly values: SqlRow;
}

export interface ChangesContext {
  readonly catalog: Catalog;
  readonly rows: Rows;
  readonly rules: (table: Table) => TableRules;
  readonly references: (child: Table, key: ForeignKey) => ReferenceTime;
  /** The number of a row of a table without a primary key. */
  readonly rowNumber: () => number;
}

/** The changes of a statement so far. */
interface ChangeState {
  readonly context: ChangesContext;
  readonly dialect: Dialect;
  readonly changed: Map<StoreKey, Change>;
  /** Entries of unique keys: the row that has each by now. */
  readonly entries: Map<StoreKey, Value>;
  /** The keys of rows that were written. */
  readonly written: Map<SqlRow, StoreKey>;
  readonly pending: PendingReference[];
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

function rowAt(state: ChangeState, table: Table, key: StoreKey): SqlRow | undefined {
  const change = state.changed.get(key);
  return change === undefined ? state.context.rows.newestRow(table, key) : change.after;
}

function entryAt(state: ChangeState, key: StoreKey): Value {
  return state.entries.has(key) ? state.entries.get(key) : state.context.rows.newestVersion(key);
}

function put(state: ChangeState, table: Table, key: StoreKey, after: SqlRow | undefined): void {
  const known = state.changed.get(key);
  const before = known === undefined ? state.context.rows.newestRow(table, key) : known.before;
  state.changed.set(key, { table, before, after });
  if (after !== undefined) state.written.set(after, key);
}

function conflict(
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
    const entry = state.context.rules(table).covers(key, row, env)
      ? indexKey(table, key, row, state.dialect)
      : undefined;
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
    if (key.primary || !state.context.rules(table).covers(key, row, env)) continue;
    const entry = indexKey(table, key, row, state.dialect);
    if (entry === undefined) continue;
    // Another row's entry stays when this row gives it up.
    if (owner === undefined && entryAt(state, entry) !== at) continue;
    state.entries.set(entry, owner);
  }
}

function* readOwn(
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
      if (each.primary || !rules(table).covers(each, row, env)) continue;
      const entry = indexKey(table, each, row, state.dialect);
      if (entry !== undefined) own.push(entry);
    }
  }
  const lacking = rows.newestOf(own);
  if (lacking !== undefined) yield lacking;
}

function* readParents(state: ChangeState, table: Table, fresh: readonly SqlRow[]): Slices<void> {
  const { rows, catalog, references } = state.context;
  const parents = new Set<StoreKey>();
  for (const each of table.foreignKeys) {
    const parent = catalog.tables.get(each.table);
    if (parent === undefined || references(table, each) === "never") continue;
    const own = positions(table, each.columns);
    const columns = referencedColumns(parent, each);
    for (const row of fresh) {
      const values = own.map((at) => row[at] ?? null);
      const key = values.includes(null) ? undefined : parentOf(state, parent, columns, values);
      if (key !== undefined && !state.changed.has(key) && !state.entries.has(key)) parents.add(key);
    }
  }
  const lacking = rows.newestOf(parents, "reference");
  if (lacking !== undefined) yield lacking;
}

function insert(state: ChangeState, table: Table, row: SqlRow, env: Env): void {
  const other = conflict(state, table, row, table.keys, env);
  if (other !== undefined) throw duplicate(table, other.key, row, state.dialect);
  const key =
    rowKey(table, row, state.dialect) ?? `${tablePrefix(table)}#${state.context.rowNumber()}`;
  put(state, table, key, row);
  enter(state, table, row, key, key, env);
}

function update(
  state: ChangeState,
  table: Table,
  key: StoreKey,
  before: SqlRow,
  after: SqlRow,
  env: Env,
): void {
  const next = rowKey(table, after, state.dialect) ?? key;
  const moved = table.keys.filter(
    ({ columns, where }) =>
      where !== undefined || columns.some((at) => !same(table, at, before, after, state.dialect)),
  );
  for (const each of moved) {
    const other = conflict(state, table, after, [each], env);
    if (other !== undefined && other.at !== key) throw duplicate(table, each, after, state.dialect);
  }
  enter(state, table, before, key, undefined, env);
  if (next !== key) put(state, table, key, undefined);
  put(state, table, next, after);
  enter(state, table, after, next, next, env);
}

function remove(state: ChangeState, table: Table, key: StoreKey, before: SqlRow, env?: Env): void {
  put(state, table, key, undefined);
  for (const each of table.keys) {
    if (
      each.primary ||
      (env !== undefined && !state.context.rules(table).covers(each, before, env))
    )
      continue;
    const entry = indexKey(table, each, before, state.dialect);
    if (entry !== undefined && entryAt(state, entry) === key) state.entries.set(entry, undefined);
  }
}

/** Rows of a table with equal values in some columns, as they are after the statement. */
function matching(
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

/** A violation: at once an error, or something to look at again when the transaction ends. */
function violated(
  state: ChangeState,
  child: Table,
  key: ForeignKey,
  values: SqlRow,
  error: () => Error,
): void {
  if (state.context.references(child, key) === "now") throw error();
  state.pending.push({ child: child.name, key, values });
}

function checkParents(state: ChangeState, { table, before, after }: Change): void {
  if (after === undefined) return;
  for (const key of table.foreignKeys) {
    if (state.context.references(table, key) === "never") continue;
    const own = positions(table, key.columns);
    if (before !== undefined && own.every((at) => same(table, at, before, after, state.dialect)))
      continue;
    const values = own.map((at) => after[at] ?? null);
    if (values.includes(null)) continue;
    const parent = state.context.catalog.tables.get(key.table);
    // MySQL's may be dropped while nobody looks at references.
    if (parent === undefined) throw missingParent(table, key, values, state.dialect);
    const columns = referencedColumns(parent, key);
    if (!hasParent(state, parent, columns, values))
      violated(state, table, key, values, () => missingParent(table, key, values, state.dialect));
  }
}

/** The key of a parent's row, or of its entry of a unique key; undefined where it is looked for by its values. */
function parentOf(
  state: ChangeState,
  parent: Table,
  columns: readonly number[],
  values: SqlRow,
): StoreKey | undefined {
  const row: SqlValue[] = parent.columns.map(() => null);
  for (const [index, at] of columns.entries()) row[at] = values[index] ?? null;
  const isSame = (key: Key): boolean =>
    key.columns.length === columns.length && key.columns.every((at) => columns.includes(at));
  if (parent.keys.some((key) => key.primary && isSame(key)))
    return rowKey(parent, row, state.dialect);
  const unique = parent.keys.find((key) => key.where === undefined && isSame(key));
  return unique === undefined ? undefined : indexKey(parent, unique, row, state.dialect);
}

function hasParent(
  state: ChangeState,
  parent: Table,
  columns: readonly number[],
  values: SqlRow,
): boolean {
  const at = parentOf(state, parent, columns, values);
  if (at === undefined) return matching(state, parent, columns, values).length > 0;
  if (!state.changed.has(at) && !state.entries.has(at)) {
    const lacking = state.context.rows.newestOf([at], "reference");
    if (lacking !== undefined) throw missingRows(lacking);
  }
  return at.startsWith(tablePrefix(parent))
    ? rowAt(state, parent, at) !== undefined
    : typeof entryAt(state, at) === "string";
}

/** The action on rows that refer to one that is gone or has another key; true if anything changed. */
function checkChildren(
  state: ChangeState,
  at: StoreKey,
  { table, before, after }: Change,
  env: Env,
): boolean {
  if (before === undefined) return false;
  let acted = false;
  for (const child of state.context.catalog.tables.values()) {
    for (const key of child.foreignKeys) {
      if (key.table !== table.name || state.context.references(child, key) === "never") continue;
      const columns = referencedColumns(table, key);
      if (
        after !== undefined &&
        columns.every((at) => same(table, at, before, after, state.dialect))
      )
        continue;
      const values = columns.map((at) => before[at] ?? null);
      if (values.includes(null)) continue;
      // Who relies on the row is done, or comes too late, before its children are looked for.
      const lacking = state.context.rows.newestOf(endsOf(state, table, at, before), "end");
      if (lacking !== undefined) throw missingRows(lacking);
      const own = positions(child, key.columns);
      const children = matching(state, child, own, values);
      if (children.length === 0) continue;
      // Another row may have taken the key over.
      const action = after === undefined ? key.onDelete : key.onUpdate;
      if (
        (action === "no action" || action === "restrict") &&
        matching(state, table, columns, values).length > 0
      )
        continue;
      const next = after === undefined ? undefined : columns.map((at) => after[at] ?? null);
      for (const [at, row] of children)
        act(state, { child, key, own, at, row, next, action, parent: table, values }, env);
      acted = true;
    }
  }
  return acted;
}

/** The keys that go with a row, as others rely on them. */
function endsOf(
  state: ChangeState,
  table: Table,
  at: StoreKey,
  before: SqlRow,
): readonly StoreKey[] {
  const entries = table.keys.flatMap((key) =>
    key.primary ? [] : (indexKey(table, key, before, state.dialect) ?? []),
  );
  return [at, ...entries];
}

function act(
  state: ChangeState,
  { child, key, own, at, row, next, action, parent, values }: Reaction,
  env: Env,
): void {
  switch (action) {
    case "no action":
      violated(state, child, key, values, () => referenced(parent, child, key, state.dialect));
      return;
    case "restrict":
      throw referenced(parent, child, key, state.dialect);
    case "cascade":
      if (next === undefined) remove(state, child, at, row, env);
      else update(state, child, at, row, replaced(row, own, next), env);
      return;
    case "set null":
    case "set default": {
      const defaults = action === "set null" ? [] : state.context.rules(child).defaults;
      const values = own.map((column) => defaults[column]?.run(env) ?? null);
      update(state, child, at, row, replaced(row, own, values), env);
      return;
    }
    default:
      action satisfies never;
  }
}

/** References of all changed rows; ON DELETE and ON UPDATE add changes. */
function* checkReferences(state: ChangeState, env: Env): Slices<void> {
  const { isDue } = env.work;
  const checked = new Set<Change>();
  for (let more = true; more;) {
    more = false;
    const look = ([at, change]: readonly [StoreKey, Change]): void => {
      if (checked.has(change)) return;
      checked.add(change);
      if (checkChildren(state, at, change, env)) more = true;
    };
    yield* eachInTurns([...state.changed], look, isDue);
  }
  const look = (change: Change): void => {
    checkParents(state, change);
  };
  yield* eachInTurns(state.changed.values(), look, isDue);
}

function checkPending(state: ChangeState, all: readonly PendingReference[]): void {
  const { catalog } = state.context;
  forEachItem(all, ({ child: name, key: { name: constraint }, values }) => {
    const child = catalog.tables.get(name);
    const key = child?.foreignKeys.find((each) => each.name === constraint);
    const parent = key && catalog.tables.get(key.table);
    if (child === undefined || key === undefined || parent === undefined) return;
    const isLeft = matching(state, child, positions(child, key.columns), values).length > 0;
    if (isLeft && !hasParent(state, parent, referencedColumns(parent, key), values))
      throw missingParent(child, key, values, state.dialect);
  });
}

function* writesOf({ changed, entries }: ChangeState): Generator<readonly [StoreKey, Value]> {
  for (const [key, { table, before, after }] of changed) {
    if (after !== undefined) yield [key, encodeRow(table, after)];
    else if (before !== undefined) yield [key, undefined];
  }
  yield* entries;
}

function positions(table: Table, names: readonly string[]): readonly number[] {
  return names.map((name) => {
    const at = columnAt(table, name);
    if (at === undefined) throw failure("noColumn", `column "${name}" does not exist`);
    return at;
  });
}

function referencedColumns(parent: Table, key: ForeignKey): readonly number[] {
  if (key.referenced.length > 0) return positions(parent, key.referenced);
  return primaryKeyOf(parent)?.columns ?? [];
}

function same(table: Table, at: number, left: SqlRow, right: SqlRow, dialect: Dialect): boolean {
  const type = table.columns[at]?.declared.type ?? "unknown";
  return identity(left[at] ?? null, type, dialect) === identity(right[at] ?? null, type, dialect);
}

function replaced(row: SqlRow, columns: readonly number[], values: SqlRow): SqlRow {
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
export function duplicate(table: Table, key: Key, row: SqlRow, dialect: Dialect): Error {
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
    detail: `Key (${names.join(", ")})=(${values.join(", ")}) already exists.`,
    table: table.name,
    constraint: key.name,
  });
}

function missingParent(table: Table, key: ForeignKey, values: SqlRow, dialect: Dialect): Error {
  const parts = { table: table.name, constraint: key.name };
  if (dialect !== "postgres") {
    return failure(
      "noParent",
      `Cannot add or update a child row: a foreign key constraint fails (\`${table.name}\`, CONSTRAINT \`${key.name}\` FOREIGN KEY (\`${key.columns.join("`, `")}\`) REFERENCES \`${key.table}\`)`,
      parts,
    );
  }
  const text = values.map((value, at) =>
    formatValue(
      value,
      table.columns[columnAt(table, key.columns[at] ?? "") ?? 0]?.declared.type ?? "text",
    ),
  );
  return failure(
    "noParent",
    `insert or update on table "${table.name}" violates foreign key constraint "${key.name}"`,
    {
      ...parts,
      detail: `Key (${key.columns.join(", ")})=(${text.join(", ")}) is not present in table "${key.table}".`,
    },
  );
}

function referenced(parent: Table, child: Table, key: ForeignKey, dialect: Dialect): Error {
  const parts = { table: child.name, constraint: key.name };
  if (dialect !== "postgres") {
    return failure(
      "hasChildren",
      `Cannot delete or update a parent row: a foreign key constraint fails (\`${child.name}\`, CONSTRAINT \`${key.name}\`)`,
      parts,
    );
  }
  // PostgreSQL 15 reports RESTRICT with the same code as NO ACTION.
  return failure(
    "noParent",
    `update or delete on table "${parent.name}" violates foreign key constraint "${key.name}" on table "${child.name}"`,
    parts,
  );
}
