// ALTER TABLE: what becomes of a table, and of those that refer to it.
import { inPlace } from "../frontend/sql/dialects/columnPlace";
import {
  columnAt,
  primaryKeyOf,
  storageOf,
  type Catalog,
  type Column,
  type Index,
  type Table,
} from "./catalog";
import { contains, withColumns } from "./compile/walk";
import { declaredSequence } from "./sequence";
import { failure } from "./sqlError";
import {
  columnOf,
  declaredType,
  noTable,
  ownedSequence,
  withColumn,
  withConstraint,
} from "./tableParts";
import type { ColumnDefinition, SqlDefinition, TableChange } from "./definitionTree";
import type { SqlExpression } from "./tree";

/** True of words about a sequence or a view that change nothing: PostgreSQL takes them behind ALTER TABLE as well. */
function isUnchanged(
  { dialect, sequences, views }: Catalog,
  { table, changes }: Extract<SqlDefinition, { readonly kind: "alter table" }>,
): boolean {
  const isThere = dialect === "postgres" && (sequences.has(table) || views.has(table));
  return isThere && changes.every(({ kind }) => kind === "nothing");
}

/** Puts ALTER TABLE into effect. Rows are another matter (`run/rewrite.ts`). */
export function alterTable(
  catalog: Catalog,
  definition: Extract<SqlDefinition, { readonly kind: "alter table" }>,
): void {
  const table = catalog.tables.get(definition.table);
  if (table === undefined) {
    if (definition.ifExists || isUnchanged(catalog, definition)) return;
    throw noTable(catalog, definition.table);
  }
  let changed = table;
  for (const change of definition.changes) changed = alteredTable(catalog, changed, change);
  if (changed.name !== table.name) {
    const other = catalog.tables.get(changed.name);
    if ((other !== undefined && other !== table) || catalog.views.has(changed.name))
      throw catalog.dialect === "postgres"
        ? failure("tableExists", `relation "${changed.name}" already exists`)
        : failure("tableExists", `Table '${changed.name}' already exists`);
    catalog.tables.delete(table.name);
    const triggers = catalog.triggers.get(table.name);
    catalog.triggers.delete(table.name);
    if (triggers !== undefined)
      catalog.triggers.set(
        changed.name,
        triggers.map((each) => ({ ...each, table: changed.name })),
      );
  }
  catalog.tables.set(changed.name, changed);
  renameReferences(catalog, table, changed, definition.changes);
}

export function alteredTable(catalog: Catalog, table: Table, change: TableChange): Table {
  const replaced = (name: string, next: (column: Column) => Column): Table => {
    if (columnAt(table, name) === undefined) {
      throw failure("noColumn", `column "${name}" of relation "${table.name}" does not exist`);
    }
    return {
      ...table,
      columns: table.columns.map((column) => (column.name === name ? next(column) : column)),
    };
  };
  switch (change.kind) {
    case "add column": {
      if (change.ifNotExists && columnAt(table, change.column.name) !== undefined) return table;
      return placedColumn(
        change.column.constraints.reduce(
          (result, constraint) => withConstraint(catalog, result, constraint, change.column.name),
          withColumn(catalog, table, change.column),
        ),
        change.column,
      );
    }
    case "replace column": {
      const at = columnAt(table, change.name);
      if (at === undefined)
        throw failure("noColumn", `Unknown column '${change.name}' in '${table.name}'`);
      const rest = { ...table, columns: table.columns.filter((_, index) => index !== at) };
      const next = columnOf(catalog, rest, change.column);
      const inKey = primaryKeyOf(table)?.columns.includes(at) === true;
      const columns = table.columns.with(at, inKey ? { ...next, notNull: true } : next);
      // The keys and checks that stand behind it are new ones.
      const { constraints, name } = change.column;
      return constraints
        .filter(({ kind }) => kind !== "foreign")
        .reduce(
          (made, constraint) => withConstraint(catalog, made, constraint, name),
          placedColumn({ ...table, columns }, change.column),
        );
    }
    case "drop column": {
      const at = columnAt(table, change.name);
      if (at === undefined) {
        if (change.ifExists) return table;
        throw failure(
          "noColumn",
          `column "${change.name}" of relation "${table.name}" does not exist`,
        );
      }
      const { automatic } = table.columns[at] ?? {};
      if (automatic !== undefined) catalog.sequences.delete(automatic.sequence);
      return {
        ...table,
        columns: table.columns.filter((_, index) => index !== at),
        keys: table.keys
          .filter((key) => !key.columns.includes(at))
          .map((key) => ({
            ...key,
            columns: key.columns.map((each) => (each > at ? each - 1 : each)),
          })),
        foreignKeys: table.foreignKeys.filter((key) => !key.columns.includes(change.name)),
        indexes: (table.indexes ?? [])
          .filter((index) => !index.columns.includes(at))
          .map((index) => ({
            ...index,
            columns: index.columns.map((each) => (each > at ? each - 1 : each)),
          })),
        checks: table.checks.filter(({ condition }) => !isAbout(condition, change.name)),
      };
    }
    case "add constraint": {
      const { name } = change.constraint;
      const known = [...table.keys, ...table.foreignKeys, ...table.checks];
      if (name !== undefined && known.some((each) => each.name === name)) {
        throw failure(
          "objectExists",
          catalog.dialect === "postgres"
            ? `constraint "${name}" for relation "${table.name}" already exists`
            : `Duplicate foreign key constraint name '${name}'`,
        );
      }
      return withConstraint(catalog, table, change.constraint, undefined);
    }
    case "drop constraint": {
      const { name } = change;
      const plain = catalog.dialect === "postgres" ? [] : (table.indexes ?? []);
      const all = [...table.keys, ...table.foreignKeys, ...table.checks, ...plain];
      if (!all.some((each) => each.name === name) && !change.ifExists) {
        throw failure(
          "noObject",
          `constraint "${name}" of relation "${table.name}" does not exist`,
        );
      }
      return {
        ...table,
        keys: table.keys.filter((key) => key.name !== name),
        foreignKeys: table.foreignKeys.filter((key) => key.name !== name),
        checks: table.checks.filter((check) => check.name !== name),
        indexes: (table.indexes ?? []).filter((index) => index.name !== name),
      };
    }
    case "drop primary key":
      return { ...table, keys: table.keys.filter((key) => !key.primary) };
    case "rename":
      return { ...table, name: change.to, storage: storageOf(table) };
    case "rename column":
      return {
        ...replaced(change.from, (column) => ({ ...column, name: change.to })),
        foreignKeys: table.foreignKeys.map((key) => ({
          ...key,
          columns: key.columns.map((name) => (name === change.from ? change.to : name)),
        })),
        checks: table.checks.map((check) => ({
          ...check,
          condition: renamedColumn(check.condition, change.from, change.to),
        })),
      };
    case "default":
      return replaced(change.column, ({ default: _before, automatic, ...column }) => {
        // The numbers of a serial column are its default.
        const kept = automatic?.identity === true || catalog.dialect !== "postgres";
        return {
          ...column,
          ...(kept && automatic && { automatic }),
          ...(change.value && { default: change.value }),
        };
      });
    case "not null":
      return replaced(change.column, (column) => ({ ...column, notNull: change.notNull }));
    case "type":
      return replaced(change.column, (column) => ({
        ...column,
        declared: declaredType(catalog, change.type),
      }));
    case "identity": {
      const { column: name, automatic, sequence } = change;
      const at = columnAt(table, name);
      const column = at === undefined ? undefined : table.columns[at];
      if (column === undefined) throw noColumn(table, name);
      const known = column.automatic;
      if (known === undefined) {
        if (automatic === undefined)
          throw failure(
            "notReady",
            `column "${name}" of relation "${table.name}" is not an identity column`,
          );
        const owned = ownedSequence(
          catalog,
          table,
          { name, automatic, ...(sequence && { sequence }) },
          column.declared,
        );
        return replaced(name, (each) => ({ ...each, notNull: true, automatic: owned }));
      }
      const before = catalog.sequences.get(known.sequence);
      if (sequence !== undefined)
        catalog.sequences.set(
          known.sequence,
          declaredSequence(catalog.dialect, known.sequence, sequence, before),
        );
      return replaced(name, (each) =>
        automatic === undefined
          ? each
          : { ...each, automatic: { ...known, always: automatic === "always" } },
      );
    }
    case "drop identity": {
      const known = table.columns[columnAt(table, change.column) ?? -1]?.automatic;
      if (known === undefined && !change.ifExists)
        throw failure(
          "notReady",
          `column "${change.column}" of relation "${table.name}" is not an identity column`,
        );
      if (known !== undefined) catalog.sequences.delete(known.sequence);
      return replaced(change.column, ({ automatic: _before, ...column }) => column);
    }
    case "drop expression":
      return replaced(change.column, ({ generated: _before, ...column }) => column);
    case "rename key": {
      const { from, to } = change;
      const all = [...table.keys, ...table.foreignKeys, ...table.checks, ...(table.indexes ?? [])];
      if (!all.some((each) => each.name === from))
        throw failure(
          "noObject",
          catalog.dialect === "postgres"
            ? `constraint "${from}" for table "${table.name}" does not exist`
            : `Key '${from}' doesn't exist in table '${table.name}'`,
        );
      const named = <T extends { readonly name: string }>(each: T): T =>
        each.name === from ? { ...each, name: to } : each;
      return {
        ...table,
        keys: table.keys.map(named),
        foreignKeys: table.foreignKeys.map(named),
        checks: table.checks.map(named),
        indexes: (table.indexes ?? []).map(named),
      };
    }
    case "next number":
    case "nothing":
      return table;
    default:
      return change satisfies never;
  }
}

/** The table with a column where FIRST or AFTER puts it. */
function placedColumn(table: Table, { name, place }: ColumnDefinition): Table {
  if (place === undefined) return table;
  if (place.after !== undefined && columnAt(table, place.after) === undefined)
    throw failure("noColumn", `Unknown column '${place.after}' in '${table.name}'`);
  const columns = inPlace(table.columns, name, place);
  const moved = <I extends Index>(index: I): I => ({
    ...index,
    columns: index.columns.map((at) => columns.findIndex((each) => each === table.columns[at])),
  });
  return {
    ...table,
    columns,
    keys: table.keys.map(moved),
    ...(table.indexes && { indexes: table.indexes.map(moved) }),
  };
}

function noColumn(table: Table, name: string): Error {
  return failure("noColumn", `column "${name}" of relation "${table.name}" does not exist`);
}

function isAbout(condition: SqlExpression, column: string): boolean {
  return contains(condition, (part) => part.kind === "column" && part.path.at(-1) === column);
}

/** An expression over a table whose column has another name now. */
function renamedColumn(condition: SqlExpression, from: string, to: string): SqlExpression {
  return withColumns(condition, (path) => (path.at(-1) === from ? path.with(-1, to) : path));
}

/** References to a table follow its name and those of its columns. */
function renameReferences(
  catalog: Catalog,
  before: Table,
  after: Table,
  changes: readonly TableChange[],
): void {
  const names = new Map(
    changes.flatMap((change) =>
      change.kind === "rename column"
        ? [[change.from, change.to] as const]
        : change.kind === "replace column"
          ? [[change.name, change.column.name] as const]
          : [],
    ),
  );
  if (before.name === after.name && names.size === 0) return;
  for (const [name, table] of catalog.tables) {
    if (!table.foreignKeys.some((key) => key.table === before.name)) continue;
    const foreignKeys = table.foreignKeys.map((key) =>
      key.table === before.name
        ? {
            ...key,
            table: after.name,
            referenced: key.referenced.map((each) => names.get(each) ?? each),
          }
        : key,
    );
    catalog.tables.set(name, { ...table, foreignKeys });
  }
}
