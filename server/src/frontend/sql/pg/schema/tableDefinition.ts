// CREATE TABLE: columns, keys and conditions.
import type {
  ColumnDef,
  ColumnRef,
  Constraint,
  CreateStmt,
  IndexStmt,
  Node,
  TableLikeClause,
} from "libpg-query";
import type { Expression } from "../../../../program/expression";
import {
  emptyTable,
  type Column,
  type Doubt,
  type ForeignKey,
  type Table,
  type UniqueKey,
} from "../../../../program/schema";
import { sourceOf } from "../../lowering";
import { itemsOf, lastName, stringsOf, tableName, typeText } from "../ast";
import { isSameDefinition } from "../../relationNames";
import { withRelationNames } from "../relationNames";
import { unfollowedInDefinition, unvalidated } from "../definitionTree";
import { isSerial, isWide } from "../valueType";
import { nameOfDefined } from "./renameTable";
import { isLooseText } from "./collations";
import { defaultOfType, withChecksOfType } from "./domains";
import { takesOfType } from "./enumerations";
import { condition, nameSpace, recordLoss, say, typeOf, type State } from "./schemaState";

export function createTable(written: CreateStmt, state: State): void {
  if (tableName(written.relation) === "") return;
  const schema = written.relation?.schemaname ?? state.schema;
  const name = nameOfDefined({ name: tableName(written.relation), schema }, state);
  const empty = {
    ...emptyTable(name, sourceOf(state.piece)),
    ...(schema !== undefined && { schema }),
  };
  const statement = withRelationNames(written, {
    ...nameSpace(state),
    table: (each) => (each === name ? empty : state.tables.get(each)),
  });
  const known = state.tables.get(name);
  if (known !== undefined && (statement.if_not_exists ?? statement.partbound) !== undefined) return;
  if (statement.partbound !== undefined) {
    say(state, `${name} is a partition, which is analysed as a table of its own.`);
  }
  let table: Table = empty;
  for (const parent of statement.inhRelations ?? []) {
    if (!("RangeVar" in parent)) continue;
    const inherited = state.tables.get(tableName(parent.RangeVar));
    table = withParent(table, tableName(parent.RangeVar));
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
      table = withLike(table, element.TableLikeClause, state);
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
  table = withUnfollowed(table, unfollowedInDefinition("CreateStmt", statement));
  for (const { reason } of table.doubts ?? []) recordLoss(state, reason);
  if (known === undefined) state.tables.set(name, table);
  else if (!isSameDefinition(known, table))
    say(state, `${name} is defined a second time; the first definition is taken.`);
}

/** Parts that INCLUDING names in CREATE TABLE (LIKE t INCLUDING ...), as PostgreSQL numbers it. */
const LIKE = { constraints: 1 << 2, values: (1 << 3) | (1 << 4) | (1 << 5), indexes: 1 << 6 };

function withLike(table: Table, { relation, options = 0 }: TableLikeClause, state: State): Table {
  const like = state.tables.get(tableName(relation));
  const includes = (what: number): boolean => (options & what) !== 0;
  if (like === undefined) return withUnfollowed(table, [`LIKE ${tableName(relation)}`]);
  const copied = like.columns
    .filter((column) => !table.columns.some((each) => each.name === column.name))
    .map(({ default: value, generated, ...column }): Column =>
      includes(LIKE.values)
        ? { ...column, ...(value && { default: value }), ...(generated && { generated }) }
        : column,
    );
  const checks = includes(LIKE.constraints) && like.checks.length > 0;
  const doubted = withUnfollowed(table, [
    ...(checks ? [`the conditions of ${like.name} that it includes`] : []),
    ...(like.doubts ?? []).map(({ reason }) => reason),
  ]);
  const columned = { ...doubted, columns: [...table.columns, ...copied] };
  return includes(LIKE.indexes)
    ? { ...columned, primaryKey: like.primaryKey, uniqueKeys: like.uniqueKeys }
    : columned;
}

/** The table whose definition says what nothing follows. */
export function withUnfollowed(table: Table, said: readonly string[]): Table {
  return [...new Set(said)].reduce<Table>(
    (result, what) =>
      withDoubt(result, { reason: `${what}, which the table ${table.name} has`, touching: "all" }),
    table,
  );
}

/** Partitions, and tables that inherit: what is done to the parent is done to them. */
export function withParent(table: Table, parent: string): Table {
  const reason = `rows of ${table.name} are rows of ${parent} as well`;
  return withDoubt(table, { reason, touching: "all" });
}

/** The table without what was said of a constraint that holds for all rows now. */
export function withoutUnvalidated(table: Table, constraint: string): Table {
  const [known] = withUnfollowed(emptyTable(table.name), [unvalidated(constraint)]).doubts ?? [];
  const { doubts, ...rest } = table;
  return doubts
    ? { ...rest, doubts: doubts.filter(({ reason }) => reason !== known?.reason) }
    : rest;
}

export function withColumn(table: Table, definition: ColumnDef, state: State): Table {
  const { colname: name = "", typeName } = definition;
  if (table.columns.some((column) => column.name === name)) return table;
  const type = typeText(typeName);
  const constraints = constraintsOf(definition);
  const has = (kind: Constraint["contype"]): boolean =>
    constraints.some((constraint) => constraint.contype === kind);
  const isKey = has("CONSTR_PRIMARY");
  const isGenerated = has("CONSTR_GENERATED");
  const value = defaultOf(table, definition, constraints, type, state);
  const takes = takesOfType(typeName, state);
  const column: Column = {
    name,
    type: typeOf(type, state),
    ...(takes && { takes }),
    ...(isWide(type) && { isWide: true }),
    ...(isLooseText(typeName, definition.collClause, state) && { isLoose: true }),
    nullable:
      state.domains.get(type)?.isNullable !== false &&
      !isKey &&
      !has("CONSTR_NOTNULL") &&
      !has("CONSTR_IDENTITY") &&
      !isSerial(type),
    ...(value === undefined ? {} : { default: value }),
    ...(isGenerated && value !== undefined ? { generated: value } : {}),
  };
  return { ...table, columns: [...table.columns, column] };
}

/** The grammar's words behind a constraint, DEFERRABLE and the like, are put into it. */
function constraintsOf(definition: ColumnDef): readonly Constraint[] {
  const all: Constraint[] = [];
  for (const node of definition.constraints ?? []) {
    if (!("Constraint" in node)) continue;
    const before = all.at(-1);
    const { contype } = node.Constraint;
    if (contype === "CONSTR_ATTR_DEFERRED" && before !== undefined)
      all[all.length - 1] = { ...before, deferrable: true, initdeferred: true };
    else if (contype === "CONSTR_ATTR_DEFERRABLE" && before !== undefined)
      all[all.length - 1] = { ...before, deferrable: true };
    else if (contype === "CONSTR_ATTR_NOT_ENFORCED" && before !== undefined)
      all[all.length - 1] = { ...before, is_enforced: false };
    else if (contype?.startsWith("CONSTR_ATTR_") !== true) all.push(node.Constraint);
  }
  return all;
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
    return {
      kind: "unknown",
      id: `${table.name}.${definition.colname ?? ""}`,
      type: "other",
      dependsOn: [],
      why,
    };
  }
  const given = constraints.find(({ contype }) => contype === "CONSTR_DEFAULT")?.raw_expr;
  return given === undefined ? defaultOfType(type, table, state) : condition(given, table, state);
}

export function withColumnConstraints(table: Table, definition: ColumnDef, state: State): Table {
  const columns = [definition.colname ?? ""];
  return constraintsOf(definition).reduce<Table>(
    (result, constraint) => withConstraint(result, constraint, columns, state),
    withChecksOfType(table, definition.colname ?? "", typeText(definition.typeName), state),
  );
}

/** `own` are the columns of a constraint that stands at its column. */
export function withConstraint(
  table: Table,
  constraint: Constraint,
  own: readonly string[],
  state: State,
): Table {
  const constrained = withChecked(table, constraint, own, state);
  if (constraint.initdeferred !== true || constraint.contype === "CONSTR_UNIQUE")
    return constrained;
  const columns = [...stringsOf(constraint.keys), ...stringsOf(constraint.fk_attrs)];
  const what = constraint.contype === "CONSTR_FOREIGN" ? "foreign key" : "key";
  const touched = columns.length > 0 ? columns : own;
  const reason = `the ${what} (${touched.join(", ")}) of ${table.name}, which is checked at the end of the transaction`;
  const target = state.tables.get(tableName(constraint.pktable));
  if (target !== undefined && target.name !== table.name) {
    const touching = { columns: stringsOf(constraint.pk_attrs), deletions: true };
    state.tables.set(target.name, withDoubt(target, { reason, touching }));
  }
  const isOwn = target?.name === table.name;
  return withDoubt(constrained, { reason, touching: { columns: touched, deletions: isOwn } });
}

function withChecked(
  table: Table,
  constraint: Constraint,
  own: readonly string[],
  state: State,
): Table {
  const { contype, is_enforced: isEnforced } = constraint;
  if (isEnforced !== true && (contype === "CONSTR_FOREIGN" || contype === "CONSTR_CHECK"))
    return table;
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
    case "CONSTR_UNIQUE": {
      const deferrable = deferrableOf(constraint);
      if (columns.length > 0) {
        const uniqueKeys = [...table.uniqueKeys, { columns, ...named, ...deferrable }];
        const keyed = { ...table, uniqueKeys };
        return constraint.nulls_not_distinct === true ? withEqualNulls(keyed, columns) : keyed;
      }
      // ADD CONSTRAINT ... UNIQUE USING INDEX
      const uniqueKeys = table.uniqueKeys.map((key) =>
        key.name === constraint.indexname ? { ...key, ...named, ...deferrable } : key,
      );
      return { ...table, uniqueKeys };
    }
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
        ...(constraint.skip_validation === true && { isUnvalidated: true }),
        ...deferrableOf(constraint),
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
      return withNullable(table, columns, constraint.skip_validation === true);
    case "CONSTR_GENERATED":
      return withGenerated(table, own[0] ?? "", constraint.raw_expr, state);
    case "CONSTR_EXCLUSION": {
      const which = ["the exclusion constraint", constraint.conname, `on ${table.name}`];
      const named = which.filter((each) => each !== undefined).join(" ");
      say(state, `${named.replace("the", "The")} is not analysed.`);
      const reason = `${named}, which may refuse the row`;
      return withExclusion(table, constraint, reason);
    }
    default:
      return table;
  }
}

function deferrableOf({ deferrable, initdeferred }: Constraint): Pick<UniqueKey, "deferrable"> {
  if (initdeferred === true) return { deferrable: "deferred" };
  return deferrable === true ? { deferrable: "immediate" } : {};
}

/** The column with what it is always. */
function withGenerated(table: Table, name: string, value: Node | undefined, state: State): Table {
  const before = state.losses.length;
  const read = value === undefined ? undefined : condition(value, table, state);
  if (read === undefined || state.losses.length > before) return table;
  const columns = table.columns.map((each) =>
    each.name === name ? { ...each, generated: read } : each,
  );
  return { ...table, columns };
}

function withDoubt(table: Table, doubt: Doubt): Table {
  return { ...table, doubts: [...(table.doubts ?? []), doubt] };
}

/**
 * Where it compares columns for equality it is a key, but for the error that it raises. Else nobody knows whether it refuses
 * a row that touches what it compares.
 */
function withExclusion(table: Table, constraint: Constraint, reason: string): Table {
  const { exclusions = [], where_clause: where } = constraint;
  const compared = exclusions.map((each) => {
    const [element, operator] = itemsOf(each);
    const name = element && "IndexElem" in element ? element.IndexElem.name : undefined;
    return { name, isEquality: lastName(itemsOf(operator)) === "=" };
  });
  const names = compared.flatMap(({ name }) => name ?? []);
  const isPlain = names.length === compared.length;
  const inside = columnNames([exclusions, where]);
  const columns = table.columns
    .map((each) => each.name)
    .filter((each) => names.includes(each) || inside.has(each));
  if (isPlain && where === undefined && compared.every(({ isEquality }) => isEquality)) {
    const doubted = withDoubt(table, { reason, touching: { columns, deletions: false } });
    return { ...doubted, uniqueKeys: [...doubted.uniqueKeys, { columns: names }] };
  }
  return withRefusal(table, columns, reason);
}

/** Nobody knows whether the table refuses a row with such values of these columns. */
function withRefusal(table: Table, columns: readonly string[], reason: string): Table {
  const dependsOn = columns.map((column): Expression => ({
    kind: "column",
    relation: table.name,
    column,
  }));
  const id = `${table.name}.refusal${String(table.checks.length)}`;
  const check: Expression = { kind: "unknown", id, type: "bool", dependsOn, why: reason };
  const doubted = withDoubt(table, { reason, touching: { columns, deletions: false } });
  return { ...doubted, checks: [...doubted.checks, check] };
}

/** A unique index on expressions: which rows it refuses is not followed. */
export function withExpressionIndex(table: Table, index: IndexStmt): Table {
  const inside = columnNames([index.indexParams, index.whereClause]);
  const named = (index.indexParams ?? []).flatMap((node) =>
    "IndexElem" in node ? (node.IndexElem.name ?? []) : [],
  );
  const columns = table.columns
    .map(({ name }) => name)
    .filter((each) => inside.has(each) || named.includes(each));
  const which = ["the unique index", index.idxname, "on an expression"];
  const reason = `${which.filter((each) => each !== undefined).join(" ")} of ${table.name}, which may refuse the row`;
  return withRefusal(table, columns, reason);
}

/** NULLS NOT DISTINCT: the key as it is without NULLs, and what it does with them is not followed. */
export function withEqualNulls(table: Table, columns: readonly string[]): Table {
  const nullable = table.columns.filter(({ name, nullable }) => nullable && columns.includes(name));
  if (nullable.length === 0) return table;
  const reason = `NULLS NOT DISTINCT of the key (${columns.join(", ")}) of ${table.name}, which may refuse the row`;
  return withRefusal(table, columns, reason);
}

/** The last names of all column references in a tree. */
function columnNames(tree: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting: unknown[] = [tree];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part !== "object" || part === null) continue;
    // Only a ColumnRef has this property.
    if ("ColumnRef" in part)
      found.add(lastName((part as { ColumnRef: ColumnRef }).ColumnRef.fields));
    else for (const value of Object.values(part)) waiting.push(value as unknown);
  }
  return found;
}

function withPrimaryKey(table: Table, columns: readonly string[]): Table {
  return withNullable({ ...table, primaryKey: columns }, columns, false);
}

export function withNullable(table: Table, names: readonly string[], nullable: boolean): Table {
  const columns = table.columns.map((column) =>
    names.includes(column.name) ? { ...column, nullable } : column,
  );
  return { ...table, columns };
}

/** PostgreSQL's letters for ON DELETE: c cascades, n and d set the columns; the others refuse. */
function onDelete(action: string | undefined): Pick<ForeignKey, "onDelete"> {
  if (action === "c") return { onDelete: "cascade" };
  return action === "n" || action === "d" ? { onDelete: "set" } : {};
}
