// The way in which a statement finds rows of a table: by key, or by a condition that others may make true or false.
import type { Expression, Relation } from "../../program/expression";
import type { Schema } from "../../program/schema";
import type { Statement } from "../../program/statement";
import type { ExecutedStep } from "../../store/execution";
import { expressionText } from "./expressionText";
import type { SearchOf } from "./shape";

/** The top-level condition by which a step searches a table; undefined if it names rows by primary key. */
export function searchOf(schema: Schema): SearchOf {
  return ({ source }, table) => {
    const found = source && conditionOf(source, table);
    if (!found) return undefined;
    const { alias, where } = found;
    const key = schema.tables.find((each) => each.name === table)?.primaryKey ?? [];
    const bound = equalColumns(where, alias);
    if (key.length > 0 && key.every((column) => bound.includes(column))) return undefined;
    return expressionText(where);
  };
}

interface Search {
  readonly alias: string;
  readonly where: Expression;
}

function conditionOf(statement: Statement, table: string): Search | undefined {
  const among = (relations: readonly Relation[], where: Expression): Search | undefined => {
    const relation = relations.find((each) => each.kind === "base" && each.table === table);
    return relation && { alias: relation.alias, where };
  };
  switch (statement.kind) {
    case "select":
      return among(statement.query.relations, statement.query.where);
    case "update":
      return among([statement.relation, ...statement.from], statement.where);
    case "delete":
      return among([statement.relation, ...statement.using], statement.where);
    case "insert":
      return "query" in statement.rows
        ? among(statement.rows.query.relations, statement.rows.query.where)
        : undefined;
    case "lock":
    case "opaque":
      return undefined;
  }
}

/** The columns by which a step looks up rows of a table: those that must equal something, or be true. */
export function lookedUpBy({ source }: ExecutedStep, table: string): readonly string[] {
  const found = source && conditionOf(source, table);
  return found ? equalColumns(found.where, found.alias) : [];
}

/** Columns of the relation that the condition requires to equal something, or to be true. */
function equalColumns(where: Expression, alias: string): readonly string[] {
  if (where.kind === "and") return where.operands.flatMap((each) => equalColumns(each, alias));
  if (where.kind === "column") return where.relation === alias ? [where.column] : [];
  if (where.kind !== "comparison" || where.operator !== "=") return [];
  return [where.left, where.right].flatMap((side) =>
    side.kind === "column" && side.relation === alias ? [side.column] : [],
  );
}
