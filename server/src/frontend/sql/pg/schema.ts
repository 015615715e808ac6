// DDL by PostgreSQL's own grammar: the tables and views that a list of definitions leaves behind.
import type {
  AlterTableCmd,
  ColumnDef,
  Constraint,
  CreateStmt,
  IndexStmt,
  Node,
  RangeVar,
  SelectStmt,
} from "libpg-query";
import type { Expression, ValueType } from "../../../program/expression";
import type { Note } from "../../../program/program";
import type { Column, ForeignKey, Table, UniqueKey } from "../../../program/schema";
import type { Query } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import {
  declarationContext,
  sourceIn,
  sourceOf,
  type LoweringContext,
  type SqlPiece,
} from "../lowering";
import { withColumnNames } from "../terms";
import { itemsOf, kindOf, lastName, stringsOf, tableName, typeText } from "./ast";
import type { PgParser } from "./pgParser";
import { lowerExpression, lowerQuery } from "./recursion";
import { sourceOfRelation, type Scope } from "./scope";
import { startWork } from "./statement";
import {
  defineTrigger,
  dropTrigger,
  dropTriggersOf,
  moveTriggers,
  renameTrigger,
  switchTriggers,
  type Trigger,
  type Triggers,
} from "./triggerDefinitions";
import { isSerial, valueTypeOf } from "./valueType";
import { withLosses } from "./viewLosses";
import { changesNothing, hasNoMeaning } from "./withoutMeaning";

export interface PgSchemaReading {
  readonly tables: readonly Table[];
  readonly triggers?: readonly Trigger[];
  readonly notes: readonly Note[];
  /** What definitions say beyond the tables, notes or not: a default that is not known, an option that is not looked at. */
  readonly losses: readonly DefinitionLoss[];
  /** The query of the view of that name, over the given tables. */
  readonly view: (name: string, table: (name: string) => Table | undefined) => Query | undefined;
}

export interface DefinitionLoss {
  readonly message: string;
  /** The whole definition. */
  readonly source: SourceRange;
}

interface View {
  readonly select: SelectStmt;
  readonly columns: readonly string[];
  readonly piece: SqlPiece;
}

interface State {
  readonly tables: Map<string, Table>;
  readonly views: Map<string, View>;
  /** Types of the user's own: enumerations are text, domains what they are based on. */
  readonly types: Map<string, ValueType>;
  readonly triggers: Triggers;
  readonly notes: Note[];
  readonly losses: DefinitionLoss[];
  /** Names of primary keys and checks, by the very object: the AR keeps none. */
  readonly names: WeakMap<object, string>;
  piece: SqlPiece;
}

/** The tables that the definitions leave, replayed in order. Never fails: what cannot be read is noted. */
export function readPgSchema(pieces: readonly SqlPiece[], parser: PgParser): PgSchemaReading {
  const [first] = pieces;
  if (first === undefined) return { tables: [], notes: [], losses: [], view: () => undefined };
  const state: State = {
    tables: new Map(),
    views: new Map(),
    types: new Map(),
    triggers: new Map(),
    notes: [],
    losses: [],
    names: new WeakMap(),
    piece: first,
  };
  for (const piece of pieces) {
    if (!DEFINITION.test(piece.sql)) continue;
    state.piece = piece;
    const parsed = parser.parse(piece.sql);
    if (!parsed.ok) {
      const source = sourceIn(piece, parsed.offset, parsed.offset + 1);
      const message = `PostgreSQL cannot read this definition: ${parsed.message}.`;
      state.notes.push({ severity: "error", code: "syntax", message, source });
      continue;
    }
    for (const { node } of parsed.statements) replay(node, state);
  }
  const { tables, views, triggers, notes, losses } = state;
  return {
    tables: [...tables.values()],
    triggers: [...triggers.values()],
    notes,
    losses,
    view: (name, table) => viewQuery(name, views, table, []),
  };
}

/** Data and statements of other kinds are not parsed: a dump may hold megabytes of them. */
const DEFINITION = /^\s*(--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*(create|alter|drop)\b/i;

function replay(node: Node, state: State): void {
  if ("CreateStmt" in node) createTable(node.CreateStmt, state);
  else if ("AlterTableStmt" in node) {
    const { relation, cmds = [], objtype } = node.AlterTableStmt;
    if (objtype !== "OBJECT_TABLE") return;
    for (const each of cmds) {
      const { subtype = "", name = "" } = "AlterTableCmd" in each ? each.AlterTableCmd : {};
      switchTriggers(tableName(relation), subtype, name, state.triggers);
    }
    change(state, relation, (table) =>
      cmds.reduce<Table>(
        (result, each) =>
          "AlterTableCmd" in each ? altered(result, each.AlterTableCmd, state) : result,
        table,
      ),
    );
  } else if ("IndexStmt" in node) uniqueIndex(node.IndexStmt, state);
  else if ("DropStmt" in node) drop(node.DropStmt.removeType, node.DropStmt.objects ?? [], state);
  else if ("RenameStmt" in node) {
    const { renameType, relation, subname = "", newname = "" } = node.RenameStmt;
    rename(renameType, relation, subname, newname, state);
  } else if ("ViewStmt" in node) {
    const { view, query, aliases } = node.ViewStmt;
    if (query !== undefined && "SelectStmt" in query) {
      const { piece } = state;
      state.views.set(tableName(view), {
        select: query.SelectStmt,
        columns: stringsOf(aliases),
        piece,
      });
    }
  } else if ("CreateTableAsStmt" in node) {
    const name = tableName(node.CreateTableAsStmt.into?.rel);
    say(state, `${name} is filled by a query when it is created, so its columns are not known.`);
  } else if ("CreateEnumStmt" in node) {
    state.types.set(lastName(node.CreateEnumStmt.typeName).toLowerCase(), "text");
  } else if ("CreateDomainStmt" in node) {
    const { domainname, typeName, constraints } = node.CreateDomainStmt;
    state.types.set(lastName(domainname).toLowerCase(), typeOf(typeText(typeName), state));
    if ((constraints ?? []).length > 0) lost(state, "the conditions of a domain");
  } else if ("CreateTrigStmt" in node) {
    defineTrigger(node.CreateTrigStmt, state.piece, state.triggers);
  } else if ("RuleStmt" in node) {
    say(state, `The rule ${node.RuleStmt.rulename ?? ""} is not analysed.`, "rule");
  } else if ("CreatePolicyStmt" in node) {
    const { policy_name: name = "", table } = node.CreatePolicyStmt;
    say(state, `The policy ${name} on ${tableName(table)} is not analysed: all rows are seen.`);
  } else if (!hasNoMeaning(node)) lost(state, kindOf(node));
}

function say(state: State, message: string, code = "not-analysed"): void {
  const source = sourceOf(state.piece);
  state.notes.push({ severity: "information", code, message, source });
}

/** What a definition says that tables do not keep, without a note: nothing that is checked rests on it. */
function lost(state: State, what: string): void {
  state.losses.push({ message: what, source: sourceOf(state.piece) });
}

function change(
  state: State,
  relation: RangeVar | undefined,
  update: (table: Table) => Table,
): void {
  const table = state.tables.get(tableName(relation));
  if (table !== undefined) state.tables.set(table.name, update(table));
}

function createTable(statement: CreateStmt, state: State): void {
  const name = tableName(statement.relation);
  if (name === "") return;
  if (state.tables.has(name)) {
    if (statement.if_not_exists === true || statement.partbound !== undefined) return;
    say(state, `${name} is defined a second time; the first definition is taken.`);
    return;
  }
  if (statement.partbound !== undefined) {
    say(state, `${name} is a partition, which is analysed as a table of its own.`);
  }
  let table: Table = {
    name,
    columns: [],
    primaryKey: [],
    uniqueKeys: [],
    foreignKeys: [],
    checks: [],
    source: sourceOf(state.piece),
    inferred: false,
  };
  for (const parent of statement.inhRelations ?? []) {
    if (!("RangeVar" in parent)) continue;
    const inherited = state.tables.get(tableName(parent.RangeVar));
    if (statement.partbound === undefined) {
      say(state, `${name} inherits from ${tableName(parent.RangeVar)}; their rows are kept apart.`);
    }
    table = { ...table, columns: [...table.columns, ...(inherited?.columns ?? [])] };
    if (statement.partbound !== undefined && inherited !== undefined) {
      table = { ...table, primaryKey: inherited.primaryKey, uniqueKeys: inherited.uniqueKeys };
    }
  }
  const elements = statement.tableElts ?? [];
  for (const element of elements) {
    if ("ColumnDef" in element) table = withColumn(table, element.ColumnDef, state);
    if ("TableLikeClause" in element) {
      const like = state.tables.get(tableName(element.TableLikeClause.relation));
      const copied = (like?.columns ?? []).filter(
        (column) => !table.columns.some((each) => each.name === column.name),
      );
      const all = ((element.TableLikeClause.options ?? 0) & LIKE_INDEXES) !== 0;
      table = { ...table, columns: [...table.columns, ...copied] };
      if (all && like !== undefined) {
        table = { ...table, primaryKey: like.primaryKey, uniqueKeys: like.uniqueKeys };
      }
    }
  }
  // Conditions over columns that stand after them are read when all columns are known.
  for (const element of elements) {
    if ("ColumnDef" in element) {
      table = withColumnConstraints(table, element.ColumnDef, state);
    }
    if ("Constraint" in element) table = withConstraint(table, element.Constraint, [], state);
  }
  for (const constraint of statement.constraints ?? []) {
    if ("Constraint" in constraint) table = withConstraint(table, constraint.Constraint, [], state);
  }
  state.tables.set(name, table);
}

/** CREATE TABLE (LIKE t INCLUDING INDEXES), as PostgreSQL numbers it. */
const LIKE_INDEXES = 1 << 6;

function typeOf(name: string, state: State): ValueType {
  return state.types.get(name) ?? valueTypeOf(name);
}

function withColumn(table: Table, definition: ColumnDef, state: State): Table {
  const { colname: name = "", typeName } = definition;
  if (table.columns.some((column) => column.name === name)) return table;
  const type = typeText(typeName);
  const constraints = constraintsOf(definition);
  const has = (kind: Constraint["contype"]): boolean =>
    constraints.some((constraint) => constraint.contype === kind);
  const isKey = has("CONSTR_PRIMARY");
  const value = defaultOf(table, definition, constraints, type, state);
  const column: Column = {
    name,
    type: typeOf(type, state),
    nullable: !isKey && !has("CONSTR_NOTNULL") && !has("CONSTR_IDENTITY") && !isSerial(type),
    ...(value === undefined ? {} : { default: value }),
  };
  return { ...table, columns: [...table.columns, column] };
}

function constraintsOf(definition: ColumnDef): readonly Constraint[] {
  return (definition.constraints ?? []).flatMap((node) =>
    "Constraint" in node ? [node.Constraint] : [],
  );
}

function defaultOf(
  table: Table,
  definition: ColumnDef,
  constraints: readonly Constraint[],
  type: string,
  state: State,
): Expression | undefined {
  const isNumbered = constraints.some(({ contype }) => contype === "CONSTR_IDENTITY");
  if (isNumbered || isSerial(type)) {
    return { kind: "fresh", id: "default", type: "int", why: "sequence" };
  }
  const generated = constraints.find(({ contype }) => contype === "CONSTR_GENERATED");
  if (generated !== undefined) {
    const why = `the generated column ${definition.colname ?? ""}`;
    lost(state, "a generated column");
    return {
      kind: "unknown",
      id: `${table.name}.${definition.colname ?? ""}`,
      type: "other",
      dependsOn: [],
      why,
    };
  }
  const given = constraints.find(({ contype }) => contype === "CONSTR_DEFAULT")?.raw_expr;
  return given === undefined ? undefined : condition(given, table, state);
}

function withColumnConstraints(table: Table, definition: ColumnDef, state: State): Table {
  const columns = [definition.colname ?? ""];
  return constraintsOf(definition).reduce<Table>(
    (result, constraint) => withConstraint(result, constraint, columns, state),
    table,
  );
}

/** `own` are the columns of a constraint that stands at its column. */
function withConstraint(
  table: Table,
  constraint: Constraint,
  own: readonly string[],
  state: State,
): Table {
  const keys = stringsOf(constraint.keys);
  const columns = keys.length > 0 ? keys : own;
  const named = constraint.conname === undefined ? {} : { name: constraint.conname };
  switch (constraint.contype) {
    case "CONSTR_PRIMARY": {
      if (columns.length === 0) {
        // ADD CONSTRAINT ... PRIMARY KEY USING INDEX
        const index = table.uniqueKeys.find((key) => key.name === constraint.indexname);
        return index === undefined ? table : withPrimaryKey(table, index.columns);
      }
      if (constraint.conname !== undefined) state.names.set(columns, constraint.conname);
      return withPrimaryKey(table, columns);
    }
    case "CONSTR_UNIQUE":
      if (columns.length === 0) return table;
      return { ...table, uniqueKeys: [...table.uniqueKeys, { columns, ...named }] };
    case "CONSTR_FOREIGN": {
      const attributes = stringsOf(constraint.fk_attrs);
      const target = tableName(constraint.pktable);
      const referenced = stringsOf(constraint.pk_attrs);
      const key: ForeignKey = {
        columns: attributes.length > 0 ? attributes : own,
        table: target,
        referenced:
          referenced.length > 0
            ? referenced
            : ((target === table.name ? table : state.tables.get(target))?.primaryKey ?? []),
        ...named,
        ...onDelete(constraint.fk_del_action),
      };
      return { ...table, foreignKeys: [...table.foreignKeys, key] };
    }
    case "CONSTR_CHECK": {
      if (constraint.raw_expr === undefined) return table;
      const check = condition(constraint.raw_expr, table, state);
      const usual = [table.name, ...own.slice(0, 1), "check"].join("_");
      state.names.set(check, constraint.conname ?? usual);
      return { ...table, checks: [...table.checks, check] };
    }
    case "CONSTR_NOTNULL":
      return withNullable(table, columns, false);
    case "CONSTR_EXCLUSION":
      say(
        state,
        `The exclusion constraint ${constraint.conname ?? ""} on ${table.name} is not analysed.`,
      );
      return table;
    default:
      return table;
  }
}

function withPrimaryKey(table: Table, columns: readonly string[]): Table {
  return withNullable({ ...table, primaryKey: columns }, columns, false);
}

function withNullable(table: Table, names: readonly string[], nullable: boolean): Table {
  const columns = table.columns.map((column) =>
    names.includes(column.name) ? { ...column, nullable } : column,
  );
  return { ...table, columns };
}

function altered(table: Table, command: AlterTableCmd, state: State): Table {
  const { subtype, name = "", def } = command;
  switch (subtype) {
    case "AT_AddColumn":
      if (def === undefined || !("ColumnDef" in def)) return table;
      return withColumnConstraints(withColumn(table, def.ColumnDef, state), def.ColumnDef, state);
    case "AT_DropColumn":
      return withoutColumn(table, name);
    case "AT_AddConstraint":
      if (def === undefined || !("Constraint" in def)) return table;
      return withConstraint(table, def.Constraint, [], state);
    case "AT_DropConstraint":
      return withoutConstraint(table, name, state);
    case "AT_SetNotNull":
      return withNullable(table, [name], false);
    case "AT_DropNotNull":
      return withNullable(table, [name], true);
    case "AT_AddIdentity":
      return withDefault(table, name, {
        kind: "fresh",
        id: "default",
        type: "int",
        why: "sequence",
      });
    case "AT_ColumnDefault":
      return withDefault(table, name, def === undefined ? undefined : condition(def, table, state));
    case "AT_AlterColumnType": {
      if (def === undefined || !("ColumnDef" in def)) return table;
      const type = typeOf(typeText(def.ColumnDef.typeName), state);
      const columns = table.columns.map((each) => (each.name === name ? { ...each, type } : each));
      return { ...table, columns };
    }
    case "AT_DropIdentity":
      return withDefault(table, name, undefined);
    default:
      if (!changesNothing(command)) lost(state, `a change of a table: ${subtype ?? "unknown"}`);
      return table;
  }
}

function withDefault(table: Table, name: string, value: Expression | undefined): Table {
  const columns = table.columns.map((column): Column => {
    if (column.name !== name) return column;
    const { default: _before, ...rest } = column;
    return value === undefined ? rest : { ...rest, default: value };
  });
  return { ...table, columns };
}

function withoutColumn(table: Table, name: string): Table {
  return {
    ...table,
    columns: table.columns.filter((column) => column.name !== name),
    primaryKey: table.primaryKey.includes(name) ? [] : table.primaryKey,
    uniqueKeys: table.uniqueKeys.filter((key) => !key.columns.includes(name)),
    foreignKeys: table.foreignKeys.filter((key) => !key.columns.includes(name)),
    checks: table.checks.filter((check) => !JSON.stringify(check).includes(`"column":"${name}"`)),
  };
}

/** Constraints without a name have those that PostgreSQL gives them. */
function withoutConstraint(table: Table, name: string, { names }: State): Table {
  const usual = (columns: readonly string[], end: string): string =>
    [table.name, ...columns, end].join("_");
  const isNamed = (key: UniqueKey | ForeignKey, end: string): boolean =>
    (key.name ?? usual(key.columns, end)) === name;
  const isKey = (names.get(table.primaryKey) ?? `${table.name}_pkey`) === name;
  return {
    ...table,
    primaryKey: isKey ? [] : table.primaryKey,
    uniqueKeys: table.uniqueKeys.filter((key) => !isNamed(key, "key")),
    foreignKeys: table.foreignKeys.filter((key) => !isNamed(key, "fkey")),
    checks: table.checks.filter((check) => names.get(check) !== name),
  };
}

function uniqueIndex(index: IndexStmt, state: State): void {
  if (index.unique !== true) return;
  const columns = (index.indexParams ?? []).map((node) =>
    "IndexElem" in node ? node.IndexElem.name : undefined,
  );
  const name = index.idxname;
  if (columns.includes(undefined)) {
    say(state, `The unique index ${name ?? ""} on an expression is not analysed.`);
    return;
  }
  change(state, index.relation, (table) => {
    const key: UniqueKey = {
      columns: columns.flatMap((column) => column ?? []),
      ...(name === undefined ? {} : { name }),
      ...(index.whereClause === undefined
        ? {}
        : { where: condition(index.whereClause, table, state) }),
    };
    return { ...table, uniqueKeys: [...table.uniqueKeys, key] };
  });
}

function drop(type: string | undefined, objects: readonly Node[], state: State): void {
  for (const object of objects) {
    const path = stringsOf(itemsOf(object));
    const name = path.at(-1) ?? "";
    if (type === "OBJECT_TRIGGER") dropTrigger(path, state.triggers);
    if (type === "OBJECT_TABLE") {
      state.tables.delete(name);
      dropTriggersOf(name, state.triggers);
    }
    if (type === "OBJECT_VIEW") state.views.delete(name);
    if (type === "OBJECT_INDEX") {
      for (const table of state.tables.values()) {
        const uniqueKeys = table.uniqueKeys.filter((key) => key.name !== name);
        if (uniqueKeys.length < table.uniqueKeys.length) {
          state.tables.set(table.name, { ...table, uniqueKeys });
        }
      }
    }
  }
}

function rename(
  type: string | undefined,
  relation: RangeVar | undefined,
  from: string,
  to: string,
  state: State,
): void {
  if (type === "OBJECT_TRIGGER") renameTrigger(tableName(relation), from, to, state.triggers);
  const table = state.tables.get(tableName(relation));
  if (table === undefined) return;
  if (type === "OBJECT_TABLE") {
    moveTriggers(table.name, to, state.triggers);
    state.tables.delete(table.name);
    state.tables.set(to, renamed({ ...table, name: to }, "relation", table.name, to));
  } else if (type === "OBJECT_COLUMN") {
    const swap = (columns: readonly string[]): readonly string[] =>
      columns.map((column) => (column === from ? to : column));
    const columns = table.columns.map((each) =>
      each.name === from ? { ...each, name: to } : each,
    );
    state.tables.set(table.name, {
      ...table,
      columns,
      primaryKey: swap(table.primaryKey),
      uniqueKeys: table.uniqueKeys.map((key) => ({ ...key, columns: swap(key.columns) })),
      foreignKeys: table.foreignKeys.map((key) => ({ ...key, columns: swap(key.columns) })),
      checks: renamed(table.checks, "column", from, to),
    });
  } else if (type === "OBJECT_TABCONSTRAINT") {
    const uniqueKeys = table.uniqueKeys.map((key) =>
      key.name === from ? { ...key, name: to } : key,
    );
    state.tables.set(table.name, { ...table, uniqueKeys });
  }
}

/** A copy in which that property is renamed wherever it has that value. */
function renamed<Part>(part: Part, property: string, from: string, to: string): Part {
  if (Array.isArray(part)) {
    // A mapped array of the same elements has the type of the array.
    return part.map((each: unknown) => renamed(each, property, from, to)) as Part;
  }
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([key, value]: [string, unknown]) => {
    return [
      key,
      key === property && value === from ? to : renamed(value, property, from, to),
    ] as const;
  });
  // The same properties with values of the same types.
  return Object.fromEntries(entries) as Part;
}

/** An expression over the columns of a table. */
function condition(node: Node, table: Table, state: State): Expression {
  const work = startWork(
    declarationContext(state.piece, table.name, (name) =>
      name === table.name ? table : undefined,
    ),
  );
  const relation = { alias: table.name, table: table.name, kind: "base", join: "inner" } as const;
  const scope: Scope = { sources: [sourceOfRelation(relation, work)] };
  const value = lowerExpression(node, scope, work);
  for (const { reason } of work.taint) lost(state, reason);
  return value;
}

/** A view's query; views on views are followed, a view on itself is not. */
function viewQuery(
  name: string,
  views: ReadonlyMap<string, View>,
  table: (name: string) => Table | undefined,
  inside: readonly string[],
): Query | undefined {
  const view = views.get(name);
  if (view === undefined || inside.includes(name)) return undefined;
  const context: LoweringContext = {
    ...declarationContext(view.piece, name, table),
    view: (inner) => viewQuery(inner, views, table, [...inside, name]),
  };
  const work = startWork(context);
  const query = lowerQuery(view.select, undefined, work);
  return withLosses(withColumnNames(query, view.columns), work.taint);
}

/** PostgreSQL's letters for ON DELETE: c cascades, n and d set the columns; the others refuse. */
function onDelete(action: string | undefined): Pick<ForeignKey, "onDelete"> {
  if (action === "c") return { onDelete: "cascade" };
  return action === "n" || action === "d" ? { onDelete: "set" } : {};
}
