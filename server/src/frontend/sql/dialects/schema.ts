// The tables and views after DDL of MySQL, MariaDB, SQL Server and SQLite, replayed in order.
import { asColumnValue } from "../byteLiterals";
import type { Dialect } from "../../../program/dialect";
import type { Expression, Query, Relation } from "../../../program/expression";
import type { Note } from "../../../program/program";
import { renameInTable } from "../../../program/renameTables";
import type { Column, Doubt, Table, UniqueKey } from "../../../program/schema";
import { takesOf } from "../../../program/takes";
import {
  declarationContext,
  sourceIn,
  sourceOf,
  type LoweringContext,
  type SqlPiece,
} from "../lowering";
import {
  homeOf,
  nameOfNew,
  nameSpaceOf,
  plainName,
  qualifiedName,
  relationName,
  viewKey,
  viewNamed,
  withReferences,
  type NamedTables,
  type WrittenName,
} from "../relationNames";
import { columnsOf, type Scope } from "../nsp/scope";
import type { PgSchemaReading } from "../pg/schema/schema";
import { currentSchemaAt } from "../text/currentSchema";
import { firstSpelling } from "../text/spelling";
import { withColumnNames } from "../terms";
import { lowerCondition, lowerValue } from "./lowerExpression";
import { expressions, lowerQuery } from "./lowerQuery";
import { readDefinition } from "./parseDefinition";
import { inPlace } from "./columnPlace";
import { withDoubt, withOption } from "./engines";
import { collationAfter, type TableOption, type TextCollation } from "./parseOptions";
import { parseWhole } from "./parseStatement";
import { columnType } from "./types";
import { startWork, type Expressions } from "./work";
import type { ColumnDefinition, ConstraintDefinition, Definition, TableChange } from "./definition";

type View = Extract<Definition, { readonly kind: "view" }> & { readonly piece: SqlPiece };

interface State {
  readonly dialect: Dialect;
  readonly tables: Map<string, Table>;
  /** Names that tables of several schemas have, none of them the default one. */
  readonly shared: Set<string>;
  readonly views: Map<string, View>;
  readonly notes: Note[];
  /** Effects on tables of foreign keys, which may be declared before them. */
  readonly cascades: {
    readonly target: string;
    readonly reason: string;
    readonly touching: Doubt["touching"];
  }[];
  /** The text comparison of tables and of `table.column`. */
  readonly collations: Map<string, TextCollation>;
  piece: SqlPiece;
}

/** Reads DDL; unreadable parts are noted at their place. Linear in the text. */
export function readDialectSchema(pieces: readonly SqlPiece[], dialect: Dialect): PgSchemaReading {
  const [first] = pieces;
  if (first === undefined) return { tables: [], notes: [], losses: [], view: () => undefined };
  const state: State = {
    dialect,
    tables: new Map(),
    shared: new Set(),
    views: new Map(),
    notes: [],
    cascades: [],
    collations: new Map(),
    piece: first,
  };
  const spelling = firstSpelling();
  for (const piece of pieces) {
    state.piece = piece;
    const names = nameSpaceOf({ piece, table: (name) => state.tables.get(name) }, dialect);
    const nameOf = (written: WrittenName): string => relationName(written, names);
    const result = parseWhole({ text: piece.sql, dialect, spelling, nameOf }, readDefinition);
    if (result.ok) replay(result.tree, state);
    else noteUnread(state, result.message, result.offset);
  }
  return {
    tables: withReferences(
      [...state.tables.values()].map((each) => withCascades(each, state)),
      dialect,
    ),
    notes: state.notes,
    losses: [],
    view: (name, table) => viewQuery(state, name, table),
  };
}

/** The table with what foreign keys of others do where it changes. */
function withCascades(table: Table, { cascades, dialect }: State): Table {
  const names = [table.name, qualifiedName(homeOf(table, dialect), plainName(table))];
  return cascades
    .filter(({ target }) => names.includes(target))
    .reduce((result, { reason, touching }) => withDoubt(result, reason, touching), table);
}

function noteUnread(state: State, message: string, offset: number): void {
  state.notes.push({
    severity: "warning",
    code: "ddl",
    message: `This definition cannot be read: ${message}.`,
    source: sourceIn(state.piece, offset, offset + 1),
  });
}

function replay(definition: Definition, state: State): void {
  const { tables } = state;
  switch (definition.kind) {
    case "create":
      createTable(definition, state);
      return;
    case "alter":
      for (const change of definition.changes) alter(definition.table, change, state);
      return;
    case "index":
      if (!definition.unique) return;
      update(state, definition.table, (table) => {
        const { columns, name, where } = definition;
        const condition =
          where === undefined ? {} : { where: lowerCondition(where, over(table, state)) };
        return withUnique(table, { columns, name, ...condition });
      });
      return;
    case "drop":
      for (const name of definition.tables) tables.delete(name);
      return;
    case "drop key":
      for (const table of [...tables.values()]) {
        if (definition.table !== undefined && definition.table !== table.name) continue;
        tables.set(table.name, withoutKey(table, definition.name));
      }
      return;
    case "drop schema":
      for (const table of [...tables.values()])
        if (homeOf(table, state.dialect) === definition.schema) tables.delete(table.name);
      return;
    case "renames":
      for (const { from, to } of definition.pairs) moveTable(state, from, to);
      return;
    case "view": {
      const named = inCurrent(definition, state);
      nameOfNew(named, renaming(state), state.dialect);
      state.views.set(viewKey(named, state.dialect), { ...named, piece: state.piece });
      return;
    }
    case "nothing":
      return;
    default:
      definition satisfies never;
  }
}

function update(state: State, name: string, change: (table: Table) => Table): void {
  const table = state.tables.get(name);
  if (table !== undefined) state.tables.set(name, change(table));
}

/** A new name, of the schema that it or the session names. */
function inCurrent<Named extends WrittenName>(
  { schema, ...rest }: Named,
  { piece }: State,
): Omit<Named, "schema"> & WrittenName {
  const own = schema ?? currentSchemaAt(piece.lines, piece.start);
  return { ...rest, ...(own !== undefined && { schema: own }) };
}

function renaming(state: State): NamedTables {
  const { tables, views, shared } = state;
  return {
    known: (name) => tables.get(name) ?? views.get(name),
    shared,
    rename: (from, to) => {
      renameTable(state, from, to);
    },
  };
}

/** A table gets another name, in the schema that this names or the session is in. */
function moveTable(state: State, from: string, to: WrittenName): void {
  const table = state.tables.get(from);
  if (table === undefined) return;
  const { known, ...rest } = renaming(state);
  const { name, schema } = inCurrent(to, state);
  const others: NamedTables["known"] = (each) => (each === from ? undefined : known(each));
  const own = nameOfNew({ name, schema }, { known: others, ...rest }, state.dialect);
  renameTable(state, from, own);
  const { schema: _before, ...moved } = state.tables.get(own) ?? table;
  state.tables.set(own, { ...moved, ...(schema !== undefined && { schema }) });
}

function renameTable(state: State, from: string, to: string): void {
  const table = state.tables.get(from);
  if (table === undefined) return;
  state.tables.delete(from);
  for (const [at, each] of state.cascades.entries())
    if (each.target === from) state.cascades[at] = { ...each, target: to };
  state.tables.set(
    to,
    renameInTable(table, (name) => (name === from ? to : name)),
  );
  for (const [name, other] of state.tables) {
    const foreignKeys = other.foreignKeys.map((key) =>
      key.table === from ? { ...key, table: to } : key,
    );
    state.tables.set(name, { ...other, foreignKeys });
  }
}

function createTable(
  definition: Extract<Definition, { readonly kind: "create" }>,
  state: State,
): void {
  const { table: written, like } = definition;
  const { name: _name, ...place } = inCurrent({ ...definition, name: written }, state);
  const name = nameOfNew({ name: written, schema: place.schema }, renaming(state), state.dialect);
  for (const { message, offset } of definition.unread) noteUnread(state, message, offset);
  if (state.tables.has(name)) return;
  const model = like === undefined ? undefined : state.tables.get(like);
  let table: Table = {
    name,
    ...(place.schema !== undefined && { schema: place.schema }),
    columns: model?.columns ?? [],
    primaryKey: model?.primaryKey ?? [],
    uniqueKeys: model?.uniqueKeys ?? [],
    foreignKeys: [],
    checks: [],
    ...(model?.doubts && { doubts: model.doubts }),
    ...(model?.hasNoTransactions && { hasNoTransactions: true }),
    source: sourceOf(state.piece),
    inferred: false,
  };
  if (like !== undefined && model === undefined) return;
  for (const column of definition.columns) table = withColumn(table, column, state);
  if (definition.query !== undefined) table = withQuery(table, definition.query, state);
  for (const column of definition.columns) {
    for (const constraint of column.constraints) table = withConstraint(table, constraint, state);
  }
  for (const constraint of definition.constraints) table = withConstraint(table, constraint, state);
  for (const option of definition.options) table = withTableOption(table, option, state);
  if (definition.unread.length > 0)
    table = withDoubt(table, `a part of the definition of ${name}, which cannot be read`);
  state.tables.set(name, table);
}

/** The table after an option; columns without their own collation inherit the table's. */
function withTableOption(table: Table, option: TableOption, state: State): Table {
  const { collations } = state;
  const before = collations.get(table.name);
  const after = collationAfter(before, option);
  if (after === before || after === undefined) return withOption(table, option);
  collations.set(table.name, after);
  const columns = table.columns.map((column) =>
    collations.has(`${table.name}.${column.name}`) ? column : comparedBy(column, after),
  );
  return { ...table, columns };
}

function comparedBy({ isBytewise: _, ...column }: Column, collation: TextCollation): Column {
  return column.type === "text" && collation === "bytes" ? { ...column, isBytewise: true } : column;
}

/** CREATE TABLE ... AS SELECT: the query's columns follow. */
function withQuery(
  table: Table,
  query: NonNullable<Extract<Definition, { readonly kind: "create" }>["query"]>,
  state: State,
): Table {
  const { work } = over(table, state, (name) => state.tables.get(name));
  const lowered = lowerQuery(query, undefined, work);
  const known = new Set(table.columns.map(({ name }) => name));
  const added = lowered.outputs
    .filter(({ name }) => !known.has(name))
    .map(({ name, value }): Column => {
      const relation =
        value.kind === "column"
          ? lowered.relations.find(({ alias }) => alias === value.relation)
          : undefined;
      const origin = state.tables.get(relation?.table ?? "");
      const column = value.kind === "column" ? value.column : "";
      const type = origin?.columns.find((each) => each.name === column)?.type ?? "int";
      return { name, type, nullable: true };
    });
  return { ...table, columns: [...table.columns, ...added] };
}

function withColumn(table: Table, definition: ColumnDefinition, state: State): Table {
  const { name } = definition;
  const value = defaultOf(definition, table, state);
  const takes = takesOf(definition.type, definition);
  const column: Column = {
    name,
    type: columnType(definition.type, state.dialect),
    nullable: definition.nullable && !definition.automatic,
    ...(takes && { takes }),
    ...(value === undefined ? {} : { default: value }),
    ...(definition.generated && value !== undefined ? { generated: value } : {}),
  };
  const { collation } = definition;
  if (collation !== undefined) state.collations.set(`${table.name}.${name}`, collation);
  const compared = comparedBy(column, collation ?? state.collations.get(table.name) ?? "letters");
  const columns = [...table.columns.filter((each) => each.name !== name), compared];
  const others = withoutSign(table, name);
  // Numbers that the database gives out need no check.
  return definition.unsigned === true && !definition.automatic
    ? { ...others, columns, checks: [...others.checks, atLeastZero(table, name)] }
    : { ...others, columns };
}

/** MySQL refuses a negative number in an UNSIGNED column. */
function atLeastZero({ name }: Table, column: string): Expression {
  const left: Expression = { kind: "column", relation: name, column };
  return {
    kind: "comparison",
    operator: ">=",
    left,
    right: { kind: "literal", value: 0, type: "int" },
  };
}

function withoutSign(table: Table, column: string): Table {
  const own = JSON.stringify(atLeastZero(table, column));
  return { ...table, checks: table.checks.filter((each) => JSON.stringify(each) !== own) };
}

function defaultOf(
  { automatic, generated, default: value, name, type }: ColumnDefinition,
  table: Table,
  state: State,
): Expression | undefined {
  if (automatic) return { kind: "fresh", id: "default", type: "int", why: "sequence" };
  if (generated) {
    const why = `${name} is computed from other columns`;
    return { kind: "unknown", id: `${table.name}.${name}`, type: "other", dependsOn: [], why };
  }
  return value === undefined
    ? undefined
    : numeric(
        asColumnValue(lowerValue(value, over(table, state)), columnType(type, state.dialect)),
        type,
        state,
      );
}

/** DEFAULT '0' of a numeric column is a number. */
function numeric(value: Expression, type: string, { dialect }: State): Expression {
  const to = columnType(type, dialect);
  if (value.kind !== "literal" || typeof value.value !== "string") return value;
  const number = Number(value.value);
  const isNumber =
    (to === "int" || to === "decimal") && value.value.trim() !== "" && Number.isFinite(number);
  return isNumber ? { kind: "literal", value: number, type: to } : value;
}

function withConstraint(table: Table, constraint: ConstraintDefinition, state: State): Table {
  switch (constraint.kind) {
    case "index":
      return table;
    case "primary": {
      const { columns: primaryKey } = constraint;
      const columns = table.columns.map((column) =>
        primaryKey.includes(column.name) ? { ...column, nullable: false } : column,
      );
      return { ...table, primaryKey, columns };
    }
    case "unique": {
      const { columns, name } = constraint;
      return withUnique(table, name === undefined ? { columns } : { columns, name });
    }
    case "foreign": {
      const { columns, onDelete } = constraint;
      const target = targetOf(constraint.table, table, state);
      const referenced =
        constraint.referenced.length > 0
          ? constraint.referenced
          : (state.tables.get(target)?.primaryKey ?? columns);
      const key = {
        columns,
        table: target,
        referenced,
        ...(onDelete === undefined || onDelete === "none" ? {} : { onDelete }),
      };
      const keyed = { ...table, foreignKeys: [...table.foreignKeys, key] };
      if (constraint.onUpdate === undefined) return keyed;
      const reason = `an UPDATE of ${target} also changes ${table.name} by its foreign key`;
      const touching = { columns: referenced, deletions: false };
      if (target === table.name) return withDoubt(keyed, reason, touching);
      state.cascades.push({ target, reason, touching });
      return keyed;
    }
    case "check": {
      const condition = lowerCondition(constraint.condition, over(table, state));
      return { ...table, checks: [...table.checks, condition] };
    }
    default:
      return constraint satisfies never;
  }
}

/** The table that a foreign key names, which may be its own. */
function targetOf(target: string, table: Table, { dialect }: State): string {
  const own = qualifiedName(homeOf(table, dialect), plainName(table));
  return target === own ? table.name : target;
}

function withUnique(table: Table, key: UniqueKey): Table {
  const same = (other: UniqueKey): boolean =>
    other.where === undefined &&
    key.where === undefined &&
    other.columns.join() === key.columns.join();
  const others = table.uniqueKeys.filter((each) => !same(each));
  return { ...table, uniqueKeys: [...others, key] };
}

function withoutKey(table: Table, name: string): Table {
  return { ...table, uniqueKeys: table.uniqueKeys.filter((key) => key.name !== name) };
}

function alter(name: string, change: TableChange, state: State): void {
  update(state, name, (table) => altered(table, change, state));
  if (change.kind === "rename") moveTable(state, name, change.to);
}

function altered(table: Table, change: TableChange, state: State): Table {
  switch (change.kind) {
    case "column": {
      const { column, replaces } = change;
      const at = table.columns.findIndex((each) => each.name === replaces);
      const others = table.columns.filter((each) => each.name !== replaces);
      let result = withColumn({ ...table, columns: others }, column, state);
      const added = result.columns.at(-1);
      if (at >= 0 && added !== undefined) {
        const inKey = table.primaryKey.includes(replaces ?? "");
        const own = inKey ? { ...added, nullable: false } : added;
        result = { ...result, columns: [...others.slice(0, at), own, ...others.slice(at)] };
        if (replaces !== column.name) result = renamedColumn(result, replaces ?? "", column.name);
      }
      result = { ...result, columns: inPlace(result.columns, column.name, column.place) };
      for (const each of column.constraints) result = withConstraint(result, each, state);
      return result;
    }
    case "constraint":
      return withConstraint(table, change.constraint, state);
    case "drop column":
      return {
        ...withoutSign(table, change.name),
        columns: table.columns.filter((column) => column.name !== change.name),
      };
    case "drop key":
      return withoutKey(table, change.name);
    case "drop primary key":
      return { ...table, primaryKey: [] };
    case "rename column":
      return renamedColumn(table, change.from, change.to);
    case "default": {
      const columns = table.columns.map((column): Column => {
        if (column.name !== change.column) return column;
        const { default: _before, ...rest } = column;
        if (change.value === undefined) return rest;
        return { ...rest, default: lowerValue(change.value, over(table, state)) };
      });
      return { ...table, columns };
    }
    case "option":
      return withTableOption(table, change.option, state);
    case "rename":
    case "nothing":
      return table;
    default:
      return change satisfies never;
  }
}

function renamedColumn(table: Table, from: string, to: string): Table {
  const rename = (name: string): string => (name === from ? to : name);
  return {
    ...table,
    columns: table.columns.map((column) => ({ ...column, name: rename(column.name) })),
    primaryKey: table.primaryKey.map(rename),
    uniqueKeys: table.uniqueKeys.map((key) => ({ ...key, columns: key.columns.map(rename) })),
    foreignKeys: table.foreignKeys.map((key) => ({ ...key, columns: key.columns.map(rename) })),
  };
}

/** A function that lowers expressions over the table's columns. */
function over(
  table: Table,
  { piece, dialect }: State,
  others: (name: string) => Table | undefined = () => undefined,
): Expressions {
  const context = declarationContext(piece, table.name, (name) => others(name) ?? table);
  const work = startWork(context, dialect);
  const relation: Relation = { alias: table.name, table: table.name, kind: "base", join: "inner" };
  const scope: Scope = { sources: [{ relation, columns: columnsOf(relation, work) }] };
  return expressions(scope, work);
}

/** Nesting limit of views, which may name each other. */
const DEEPEST_VIEW = 20;

function viewQuery(
  state: State,
  name: string,
  table: LoweringContext["table"],
  depth = 0,
): Query | undefined {
  const view = viewNamed(name, state.views, { table, dialect: state.dialect });
  if (view === undefined || depth > DEEPEST_VIEW) return undefined;
  const context: LoweringContext = {
    ...declarationContext(view.piece, name, table),
    view: (inner) => viewQuery(state, inner, table, depth + 1),
  };
  const query = lowerQuery(view.query, undefined, startWork(context, state.dialect));
  return withColumnNames(query, view.columns);
}
