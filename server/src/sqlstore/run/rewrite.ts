// Rows of a table whose definition changes: they are read by the old one and written by the new one, under keys of their
// own, so that new columns have their defaults, entries of new indexes are there, and what new constraints forbid fails.
import type { Reply, Request } from "../../exploration/client";
import { storageOf, type Catalog, type Table } from "../catalog";
import { declaredType } from "../tableParts";
import type { ColumnDefinition, SqlDefinition } from "../definitionTree";
import type { SqlExpression, SqlInsert } from "../tree";
import { isNumeric } from "../values/types";
import { planStatement, runPlan, type StatementContext, type StatementEnd } from "./statement";
import { tablePrefix } from "./versions";

/** The values of the new definition's columns, over those of the old one; a default where nothing stands. */
export type NewValues = ReadonlyMap<string, SqlExpression>;

/** The table whose rows a definition changes, with their new values; undefined where rows stay as they are. */
export function changedRows(
  catalog: Catalog,
  definition: SqlDefinition,
): { readonly table: Table; readonly name: string; readonly values: NewValues } | undefined {
  if (definition.kind !== "alter table" && definition.kind !== "create index") return undefined;
  const table = catalog.tables.get(definition.table);
  if (table === undefined) return undefined;
  const values = new Map<string, SqlExpression>(
    table.columns.map(({ name }) => [name, { kind: "column", path: [name] }]),
  );
  if (definition.kind === "create index")
    return definition.unique ? { table, name: table.name, values } : undefined;
  let { name } = table;
  let isChanged = false;
  for (const change of definition.changes) {
    const move = (from: string, to: string): void => {
      const value = values.get(from);
      values.delete(from);
      if (value !== undefined) values.set(to, value);
    };
    switch (change.kind) {
      case "rename":
        name = change.to;
        continue;
      case "default":
      case "identity":
      case "drop identity":
      case "drop expression":
      case "next number":
      case "nothing":
        continue;
      case "drop column":
        values.delete(change.name);
        break;
      case "rename column":
        move(change.from, change.to);
        break;
      case "replace column":
        move(change.name, change.column.name);
        break;
      case "type":
        if (change.using !== undefined) values.set(change.column, change.using);
        break;
      case "add column": {
        const { name: added } = change.column;
        const usual = implicitDefault(catalog, change.column);
        if (usual !== undefined && !values.has(added)) values.set(added, usual);
        break;
      }
      case "add constraint":
      case "drop constraint":
      case "drop primary key":
      case "rename key":
      case "not null":
        break;
      default:
        change satisfies never;
    }
    isChanged = true;
  }
  return isChanged ? { table, name, values } : undefined;
}

/** The value of rows in a new column of MySQL that is NOT NULL and has no default. */
function implicitDefault(catalog: Catalog, column: ColumnDefinition): SqlExpression | undefined {
  const { notNull, default: usual, automatic, generated } = column;
  const isSaid = usual !== undefined || automatic !== undefined || generated !== undefined;
  if (catalog.dialect === "postgres" || !notNull || isSaid) return undefined;
  const { type, labels } = declaredType(catalog, column.type);
  if (isNumeric(type)) return { kind: "number", text: "0" };
  return { kind: "string", value: labels?.[0] ?? "" };
}

/** True if a table has rows. */
export function* hasRows(
  table: Table,
  waiting: StatementContext["waiting"],
): Generator<Request, boolean, Reply> {
  const prefix = tablePrefix(table);
  for (const [key, value] of waiting)
    if (value !== undefined && key.startsWith(prefix)) return true;
  const reply = yield { kind: "read", keys: [], scans: [prefix], current: true };
  return reply.kind === "values" && [...reply.values.values()].some((value) => value !== undefined);
}

/** The name of the table as it was, while its rows are written anew. */
const BEFORE = "#before";

/** Writes the rows of `before` as rows of `after`, which is in the catalogue. */
export function* rewriteRows(
  before: Table,
  after: Table,
  values: NewValues,
  context: StatementContext,
): Generator<Request, StatementEnd, Reply> {
  const columns = after.columns.filter(
    ({ name, generated }) => generated === undefined && values.has(name),
  );
  const insert: SqlInsert = {
    kind: "insert",
    with: [],
    table: after.name,
    columns: columns.map(({ name }) => name),
    overriding: "system",
    source: {
      kind: "select",
      with: [],
      body: {
        kind: "select",
        distinct: false,
        outputs: columns.map(({ name }) => ({ value: values.get(name) ?? { kind: "null" } })),
        from: [{ kind: "table", name: BEFORE, columns: [] }],
        groupBy: [],
        windows: new Map(),
      },
      orderBy: [],
      locks: [],
    },
  };
  const old: Table = { ...before, name: BEFORE, storage: storageOf(before) };
  const catalog: Catalog = {
    ...context.shared.catalog,
    tables: new Map([...context.shared.catalog.tables, [BEFORE, old]]),
    // Nothing is changed that a trigger is for.
    triggers: new Map(),
  };
  return yield* runPlan(planStatement(insert, catalog, new Map()), {
    ...context,
    shared: { ...context.shared, catalog },
  });
}
