// Programs of several databases in one: tables that share a name are renamed in one of the databases.
import type { Expression, Output, Query, Relation } from "./expression";
import { mapParts } from "./operands";
import type { Invariant } from "./program";
import type { Table } from "./schema";
import type { Assignment, Command, InsertStatement, LoopRange, Statement } from "./statement";

/** The new name of a table, or its own name. */
export type Rename = (table: string) => string;

/** The table with its references and conditions renamed. */
export function renameInTable(table: Table, rename: Rename): Table {
  const inside = within(rename, table.name);
  return {
    ...table,
    name: rename(table.name),
    foreignKeys: table.foreignKeys.map((key) => ({ ...key, table: rename(key.table) })),
    checks: table.checks.map(inside),
    columns: table.columns.map((column) =>
      column.generated === undefined ? column : { ...column, generated: inside(column.generated) },
    ),
    uniqueKeys: table.uniqueKeys.map((key) =>
      key.where === undefined ? key : { ...key, where: inside(key.where) },
    ),
  };
}

/** The invariant over the renamed tables. */
export function renameInInvariant(invariant: Invariant, rename: Rename): Invariant {
  return {
    ...invariant,
    relations: invariant.relations.map((relation) => inRelation(relation, rename)),
    where: inExpression(invariant.where, rename),
    condition: inExpression(invariant.condition, rename),
  };
}

/** The command over the renamed tables. */
export function renameInCommand(command: Command, rename: Rename): Command {
  const go = (inner: Command): Command => renameInCommand(inner, rename);
  const value = (inner: Expression): Expression => inExpression(inner, rename);
  switch (command.kind) {
    case "sequence":
      return { ...command, commands: command.commands.map(go) };
    case "statement":
      return { ...command, statement: inStatement(command.statement, rename) };
    case "assign":
      return { ...command, value: value(command.value) };
    case "if": {
      const { otherwise } = command;
      const rest = otherwise === undefined ? {} : { otherwise: go(otherwise) };
      return { ...command, condition: value(command.condition), then: go(command.then), ...rest };
    }
    case "loop":
      return { ...command, over: inRange(command.over, rename), body: go(command.body) };
    case "atomic":
      return { ...command, body: go(command.body) };
    case "try":
      return { ...command, body: go(command.body), handler: go(command.handler) };
    case "return":
      return command.value === undefined ? command : { ...command, value: value(command.value) };
    default:
      return command;
  }
}

function inRange(range: LoopRange, rename: Rename): LoopRange {
  switch (range.kind) {
    case "count": {
      const from = inExpression(range.from, rename);
      return { ...range, from, to: inExpression(range.to, rename) };
    }
    case "while":
      return { ...range, condition: inExpression(range.condition, rename) };
    default:
      return range;
  }
}

function inStatement(statement: Statement, rename: Rename): Statement {
  const relation = (each: Relation): Relation => inRelation(each, rename);
  const value = (each: Expression): Expression => inExpression(each, rename);
  switch (statement.kind) {
    case "select":
      return { ...statement, query: inQuery(statement.query, rename) };
    case "insert":
      return inInsert(statement, rename);
    case "update":
      return {
        ...statement,
        relation: relation(statement.relation),
        from: statement.from.map(relation),
        set: assignments(statement.set, value),
        where: value(statement.where),
        ...returning(statement, value),
      };
    case "delete":
      return {
        ...statement,
        relation: relation(statement.relation),
        using: statement.using.map(relation),
        where: value(statement.where),
        ...returning(statement, value),
      };
    case "lock":
      return statement.table === undefined
        ? statement
        : { ...statement, table: rename(statement.table) };
    case "opaque":
      return { ...statement, tables: statement.tables.map(rename) };
    default:
      return statement satisfies never;
  }
}

/** The row of an INSERT is named after the table. */
function inInsert(statement: InsertStatement, rename: Rename): InsertStatement {
  const { rows, onConflict } = statement;
  const own = within(rename, statement.table);
  const where = onConflict?.where === undefined ? {} : { where: own(onConflict.where) };
  return {
    ...statement,
    table: rename(statement.table),
    rows:
      "query" in rows
        ? { ...rows, query: inQuery(rows.query, rename) }
        : rows.map((row) => assignments(row, (each) => inExpression(each, rename))),
    ...(onConflict && {
      onConflict: { ...onConflict, set: assignments(onConflict.set, own), ...where },
    }),
    ...returning(statement, own),
  };
}

function assignments(
  list: readonly Assignment[],
  value: (expression: Expression) => Expression,
): readonly Assignment[] {
  return list.map((each) => ({ ...each, value: value(each.value) }));
}

function returning<Clause extends { readonly outputs: readonly Output[] }>(
  statement: { readonly returning?: Clause },
  value: (expression: Expression) => Expression,
): { readonly returning?: Clause } {
  const clause = statement.returning;
  if (clause === undefined) return {};
  const outputs = clause.outputs.map((output) => ({ ...output, value: value(output.value) }));
  return { returning: { ...clause, outputs } };
}

/** Renames in expressions whose columns use the table's name. */
function within(rename: Rename, table: string): (expression: Expression) => Expression {
  const go = (expression: Expression): Expression => {
    if (expression.kind === "column" && expression.relation === table) {
      return { ...expression, relation: rename(table) };
    }
    return mapParts(inQueries(expression, rename), go);
  };
  return go;
}

function inExpression(expression: Expression, rename: Rename): Expression {
  return mapParts(inQueries(expression, rename), (part) => inExpression(part, rename));
}

function inQueries(expression: Expression, rename: Rename): Expression {
  return "query" in expression
    ? { ...expression, query: inQuery(expression.query, rename) }
    : expression;
}

function inRelation(relation: Relation, rename: Rename): Relation {
  return {
    ...relation,
    table: relation.kind === "base" ? rename(relation.table) : relation.table,
    ...(relation.query && { query: inQuery(relation.query, rename) }),
    ...(relation.on && { on: inExpression(relation.on, rename) }),
  };
}

function inQuery(query: Query, rename: Rename): Query {
  const value = (each: Expression): Expression => inExpression(each, rename);
  return {
    ...query,
    relations: query.relations.map((relation) => inRelation(relation, rename)),
    where: value(query.where),
    outputs: query.outputs.map((output) => ({ ...output, value: value(output.value) })),
    groupBy: query.groupBy.map(value),
    orderBy: query.orderBy.map((each) => ({ ...each, value: value(each.value) })),
    ...(query.distinctOn && { distinctOn: query.distinctOn.map(value) }),
    ...(query.having && { having: value(query.having) }),
    ...(query.limit && { limit: value(query.limit) }),
    ...(query.offset && { offset: value(query.offset) }),
    setOperations: query.setOperations.map((each) => ({
      ...each,
      query: inQuery(each.query, rename),
    })),
  };
}
