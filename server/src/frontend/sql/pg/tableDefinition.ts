// CREATE TABLE: columns, keys and conditions.
import type { ColumnDef, Constraint, CreateStmt } from "libpg-query";
import type { Expression } from "../../../program/expression";
import { emptyTable, type Column, type ForeignKey, type Table } from "../../../program/schema";
import { sourceOf } from "../lowering";
import { stringsOf, tableName, typeText } from "./ast";
import { defaultOfType, withChecksOfType } from "./domains";
import { condition, lost, say, typeOf, type State } from "./schemaState";
import { isSerial } from "./valueType";

export function createTable(statement: CreateStmt, state: State): void {
  const name = tableName(statement.relation);
  if (name === "") return;
  const known = state.tables.get(name);
  if (known !== undefined && (statement.if_not_exists ?? statement.partbound) !== undefined) return;
  if (statement.partbound !== undefined) {
    say(state, `${name} is a partition, which is analysed as a table of its own.`);
  }
  let table = emptyTable(name, sourceOf(state.piece));
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
  if (known === undefined) state.tables.set(name, table);
  else if (!isSame(known, table))
    say(state, `${name} is defined a second time; the first definition is taken.`);
}

/** Whether two definitions say the same, wherever they stand. */
function isSame(left: Table, right: Table): boolean {
  const text = ({ source: _source, ...table }: Table): string => JSON.stringify(table);
  return text(left) === text(right);
}

/** CREATE TABLE (LIKE t INCLUDING INDEXES), as PostgreSQL numbers it. */
const LIKE_INDEXES = 1 << 6;

export function withColumn(table: Table, definition: ColumnDef, state: State): Table {
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
    nullable:
      state.domains.get(type)?.isNullable !== false &&
      !isKey &&
      !has("CONSTR_NOTNULL") &&
      !has("CONSTR_IDENTITY") &&
      !isSerial(type),
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
