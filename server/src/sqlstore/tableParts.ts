// Parts of a table as definitions declare them: columns, keys, references, checks, and the names that they get.
import {
  columnAt,
  ownType,
  primaryKeyOf,
  type Catalog,
  type Check,
  type Column,
  type ForeignKey,
  type Index,
  type Key,
  type Table,
} from "./catalog";
import { contains } from "./compile/walk";
import { partsOf, shownName } from "./schemaMap";
import { declaredSequence, type SequenceType } from "./sequence";
import { failure, unsupported } from "./sqlError";
import type { ColumnDefinition, ConstraintDefinition } from "./definitionTree";
import type { SqlExpression } from "./tree";
import {
  mysqlType,
  postgresType,
  type DeclaredType,
  type SqlType,
  type TypeName,
} from "./values/types";

/** The error for a reference to a table that there is not. */
function noParentTable(catalog: Catalog, name: string, parent: string): Error {
  switch (catalog.dialect) {
    case "postgres":
      return noTable(catalog, parent);
    case "mysql":
      return failure("noParentTable", `Failed to open the referenced table '${parent}'`);
    default:
      return failure(
        "badReference",
        `Can't create table \`${name}\` (errno: 150 "Foreign key constraint is incorrectly formed")`,
      );
  }
}

export function noTable(catalog: Catalog, name: string): Error {
  return catalog.dialect === "postgres"
    ? failure("noTable", `relation "${shownName(name)}" does not exist`)
    : failure("noTable", `Table '${name}' doesn't exist`, { table: name });
}

/** The type of a column; labels of MySQL's enumerations stand behind its name. */
export function declaredType(catalog: Catalog, type: TypeName): DeclaredType {
  if (catalog.dialect === "postgres")
    return postgresType(type, (own) => ownType(catalog, own) ?? rowType(catalog, own));
  return mysqlType(type, type.labels);
}

/** The type of the rows of a table. */
function rowType({ tables }: Catalog, name: string): DeclaredType | undefined {
  return tables.has(name) ? { type: "record", row: name } : undefined;
}

export function columnOf(catalog: Catalog, table: Table, definition: ColumnDefinition): Column {
  const { name, automatic } = definition;
  if (columnAt(table, name) !== undefined) {
    throw catalog.dialect === "postgres"
      ? failure("columnExists", `column "${name}" of relation "${table.name}" already exists`)
      : failure("columnExists", `Duplicate column name '${name}'`);
  }
  const declared = definition.declared ?? declaredType(catalog, definition.type);
  if (declared.row !== undefined) throw unsupported(`a column of rows of ${declared.row}`);
  const usual =
    definition.default ??
    (declared.domain === undefined ? undefined : catalog.domains.get(declared.domain)?.default);
  return {
    name,
    declared,
    notNull: definition.notNull,
    ...(usual === undefined ? {} : { default: usual }),
    ...(automatic === undefined
      ? {}
      : { automatic: ownedSequence(catalog, table, definition, declared) }),
    ...(definition.generated === undefined ? {} : { generated: definition.generated }),
    ...(definition.onUpdate === undefined ? {} : { onUpdate: definition.onUpdate }),
  };
}

/** The sequence that numbers a column, made where there is none yet. */
export function ownedSequence(
  catalog: Catalog,
  table: Table,
  {
    name,
    automatic,
    sequence: options = {},
  }: Pick<ColumnDefinition, "name" | "automatic" | "sequence">,
  { type: columnType }: DeclaredType,
): NonNullable<Column["automatic"]> {
  const sequence = `${table.name}_${name}_seq`;
  const type = SEQUENCE_TYPES.get(columnType);
  const all = catalog.dialect === "postgres" && type !== undefined ? { type, ...options } : options;
  if (!catalog.sequences.has(sequence) || Object.keys(options).length > 0)
    catalog.sequences.set(sequence, declaredSequence(catalog.dialect, sequence, all));
  return { sequence, always: automatic === "always", identity: automatic !== "serial" };
}

const SEQUENCE_TYPES: ReadonlyMap<SqlType, SequenceType> = new Map([
  ["int2", "smallint"],
  ["int4", "integer"],
]);

export function withColumn(catalog: Catalog, table: Table, definition: ColumnDefinition): Table {
  return { ...table, columns: [...table.columns, columnOf(catalog, table, definition)] };
}

export function positions(
  table: Table,
  names: readonly string[],
  catalog: Catalog,
): readonly number[] {
  return names.map((name) => {
    const at = columnAt(table, name);
    if (at !== undefined) return at;
    throw catalog.dialect === "postgres"
      ? failure("noColumn", `column "${name}" named in key does not exist`)
      : failure("noColumn", `Key column '${name}' doesn't exist in table`);
  });
}

/** `column`: where the constraint stands behind one. */
export function withConstraint(
  catalog: Catalog,
  table: Table,
  constraint: ConstraintDefinition,
  column: string | undefined,
): Table {
  switch (constraint.kind) {
    case "key": {
      const { primary, columns, where } = constraint;
      const at = positions(table, columns, catalog);
      if (primary && primaryKeyOf(table) !== undefined) {
        throw failure(
          "badArgument",
          `multiple primary keys for table "${table.name}" are not allowed`,
        );
      }
      const key: Key = {
        name: constraint.name ?? keyName(catalog, table, primary, columns),
        primary,
        columns: at,
        ...(where === undefined ? {} : { where }),
      };
      const all = primary
        ? table.columns.map((each, index) =>
            at.includes(index) ? { ...each, notNull: true } : each,
          )
        : table.columns;
      return {
        ...table,
        columns: all,
        keys: primary ? [key, ...table.keys] : [...table.keys, key],
      };
    }
    case "index": {
      const { columns, name = columns[0] ?? "" } = constraint;
      const index: Index = { name, columns: positions(table, columns, catalog) };
      return { ...table, indexes: [...(table.indexes ?? []), index] };
    }
    case "foreign": {
      const { columns, referenced, onDelete, onUpdate } = constraint;
      const parent = referredTable(catalog, table, constraint.table);
      positions(table, columns, catalog);
      const isThere = parent === table.name || catalog.tables.has(parent);
      if (!isThere && constraint.isAhead !== true) throw noParentTable(catalog, table.name, parent);
      const usual =
        catalog.dialect === "postgres"
          ? `${table.name}_${columns.join("_")}_fkey`
          : `${table.name}_ibfk_${table.foreignKeys.length + 1}`;
      const key: ForeignKey = {
        name: constraint.name ?? unusedName(table, usual),
        columns,
        table: parent,
        referenced,
        onDelete,
        onUpdate,
        ...(constraint.deferrable && { deferrable: constraint.deferrable }),
      };
      const made = { ...table, foreignKeys: [...table.foreignKeys, key] };
      const index = constraint.name ?? unusedName(made, columns[0] ?? "", "_", 2);
      return catalog.dialect === "postgres" ? made : withIndexFor(made, columns, index, catalog);
    }
    case "check": {
      const check: Check = {
        name: constraint.name ?? checkName(catalog, table, constraint.condition, column),
        condition: constraint.condition,
      };
      return { ...table, checks: [...table.checks, check] };
    }
    default:
      return constraint satisfies never;
  }
}

/** InnoDB has an index for each reference, and makes one where none begins with its columns. */
function withIndexFor(
  table: Table,
  columns: readonly string[],
  name: string,
  catalog: Catalog,
): Table {
  const at = positions(table, columns, catalog);
  const { keys, indexes = [] } = table;
  const isThere = [...keys, ...indexes].some((each) =>
    at.every((column, place) => each.columns[place] === column),
  );
  return isThere ? table : { ...table, indexes: [...indexes, { name, columns: at }] };
}

function keyName(
  catalog: Catalog,
  table: Table,
  primary: boolean,
  columns: readonly string[],
): string {
  if (catalog.dialect !== "postgres") {
    return primary ? "PRIMARY" : unusedName(table, columns[0] ?? "", "_", 2);
  }
  return primary
    ? `${table.name}_pkey`
    : unusedName(table, `${table.name}_${columns.join("_")}_key`);
}

/** A name that nothing of the table has: with a number behind it where there is one of that name already. */
function unusedName(table: Table, name: string, separator = "", first = 1): string {
  const all = [...table.keys, ...table.foreignKeys, ...table.checks, ...(table.indexes ?? [])];
  const used = new Set(all.map((each) => each.name));
  let unused = name;
  for (let number = first; used.has(unused); number++) unused = `${name}${separator}${number}`;
  return unused;
}

function checkName(
  catalog: Catalog,
  table: Table,
  condition: SqlExpression,
  column: string | undefined,
): string {
  if (catalog.dialect === "mysql") return `${table.name}_chk_${table.checks.length + 1}`;
  if (catalog.dialect !== "postgres") {
    if (column !== undefined) return `${table.name}.${column}`;
    return `CONSTRAINT_${table.checks.filter((each) => each.name.startsWith("CONSTRAINT_")).length + 1}`;
  }
  const names = new Set<string>();
  contains(condition, (part) => {
    if (part.kind === "column") names.add(part.path.at(-1) ?? "");
    return false;
  });
  const [only] = names;
  return unusedName(
    table,
    names.size === 1 && only !== undefined ? `${table.name}_${only}_check` : `${table.name}_check`,
  );
}

/** The name of the table that a foreign key names, which may be its own. */
function referredTable({ tables }: Catalog, own: Table, written: string): string {
  const { name, schema } = partsOf(written);
  const isOwn = own.schema === schema && (own.name === name || own.name === shownName(written));
  return isOwn ? own.name : (tables.get(written)?.name ?? written);
}
