// Aggregates in queries and expressions.
import type { Expression, Query } from "../../program/expression";
import { operandsOf } from "../../program/operands";

export type Aggregate = Extract<Expression, { kind: "aggregate" }>;

/** True if a query aggregates its rows. */
export function isAggregate(query: Query): boolean {
  const parts = [...query.outputs.map((output) => output.value), query.having];
  return query.groupBy.length > 0 || parts.some((each) => each !== undefined && hasAggregate(each));
}

export function hasAggregate(expression: Expression): boolean {
  return aggregatesIn(expression).length > 0;
}

/** The aggregates of an expression, not those of its subqueries. */
export function aggregatesIn(expression: Expression): readonly Aggregate[] {
  if (expression.kind === "aggregate") return [expression];
  return operandsOf(expression).flatMap(aggregatesIn);
}
