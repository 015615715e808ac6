// DDL put into effect: what it makes of the catalogue.
import {
  columnAt,
  primaryKeyOf,
  storageOf,
  type Catalog,
  type Check,
  type Column,
  type ForeignKey,
  type Index,
  type Key,
  type Routine,
  type Table,
} from "./catalog";
import { contains } from "./compile/walk";
import { failure, unsupported } from "./sqlError";
import type {
  ColumnDefinition,
  ConstraintDefinition,
  SqlDefinition,
  SqlExpression,
  TableChange,
  TypeName,
} from "./tree";
import { mysqlType, postgresType, type DeclaredType } from "./values/types";

/** Applies a definition. Fails as the databases do, and then changes nothing. `free`: foreign keys are not looked at. */
export function applyDefinition(catalog: Catalog, definition: SqlDefinition, free = false): void {
  switch (definition.kind) {
    case "create table":
      createTable(catalog, definition);
      break;
    case "alter table": {
      const table = catalog.tables.get(definition.table);
      if (table === undefined) {
        if (definition.ifExists) return;
        throw noTable(catalog, definition.table);
      }
      let changed = table;
      for (const change of definition.changes) changed = alteredTable(catalog, changed, change);
      catalog.tables.delete(table.name);
      catalog.tables.set(changed.name, changed);
      if (changed.name !== table.name) renameReferences(catalog, table.name, changed.name);
      break;
    }
    case "create index":
      createIndex(catalog, definition);
      break;
    case "drop":
      if (definition.what === "table" && !definition.cascade && !free)
        checkUnused(catalog, definition.names);
      for (const name of definition.names)
        drop(catalog, definition.what, name, definition.ifExists);
      break;
    case "create view":
      if (catalog.views.has(definition.name) && !definition.replace) {
        throw failure("tableExists", `relation "${definition.name}" already exists`);
      }
      catalog.views.set(definition.name, definition);
      break;
    case "create sequence":
      catalog.sequences.set(definition.name, definition.start);
      break;
    case "create routine":
      createRoutine(catalog, definition);
      break;
    case "create trigger": {
      const { trigger, replace } = definition;
      const known = catalog.triggers.get(trigger.table) ?? [];
      if (!catalog.tables.has(trigger.table)) throw noTable(catalog, trigger.table);
      if (!catalog.routines.has(trigger.routine))
        throw failure("noFunction", `function ${trigger.routine}() does not exist`);
      const isThere = known.some(({ name }) => name === trigger.name);
      if (isThere && !replace) {
        throw failure(
          "objectExists",
          `trigger "${trigger.name}" for relation "${trigger.table}" already exists`,
        );
      }
      const others = known.filter(({ name }) => name !== trigger.name);
      const all = [...others, trigger].sort((one, other) => (one.name < other.name ? -1 : 1));
      catalog.triggers.set(trigger.table, all);
      break;
    }
    case "drop trigger": {
      const known = catalog.triggers.get(definition.table) ?? [];
      const rest = known.filter(({ name }) => name !== definition.name);
      if (rest.length === known.length && !definition.ifExists)
        throw failure(
          "noObject",
          `trigger "${definition.name}" for table "${definition.table}" does not exist`,
        );
      catalog.triggers.set(definition.table, rest);
      break;
    }
    case "create enum":
      if (catalog.enumerations.has(definition.name))
        throw failure("objectExists", `type "${definition.name}" already exists`);
      catalog.enumerations.set(definition.name, definition.labels);
      break;
    case "nothing":
      return;
    default:
      definition satisfies never;
  }
  catalog.version++;
}

function noTable(catalog: Catalog, name: string): Error {
  return catalog.dialect === "postgres"
    ? failure("noTable", `relation "${name}" does not exist`)
    : failure("noTable", `Table '${name}' doesn't exist`);
}

function createTable(
  catalog: Catalog,
  definition: Extract<SqlDefinition, { readonly kind: "create table" }>,
): void {
  const { table: name } = definition;
  if (catalog.tables.has(name) || catalog.views.has(name)) {
    if (definition.ifNotExists) return;
    throw catalog.dialect === "postgres"
      ? failure("tableExists", `relation "${name}" already exists`)
      : failure("tableExists", `Table '${name}' already exists`);
  }
  const like = definition.like === undefined ? undefined : catalog.tables.get(definition.like);
  if (definition.like !== undefined && like === undefined) throw noTable(catalog, definition.like);
  let table: Table =
    like === undefined
      ? { name, columns: [], keys: [], foreignKeys: [], checks: [] }
      : { ...like, name, foreignKeys: [] };
  table = { ...table, storage: unusedStorage(catalog, name) };
  for (const column of definition.columns) table = withColumn(catalog, table, column);
  const constraints = [
    ...definition.columns.flatMap((column) =>
      column.constraints.map((constraint) => ({ constraint, column: column.name })),
    ),
    ...definition.constraints.map((constraint) => ({ constraint, column: undefined })),
  ];
  for (const { constraint, column } of constraints)
    table = withConstraint(catalog, table, constraint, column);
  catalog.tables.set(name, table);
}

/** A name for the keys of a new table: rows of one that was dropped stay what they are, of another table. */
function unusedStorage({ storages }: Catalog, name: string): string {
  let storage = name;
  for (let number = 2; storages.has(storage); number++) storage = `${name}~${number}`;
  storages.add(storage);
  return storage;
}

function createRoutine(
  catalog: Catalog,
  definition: Extract<SqlDefinition, { readonly kind: "create routine" }>,
): void {
  const { name, language, replace, returns, returnsSet, isProcedure, body } = definition;
  if (language !== "plpgsql" && language !== "sql")
    throw unsupported(`a function in the language ${language}`);
  const parameters = definition.parameters.map(({ type, ...rest }) => ({
    ...rest,
    declared: declaredType(catalog, type),
  }));
  const isTrigger = returns?.name === "trigger";
  const isRow = returns !== undefined && catalog.tables.has(returns.name);
  const isNothing =
    returns === undefined || isTrigger || isRow || /^(void|record)$/.test(returns.name);
  const routine: Routine = {
    name,
    language,
    isProcedure,
    parameters,
    returnsSet,
    isTrigger,
    body,
    ...(isNothing ? {} : { returns: declaredType(catalog, returns) }),
    ...(isRow && { returnsRow: returns.name }),
  };
  const known = catalog.routines.get(name) ?? [];
  const same = known.find((other) => signatureOf(other) === signatureOf(routine));
  if (same !== undefined && !replace)
    throw failure("routineExists", `function "${name}" already exists with same argument types`);
  catalog.routines.set(name, [...known.filter((other) => other !== same), routine]);
}

function signatureOf({ parameters }: Routine): string {
  return parameters
    .filter(({ mode }) => mode === "in" || mode === "inout")
    .map(({ declared }) => declared.type)
    .join();
}

/** Tables to which others refer stay unless these go as well. */
function checkUnused(catalog: Catalog, names: readonly string[]): void {
  for (const child of catalog.tables.values()) {
    if (names.includes(child.name)) continue;
    const key = child.foreignKeys.find(({ table }) => names.includes(table));
    if (key === undefined) continue;
    const { name, table } = key;
    switch (catalog.dialect) {
      case "postgres":
        throw failure(
          "dependent",
          `cannot drop table ${table} because other objects depend on it`,
          {
            detail: `constraint ${name} on table ${child.name} depends on table ${table}`,
          },
        );
      case "mysql":
        throw failure(
          "dependent",
          `Cannot drop table '${table}' referenced by a foreign key constraint '${name}' on table '${child.name}'.`,
        );
      default:
        throw failure(
          "hasChildren",
          "Cannot delete or update a parent row: a foreign key constraint fails",
        );
    }
  }
}

function dropTable(catalog: Catalog, name: string, ifExists: boolean): void {
  const table = catalog.tables.get(name);
  if (table === undefined) {
    if (ifExists) return;
    throw noTable(catalog, name);
  }
  catalog.tables.delete(name);
  catalog.triggers.delete(name);
  for (const { automatic } of table.columns)
    if (automatic !== undefined) catalog.sequences.delete(automatic.sequence);
  for (const [other, { foreignKeys }] of catalog.tables)
    dropReferences(catalog, other, foreignKeys, name);
}

/** DROP TABLE ... CASCADE: references to the table go with it. */
function dropReferences(
  catalog: Catalog,
  name: string,
  foreignKeys: readonly ForeignKey[],
  dropped: string,
): void {
  const kept = foreignKeys.filter((key) => key.table !== dropped);
  const table = catalog.tables.get(name);
  if (table !== undefined && kept.length < foreignKeys.length)
    catalog.tables.set(name, { ...table, foreignKeys: kept });
}

/** The type of a column; labels of MySQL's enumerations stand behind its name. */
function declaredType(catalog: Catalog, type: TypeName): DeclaredType {
  if (catalog.dialect === "postgres")
    return postgresType(type, (own) => catalog.enumerations.get(own));
  return mysqlType(type, type.labels);
}

function columnOf(catalog: Catalog, table: Table, definition: ColumnDefinition): Column {
  const { name, automatic } = definition;
  if (columnAt(table, name) !== undefined) {
    throw catalog.dialect === "postgres"
      ? failure("columnExists", `column "${name}" of relation "${table.name}" already exists`)
      : failure("columnExists", `Duplicate column name '${name}'`);
  }
  const sequence = `${table.name}_${name}_seq`;
  if (automatic !== undefined && !catalog.sequences.has(sequence))
    catalog.sequences.set(sequence, 1);
  return {
    name,
    declared: definition.declared ?? declaredType(catalog, definition.type),
    notNull: definition.notNull,
    ...(definition.default === undefined ? {} : { default: definition.default }),
    ...(automatic === undefined
      ? {}
      : {
          automatic: {
            sequence,
            always: automatic === "always",
            identity: automatic !== "serial",
          },
        }),
    ...(definition.generated === undefined ? {} : { generated: definition.generated }),
    ...(definition.onUpdate === undefined ? {} : { onUpdate: definition.onUpdate }),
  };
}

function withColumn(catalog: Catalog, table: Table, definition: ColumnDefinition): Table {
  return { ...table, columns: [...table.columns, columnOf(catalog, table, definition)] };
}

function positions(table: Table, names: readonly string[], catalog: Catalog): readonly number[] {
  return names.map((name) => {
    const at = columnAt(table, name);
    if (at !== undefined) return at;
    throw catalog.dialect === "postgres"
      ? failure("noColumn", `column "${name}" named in key does not exist`)
      : failure("noColumn", `Key column '${name}' doesn't exist in table`);
  });
}

/** `column`: where the constraint stands behind one. */
function withConstraint(
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
      const { columns, table: parent, referenced, onDelete, onUpdate } = constraint;
      positions(table, columns, catalog);
      if (parent !== table.name && !catalog.tables.has(parent)) throw noTable(catalog, parent);
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
      };
      return { ...table, foreignKeys: [...table.foreignKeys, key] };
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

function keyName(
  catalog: Catalog,
  table: Table,
  primary: boolean,
  columns: readonly string[],
): string {
  if (catalog.dialect !== "postgres") {
    return primary ? "PRIMARY" : unusedName(table, columns[0] ?? "", "_2");
  }
  return primary
    ? `${table.name}_pkey`
    : unusedName(table, `${table.name}_${columns.join("_")}_key`);
}

function unusedName(table: Table, name: string, suffix = "1"): string {
  const used = [...table.keys, ...table.foreignKeys, ...table.checks].map((each) => each.name);
  return used.includes(name) ? `${name}${suffix}` : name;
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

function alteredTable(catalog: Catalog, table: Table, change: TableChange): Table {
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
      return change.column.constraints.reduce(
        (result, constraint) => withConstraint(catalog, result, constraint, change.column.name),
        withColumn(catalog, table, change.column),
      );
    }
    case "replace column": {
      const at = columnAt(table, change.name);
      if (at === undefined)
        throw failure("noColumn", `Unknown column '${change.name}' in '${table.name}'`);
      const rest = { ...table, columns: table.columns.filter((_, index) => index !== at) };
      const next = columnOf(catalog, rest, change.column);
      const inKey = primaryKeyOf(table)?.columns.includes(at) === true;
      return {
        ...table,
        columns: table.columns.with(at, inKey ? { ...next, notNull: true } : next),
      };
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
      if (primaryKeyOf(table)?.columns.includes(at) === true)
        throw unsupported("dropping a column of the primary key");
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
      const all = [...table.keys, ...table.foreignKeys, ...table.checks];
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
      };
    case "default":
      return replaced(change.column, ({ default: _before, ...column }) =>
        change.value === undefined ? column : { ...column, default: change.value },
      );
    case "not null":
      return replaced(change.column, (column) => ({ ...column, notNull: change.notNull }));
    case "type":
      return replaced(change.column, (column) => ({
        ...column,
        declared: declaredType(catalog, change.type),
      }));
    case "nothing":
      return table;
    default:
      return change satisfies never;
  }
}

function renameReferences(catalog: Catalog, from: string, to: string): void {
  for (const [name, table] of catalog.tables) {
    if (!table.foreignKeys.some((key) => key.table === from)) continue;
    const foreignKeys = table.foreignKeys.map((key) =>
      key.table === from ? { ...key, table: to } : key,
    );
    catalog.tables.set(name, { ...table, foreignKeys });
  }
}

function createIndex(
  catalog: Catalog,
  definition: Extract<SqlDefinition, { readonly kind: "create index" }>,
): void {
  const table = catalog.tables.get(definition.table);
  if (table === undefined) throw noTable(catalog, definition.table);
  const columns = positions(table, definition.columns, catalog);
  const { where, unique } = definition;
  const { keys, indexes = [] } = table;
  const name = definition.name ?? `${table.name}_${definition.columns.join("_")}_idx`;
  if ([...keys, ...indexes].some((key) => key.name === name)) {
    if (definition.ifNotExists) return;
    throw catalog.dialect === "postgres"
      ? failure("tableExists", `relation "${name}" already exists`)
      : failure("columnExists", `Duplicate key name '${name}'`);
  }
  if (!unique) {
    const index: Index = { name, columns, ...(where === undefined ? {} : { where }) };
    catalog.tables.set(table.name, { ...table, indexes: [...indexes, index] });
    return;
  }
  const key: Key = { name, primary: false, columns, ...(where === undefined ? {} : { where }) };
  catalog.tables.set(table.name, { ...table, keys: [...table.keys, key] });
}

function drop(
  catalog: Catalog,
  what: "table" | "view" | "index" | "sequence" | "type" | "routine",
  name: string,
  ifExists: boolean,
): void {
  switch (what) {
    case "table":
      dropTable(catalog, name, ifExists);
      return;
    case "view":
      if (!catalog.views.delete(name) && !ifExists) throw noTable(catalog, name);
      return;
    case "routine":
      if (!catalog.routines.delete(name) && !ifExists)
        throw failure("noFunction", `could not find a function named "${name}"`);
      return;
    case "sequence":
      catalog.sequences.delete(name);
      return;
    case "type":
      catalog.enumerations.delete(name);
      return;
    case "index":
      for (const table of catalog.tables.values()) {
        const keys = table.keys.filter((key) => key.name !== name);
        const indexes = table.indexes?.filter((index) => index.name !== name) ?? [];
        const isThere =
          keys.length < table.keys.length || indexes.length < (table.indexes?.length ?? 0);
        if (isThere) catalog.tables.set(table.name, { ...table, keys, indexes });
      }
      return;
    default:
      what satisfies never;
  }
}
