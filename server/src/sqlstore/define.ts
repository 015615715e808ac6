// DDL put into effect: what it makes of the catalogue.
import {
  type Catalog,
  type ForeignKey,
  type Index,
  type Key,
  type Routine,
  type Table,
} from "./catalog";
import { alterTable } from "./alterTable";
import { contains } from "./compile/walk";
import { nameOfNew, partsOf } from "./schemaMap";
import { declaredSequence } from "./sequence";
import { failure, unsupported } from "./sqlError";
import { declaredType, noTable, positions, withColumn, withConstraint } from "./tableParts";
import type { ConstraintDefinition, DroppedKind, SqlDefinition } from "./definitionTree";
import type { SqlExpression } from "./tree";
import { addLabel, createDomain, dropType, renameLabel, renameType } from "./userTypes";

/** Applies a definition. Fails as the databases do, and then changes nothing. `free`: foreign keys are not looked at. */
export function applyDefinition(catalog: Catalog, given: SqlDefinition, free = false): void {
  const definition = free && catalog.dialect !== "postgres" ? withoutOrder(given) : given;
  switch (definition.kind) {
    case "create table":
      createTable(catalog, definition);
      break;
    case "alter table": {
      const renamed = renamedRelation(catalog, definition);
      if (renamed !== undefined) rename(catalog, renamed);
      else alterTable(catalog, definition);
      break;
    }
    case "create index":
      createIndex(catalog, definition);
      break;
    case "drop":
      for (const name of namesOf(catalog, definition, free)) drop(catalog, definition, name);
      break;
    case "create view":
      createView(catalog, definition);
      break;
    case "create sequence":
    case "alter sequence": {
      const { name, options, guarded, kind } = definition;
      const before = catalog.sequences.get(name);
      const isNew = kind === "create sequence";
      if (guarded && isNew === (before !== undefined)) break;
      if (isNew && (before !== undefined || catalog.tables.has(name))) throw taken(catalog, name);
      if (!isNew && before === undefined) throw noTable(catalog, name);
      catalog.sequences.set(name, declaredSequence(catalog.dialect, name, options, before));
      break;
    }
    case "rename":
      rename(catalog, definition);
      break;
    case "create routine":
      createRoutine(catalog, definition);
      break;
    case "create trigger": {
      const { replace } = definition;
      const table = catalog.tables.get(definition.trigger.table)?.name;
      const trigger = { ...definition.trigger, ...(table !== undefined && { table }) };
      const known = catalog.triggers.get(trigger.table) ?? [];
      if (!catalog.tables.has(trigger.table)) throw noTable(catalog, trigger.table);
      if (!catalog.routines.has(trigger.routine))
        throw failure("noFunction", `function ${trigger.routine}() does not exist`);
      const isThere = known.some(({ name }) => name === trigger.name);
      if (isThere && !replace) {
        throw catalog.dialect === "postgres"
          ? failure(
              "objectExists",
              `trigger "${trigger.name}" for relation "${trigger.table}" already exists`,
            )
          : failure("triggerExists", `Trigger '${trigger.name}' already exists`);
      }
      const others = known.filter(({ name }) => name !== trigger.name);
      const all = [...others, trigger];
      // PostgreSQL runs them by their names, MySQL in the order of their making.
      if (catalog.dialect === "postgres")
        all.sort((one, other) => (one.name < other.name ? -1 : 1));
      catalog.triggers.set(trigger.table, all);
      break;
    }
    case "drop trigger": {
      const { name, ifExists } = definition;
      const written = definition.table ?? tableOfTrigger(catalog, name);
      const table = catalog.tables.get(written)?.name ?? written;
      const known = catalog.triggers.get(table) ?? [];
      const rest = known.filter((each) => each.name !== name);
      if (rest.length === known.length && !ifExists)
        throw catalog.dialect === "postgres"
          ? failure("noObject", `trigger "${name}" for table "${table}" does not exist`)
          : failure("noTrigger", "Trigger does not exist");
      catalog.triggers.set(table, rest);
      break;
    }
    case "create enum":
      if (catalog.enumerations.has(definition.name) || catalog.domains.has(definition.name))
        throw failure("objectExists", `type "${definition.name}" already exists`);
      catalog.enumerations.set(definition.name, definition.labels);
      break;
    case "add label":
      addLabel(catalog, definition);
      break;
    case "rename label":
      renameLabel(catalog, definition);
      break;
    case "create domain":
      createDomain(catalog, definition);
      break;
    case "nothing":
      return;
    default:
      definition satisfies never;
  }
  catalog.version++;
}

/** A definition whose references may be to tables that come later, as dumps have them. */
function withoutOrder(definition: SqlDefinition): SqlDefinition {
  const ahead = (constraint: ConstraintDefinition): ConstraintDefinition =>
    constraint.kind === "foreign" ? { ...constraint, isAhead: true } : constraint;
  switch (definition.kind) {
    case "create table":
      return { ...definition, constraints: definition.constraints.map(ahead) };
    case "alter table":
      return {
        ...definition,
        changes: definition.changes.map((change) =>
          change.kind === "add constraint"
            ? { ...change, constraint: ahead(change.constraint) }
            : change,
        ),
      };
    default:
      return definition;
  }
}

function createTable(
  catalog: Catalog,
  definition: Extract<SqlDefinition, { readonly kind: "create table" }>,
): void {
  const { table: written, database } = definition;
  const name = nameInSchema(catalog, written);
  checkDatabase(catalog, name, database);
  if (catalog.tables.has(name) || catalog.views.has(name)) {
    if (definition.ifNotExists) return;
    throw taken(catalog, name);
  }
  const { schema = database } = partsOf(written);
  const like = definition.like === undefined ? undefined : catalog.tables.get(definition.like);
  if (definition.like !== undefined && like === undefined) throw noTable(catalog, definition.like);
  let table: Table =
    like === undefined
      ? { name, columns: [], keys: [], foreignKeys: [], checks: [] }
      : { ...like, name, columns: columnsAlike(catalog, like, name), foreignKeys: [] };
  const { schema: _schema, ...own } = table;
  table = {
    ...own,
    ...(schema !== undefined && { schema }),
    storage: unusedStorage(catalog, name),
  };
  for (const column of definition.columns) table = withColumn(catalog, table, column);
  const constraints = [
    ...definition.columns.flatMap((column) =>
      column.constraints.map((constraint) => ({ constraint, column: column.name })),
    ),
    ...definition.constraints.map((constraint) => ({ constraint, column: undefined })),
  ];
  const kept = catalog.dialect === "postgres" ? withoutRepetition(constraints) : constraints;
  for (const { constraint, column } of kept)
    table = withConstraint(catalog, table, constraint, column);
  catalog.tables.set(name, table);
}

/** The name of a table or view that is made. */
function nameInSchema(catalog: Catalog, written: string): string {
  const { tables, views, dialect } = catalog;
  if (dialect !== "postgres") return written;
  return nameOfNew(
    written,
    (name) => tables.get(name) ?? views.get(name),
    (from, to) => {
      moveToSchema(catalog, from, to);
    },
  );
}

/** MySQL's databases are apart where sessions are connected to them, not where statements name them. */
function checkDatabase({ tables }: Catalog, name: string, database: string | undefined): void {
  const other = tables.get(name)?.schema;
  if (database !== undefined && other !== undefined && other !== database)
    throw unsupported(
      `a table ${name} in the databases ${other} and ${database} of one connection; connect to each of them, which keeps its own tables`,
    );
}

/** A table or view goes by its schema from now on, with the sequences that number it. */
function moveToSchema(catalog: Catalog, from: string, to: string): void {
  const table = catalog.tables.get(from);
  if (table === undefined) {
    rename(catalog, { kind: "rename", what: "view", from, to, ifExists: true });
    return;
  }
  const changes = [{ kind: "rename", to } as const];
  alterTable(catalog, { kind: "alter table", table: from, changes, ifExists: false });
  for (const { automatic } of table.columns)
    if (automatic?.sequence.startsWith(`${from}_`) === true)
      renameSequence(catalog, automatic.sequence, automatic.sequence.replace(from, to));
}

/** The relations that go. Fails for a table to which others refer. */
function namesOf(
  catalog: Catalog,
  { what, names, cascade }: Extract<SqlDefinition, { readonly kind: "drop" }>,
  free: boolean,
): readonly string[] {
  const relations = what === "table" ? catalog.tables : what === "view" ? catalog.views : undefined;
  const own = names.map((name) => relations?.get(name)?.name ?? name);
  if (what === "table" && !cascade && !free) checkUnused(catalog, own);
  return own;
}

function createView(
  catalog: Catalog,
  { kind: _kind, replace, ...view }: Extract<SqlDefinition, { readonly kind: "create view" }>,
): void {
  const name = nameInSchema(catalog, view.name);
  if (catalog.views.has(name) && !replace)
    throw failure("tableExists", `relation "${name}" already exists`);
  const { schema } = partsOf(view.name);
  catalog.views.set(name, { ...view, name, ...(schema !== undefined && { schema }) });
}

/** A name for the keys of a new table: rows of one that was dropped stay what they are, of another table. */
export function unusedStorage({ storages }: Catalog, name: string): string {
  let storage = name;
  for (let number = 2; storages.has(storage); number++) storage = `${name}~${number}`;
  storages.add(storage);
  return storage;
}

function tableOfTrigger({ triggers }: Catalog, name: string): string {
  const found = [...triggers].find(([, all]) => all.some((each) => each.name === name));
  return found?.[0] ?? "";
}

function createRoutine(
  catalog: Catalog,
  definition: Extract<SqlDefinition, { readonly kind: "create routine" }>,
): void {
  const { name, language, replace, returns, returnsSet, isProcedure, body } = definition;
  if (language !== "plpgsql" && language !== "sql" && language !== "mysql")
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
    ...(definition.text !== undefined && { text: definition.text }),
    ...(isNothing ? {} : { returns: declaredType(catalog, returns) }),
    ...(isRow && { returnsRow: returns.name }),
  };
  const known = catalog.routines.get(name) ?? [];
  const same = known.find((other) => signatureOf(other) === signatureOf(routine));
  if (catalog.dialect !== "postgres") {
    if (known.length > 0 && !replace)
      throw failure(
        "routineExists",
        `${isProcedure ? "PROCEDURE" : "FUNCTION"} ${name} already exists`,
      );
    catalog.routines.set(name, [routine]);
    return;
  }
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
  catalog.tables.delete(table.name);
  catalog.triggers.delete(table.name);
  for (const { automatic } of table.columns)
    if (automatic !== undefined) catalog.sequences.delete(automatic.sequence);
  // MySQL's references wait for another table of that name.
  if (catalog.dialect !== "postgres") return;
  for (const [other, { foreignKeys }] of catalog.tables)
    dropReferences(catalog, other, foreignKeys, table.name);
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

interface PlacedConstraint {
  readonly constraint: ConstraintDefinition;
  /** The column that it stands behind. */
  readonly column: string | undefined;
}

/** PostgreSQL makes one key of several over the same columns, by the name that one of them has. */
function withoutRepetition(all: readonly PlacedConstraint[]): readonly PlacedConstraint[] {
  const kept: PlacedConstraint[] = [];
  for (const each of all) {
    const { constraint } = each;
    const at = kept.findIndex(
      ({ constraint: known }) =>
        known.kind === "key" &&
        constraint.kind === "key" &&
        !constraint.primary &&
        known.columns.join() === constraint.columns.join() &&
        (known.name === undefined || constraint.name === undefined),
    );
    const known = kept[at];
    if (known === undefined) kept.push(each);
    else if (constraint.name !== undefined)
      kept[at] = { ...known, constraint: { ...known.constraint, name: constraint.name } };
  }
  return kept;
}

/** Columns of CREATE TABLE ... LIKE: MySQL's are numbered by sequences of their own, PostgreSQL's by none. */
function columnsAlike(catalog: Catalog, { columns }: Table, name: string): Table["columns"] {
  return columns.map(({ automatic, ...column }) => {
    if (automatic === undefined) return column;
    if (catalog.dialect === "postgres") return column;
    const sequence = `${name}_${column.name}_seq`;
    catalog.sequences.set(sequence, declaredSequence(catalog.dialect, sequence, {}));
    return { ...column, automatic: { ...automatic, sequence } };
  });
}

function taken(catalog: Catalog, name: string): Error {
  return catalog.dialect === "postgres"
    ? failure("tableExists", `relation "${name}" already exists`)
    : failure("tableExists", `Table '${name}' already exists`);
}

function createIndex(
  catalog: Catalog,
  definition: Extract<SqlDefinition, { readonly kind: "create index" }>,
): void {
  const table = catalog.tables.get(definition.table);
  if (table === undefined) throw noTable(catalog, definition.table);
  const columns = positions(table, definition.columns, catalog);
  const { where, unique, expressions } = definition;
  const { keys, indexes = [] } = table;
  const parts = [...definition.columns];
  for (const { at, value } of expressions ?? [])
    parts.splice(at, 0, value.kind === "call" ? value.name : "expr");
  const name = definition.name ?? `${table.name}_${parts.join("_")}_idx`;
  const further = { ...(where && { where }), ...(expressions && { expressions }) };
  if ([...keys, ...indexes].some((key) => key.name === name)) {
    if (definition.ifNotExists) return;
    throw catalog.dialect === "postgres"
      ? failure("tableExists", `relation "${name}" already exists`)
      : failure("columnExists", `Duplicate key name '${name}'`);
  }
  if (!unique) {
    const index: Index = { name, columns, ...further };
    catalog.tables.set(table.name, { ...table, indexes: [...indexes, index] });
    return;
  }
  const key: Key = { name, primary: false, columns, isIndex: true, ...further };
  catalog.tables.set(table.name, { ...table, keys: [...table.keys, key] });
}

function drop(
  catalog: Catalog,
  { what, ifExists, cascade }: { what: DroppedKind; ifExists: boolean; cascade: boolean },
  name: string,
): void {
  switch (what) {
    case "table":
      dropTable(catalog, name, ifExists);
      return;
    case "view":
      if (!catalog.views.delete(name) && !ifExists) throw missing(catalog, what, name);
      return;
    case "routine":
      if (!catalog.routines.delete(name) && !ifExists)
        throw catalog.dialect === "postgres"
          ? failure("noFunction", `could not find a function named "${name}"`)
          : failure("noFunction", `PROCEDURE ${name} does not exist`, { routine: name });
      return;
    case "sequence":
      if (!catalog.sequences.delete(name) && !ifExists) throw missing(catalog, what, name);
      return;
    case "type":
    case "domain":
      dropType(catalog, name, { ifExists, cascade });
      return;
    case "index":
      if (!changeIndex(catalog, name, () => undefined) && !ifExists)
        throw failure("noObject", `index "${name}" does not exist`);
      return;
    default:
      what satisfies never;
  }
}

function missing(catalog: Catalog, what: string, name: string): Error {
  return catalog.dialect === "postgres"
    ? failure("noTable", `${what} "${name}" does not exist`)
    : failure("noSequence", `Unknown ${what.toUpperCase()}: '${name}'`);
}

/** Replaces an index, or takes it away; false where there is none. */
function changeIndex(
  catalog: Catalog,
  name: string,
  change: <I extends Index>(index: I) => I | undefined,
): boolean {
  for (const table of catalog.tables.values()) {
    const { keys, indexes = [] } = table;
    if (![...keys, ...indexes].some((each) => each.name === name)) continue;
    const changed = <I extends Index>(index: I): readonly I[] => {
      const next = index.name === name ? change(index) : index;
      return next === undefined ? [] : [next];
    };
    catalog.tables.set(table.name, {
      ...table,
      keys: keys.flatMap(changed),
      indexes: indexes.flatMap(changed),
    });
    return true;
  }
  return false;
}

function rename(catalog: Catalog, { what, from, to, ifExists }: Rename): void {
  switch (what) {
    case "view": {
      const view = catalog.views.get(from);
      if (view !== undefined) {
        catalog.views.delete(from);
        catalog.views.set(to, { ...view, name: to });
      } else if (!ifExists) throw noTable(catalog, from);
      return;
    }
    case "sequence": {
      const sequence = catalog.sequences.get(from);
      if (sequence === undefined) {
        if (!ifExists) throw noTable(catalog, from);
        return;
      }
      renameSequence(catalog, from, to);
      return;
    }
    case "index":
      if (!changeIndex(catalog, from, (index) => ({ ...index, name: to })) && !ifExists)
        throw noTable(catalog, from);
      return;
    case "type":
      renameType(catalog, from, to);
      return;
    default:
      what satisfies never;
  }
}

type Rename = Extract<SqlDefinition, { readonly kind: "rename" }>;

/** ALTER TABLE ... RENAME TO of what is no table: PostgreSQL takes the words for any relation. */
export function renamedRelation(
  catalog: Catalog,
  { table, changes, ifExists }: Extract<SqlDefinition, { readonly kind: "alter table" }>,
): Rename | undefined {
  const [change, ...others] = changes;
  if (catalog.dialect !== "postgres" || change?.kind !== "rename" || others.length > 0)
    return undefined;
  if (catalog.tables.has(table)) return undefined;
  const what = catalog.sequences.has(table)
    ? "sequence"
    : catalog.views.has(table)
      ? "view"
      : "index";
  return { kind: "rename", what, from: table, to: change.to, ifExists };
}

/** Columns that it numbers follow its name; what names it in a text of its own does not. */
function renameSequence(catalog: Catalog, from: string, to: string): void {
  const sequence = catalog.sequences.get(from);
  if (sequence === undefined) return;
  if (catalog.sequences.has(to) || catalog.tables.has(to)) throw taken(catalog, to);
  const namesIt = (part: SqlExpression): boolean => part.kind === "string" && part.value === from;
  for (const [name, table] of catalog.tables) {
    if (table.columns.some((each) => each.default !== undefined && contains(each.default, namesIt)))
      throw unsupported("a new name for a sequence that a default names");
    const columns = table.columns.map((column) =>
      column.automatic?.sequence === from
        ? { ...column, automatic: { ...column.automatic, sequence: to } }
        : column,
    );
    if (columns.some((column, at) => column !== table.columns[at]))
      catalog.tables.set(name, { ...table, columns });
  }
  catalog.sequences.delete(from);
  catalog.sequences.set(to, sequence);
}
