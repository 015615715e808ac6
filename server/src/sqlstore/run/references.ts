// References of changed rows: what they refer to is there when their statement or transaction ends, and what refers to rows
// that are gone follows them.
import type { Key as StoreKey } from "../../exploration/client";
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
import { referenceText } from "../mysql/tableText";
import { failure } from "../sqlError";
import { formatValue } from "../values/format";
import type { SqlRow, SqlValue } from "../values/value";
import {
  entryAt,
  matching,
  positions,
  remove,
  replaced,
  rowAt,
  same,
  update,
  type Change,
  type ChangeState,
  type PendingReference,
} from "./rowChanges";
import { eachInTurns, forEachItem } from "./rows";
import { indexKey, rowKey, tablePrefix } from "./versions";

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

export function* readParents(
  state: ChangeState,
  table: Table,
  fresh: readonly SqlRow[],
): Slices<void> {
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
    if (parent === undefined) throw missingParent(state.context.catalog, table, key, values);
    const columns = referencedColumns(parent, key);
    if (!hasParent(state, parent, columns, values))
      violated(state, table, key, values, () =>
        missingParent(state.context.catalog, table, key, values),
      );
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
    key.expressions === undefined &&
    key.columns.length === columns.length &&
    key.columns.every((at) => columns.includes(at));
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
  { table, before, after: here, moved }: Change,
  env: Env,
): boolean {
  const after = here ?? moved;
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
    key.primary || key.expressions !== undefined
      ? []
      : (indexKey(table, key, before, state.dialect) ?? []),
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
      violated(state, child, key, values, () =>
        referenced(state.context.catalog, parent, child, key),
      );
      return;
    case "restrict":
      throw referenced(state.context.catalog, parent, child, key);
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
export function* checkReferences(state: ChangeState, env: Env): Slices<void> {
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

export function checkPending(state: ChangeState, all: readonly PendingReference[]): void {
  const { catalog } = state.context;
  forEachItem(all, ({ child: name, key: { name: constraint }, values }) => {
    const child = catalog.tables.get(name);
    const key = child?.foreignKeys.find((each) => each.name === constraint);
    const parent = key && catalog.tables.get(key.table);
    if (child === undefined || key === undefined || parent === undefined) return;
    const isLeft = matching(state, child, positions(child, key.columns), values).length > 0;
    if (isLeft && !hasParent(state, parent, referencedColumns(parent, key), values))
      throw missingParent(state.context.catalog, child, key, values);
  });
}

function referencedColumns(parent: Table, key: ForeignKey): readonly number[] {
  if (key.referenced.length > 0) return positions(parent, key.referenced);
  return primaryKeyOf(parent)?.columns ?? [];
}

function missingParent(catalog: Catalog, table: Table, key: ForeignKey, values: SqlRow): Error {
  const parts = { table: table.name, constraint: key.name };
  if (catalog.dialect !== "postgres") {
    return failure(
      "noParent",
      `Cannot add or update a child row: a foreign key constraint fails (\`${table.name}\`, ${referenceText(catalog, table, key)})`,
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

function referenced(catalog: Catalog, parent: Table, child: Table, key: ForeignKey): Error {
  const parts = { table: child.name, constraint: key.name };
  if (catalog.dialect !== "postgres") {
    return failure(
      "hasChildren",
      `Cannot delete or update a parent row: a foreign key constraint fails (\`${child.name}\`, ${referenceText(catalog, child, key)})`,
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
