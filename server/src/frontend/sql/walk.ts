// Visits every expression of a statement, query or command, with the relations in scope.
import type { Expression, Query, Relation } from "../../program/expression";
import { operandsOf } from "../../program/operands";
import type { Command, Statement } from "../../program/statement";

/** The relations in scope, innermost first. */
export type Scope = readonly Relation[];

export interface Visitor {
  /** Called for every expression before its parts. */
  readonly expression?: (expression: Expression, scope: Scope) => void;
  /** Called for every assignment of a value to a column of a table. */
  readonly assignment?: (table: string, column: string, value: Expression, scope: Scope) => void;
  readonly relation?: (relation: Relation) => void;
  readonly query?: (query: Query) => void;
  readonly statement?: (statement: Statement) => void;
  readonly command?: (command: Command) => void;
}

/** True if a visitor needs to look into expressions. */
function looksIntoExpressions(visitor: Visitor): boolean {
  return visitor.expression !== undefined || visitor.relation !== undefined;
}

/** Visits a command and its parts, in order. */
export function walkCommand(command: Command, visitor: Visitor): void {
  visitor.command?.(command);
  switch (command.kind) {
    case "sequence":
      for (const each of command.commands) walkCommand(each, visitor);
      return;
    case "statement":
      walkStatement(command.statement, visitor);
      return;
    case "assign":
      walkExpression(command.value, [], visitor);
      return;
    case "if":
      walkExpression(command.condition, [], visitor);
      walkCommand(command.then, visitor);
      if (command.otherwise !== undefined) walkCommand(command.otherwise, visitor);
      return;
    case "loop":
      if (command.over.kind === "while") walkExpression(command.over.condition, [], visitor);
      if (command.over.kind === "count") {
        walkExpression(command.over.from, [], visitor);
        walkExpression(command.over.to, [], visitor);
      }
      walkCommand(command.body, visitor);
      return;
    case "atomic":
      walkCommand(command.body, visitor);
      return;
    case "return":
      if (command.value !== undefined) walkExpression(command.value, [], visitor);
      return;
    case "try":
      walkCommand(command.body, visitor);
      walkCommand(command.handler, visitor);
      return;
    default:
      return;
  }
}

/** Visits a statement and its parts. */
export function walkStatement(statement: Statement, visitor: Visitor): void {
  visitor.statement?.(statement);
  switch (statement.kind) {
    case "select":
      walkQuery(statement.query, [], visitor);
      for (const { value } of statement.kept ?? []) walkExpression(value, [], visitor);
      return;
    case "insert": {
      const target: Relation = baseRelation(statement.table);
      if ("query" in statement.rows) {
        const { columns, query } = statement.rows;
        walkQuery(query, [], visitor);
        for (const each of [query, ...query.setOperations.map((other) => other.query)])
          each.outputs.forEach(({ value }, at) => {
            const column = columns[at];
            if (column !== undefined)
              visitor.assignment?.(statement.table, column, value, each.relations);
          });
      } else {
        for (const row of statement.rows) {
          for (const { column, value } of row) assign(statement.table, column, value, [], visitor);
        }
      }
      for (const { column, value } of statement.onConflict?.set ?? []) {
        assign(statement.table, column, value, [target], visitor);
      }
      if (statement.onConflict?.where !== undefined) {
        walkExpression(statement.onConflict.where, [target], visitor);
      }
      for (const { value } of statement.returning?.outputs ?? []) {
        walkExpression(value, [target], visitor);
      }
      return;
    }
    case "update":
    case "delete": {
      const others = statement.kind === "update" ? statement.from : statement.using;
      const scope = [statement.relation, ...others];
      for (const relation of scope) walkRelation(relation, scope, visitor);
      if (statement.kind === "update") {
        for (const { column, value } of statement.set) {
          assign(statement.relation.table, column, value, scope, visitor);
        }
      }
      walkExpression(statement.where, scope, visitor);
      for (const { value } of statement.returning?.outputs ?? []) {
        walkExpression(value, scope, visitor);
      }
      return;
    }
    case "lock":
      if (statement.key !== undefined) walkExpression(statement.key, [], visitor);
      return;
    case "opaque":
      return;
    default:
      statement satisfies never;
  }
}

function baseRelation(table: string): Relation {
  return { alias: table, table, kind: "base", join: "inner" };
}

function assign(
  table: string,
  column: string,
  value: Expression,
  scope: Scope,
  visitor: Visitor,
): void {
  visitor.assignment?.(table, column, value, scope);
  walkExpression(value, scope, visitor);
}

function walkRelation(relation: Relation, scope: Scope, visitor: Visitor): void {
  visitor.relation?.(relation);
  if (relation.query !== undefined) walkQuery(relation.query, scope, visitor);
  if (relation.on !== undefined) walkExpression(relation.on, scope, visitor);
}

function walkQuery(query: Query, outer: Scope, visitor: Visitor): void {
  if (!looksIntoExpressions(visitor)) return;
  visitor.query?.(query);
  const scope = [...query.relations, ...outer];
  for (const relation of query.relations) walkRelation(relation, scope, visitor);
  for (const output of query.outputs) walkExpression(output.value, scope, visitor);
  walkExpression(query.where, scope, visitor);
  for (const value of query.groupBy) walkExpression(value, scope, visitor);
  if (query.having !== undefined) walkExpression(query.having, scope, visitor);
  for (const { value } of query.orderBy) walkExpression(value, scope, visitor);
  for (const value of query.distinctOn ?? []) walkExpression(value, scope, visitor);
  if (query.limit !== undefined) walkExpression(query.limit, scope, visitor);
  if (query.offset !== undefined) walkExpression(query.offset, scope, visitor);
  for (const { query: other } of query.setOperations) walkQuery(other, outer, visitor);
}

/** Visits an expression and its parts, queries included. */
export function walkExpression(expression: Expression, scope: Scope, visitor: Visitor): void {
  if (!looksIntoExpressions(visitor)) return;
  visitor.expression?.(expression, scope);
  for (const part of operandsOf(expression)) walkExpression(part, scope, visitor);
  if ("query" in expression) walkQuery(expression.query, scope, visitor);
}
