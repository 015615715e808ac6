// Aggregate functions over the rows of a group.
import type { Expression } from "../program/expression";
import { NotExecutable } from "./failure";
import { inScope, withRows, type Frame, type Scope } from "./frame";
import {
  calculate,
  compareValues,
  renderValue,
  toDecimal,
  asNumeric,
  type SqlValue,
} from "./value";

type Aggregate = Extract<Expression, { kind: "aggregate" }>;

/** The type of `evaluate` in evaluateExpression.ts. */
export type Evaluate = (expression: Expression, frame: Frame) => SqlValue;

/** The aggregate's value over the group in scope. */
export function aggregate(expression: Aggregate, frame: Frame, evaluate: Evaluate): SqlValue {
  const scope = groupScope(frame.scope);
  if (scope === undefined) throw new NotExecutable("an aggregate outside of a query's results");
  const group = scope.group ?? [];
  if (expression.operand === undefined) return group.length;
  const values = operandValues(expression, expression.operand, frame, scope, evaluate);
  switch (expression.function) {
    case "count":
      return values.length;
    case "sum":
      return values.length === 0 ? null : sum(values);
    case "avg":
      return values.length === 0 ? null : average(values);
    case "min":
      return extreme(values, -1);
    case "max":
      return extreme(values, 1);
    case "exists":
      return values.includes(true);
    case "other":
      if (values.length === 0) return null;
      return {
        kind: "opaque",
        text: `${expression.name ?? "aggregate"}(${values.map(renderValue).join(", ")})`,
      };
  }
}

/** Non-NULL values; distinct ones for DISTINCT. */
function operandValues(
  expression: Aggregate,
  operand: Expression,
  frame: Frame,
  scope: Scope,
  evaluate: Evaluate,
): readonly SqlValue[] {
  const outside = inScope(frame, scope.outer);
  const values = (scope.group ?? [])
    .map((binding) => evaluate(operand, withRows(outside, binding)))
    .filter((value) => value !== null);
  if (!expression.distinct) return values;
  const seen = new Map(values.map((value) => [renderValue(value), value]));
  return [...seen.values()];
}

function groupScope(scope: Scope | undefined): Scope | undefined {
  for (let at = scope; at !== undefined; at = at.outer) if (at.group !== undefined) return at;
  return undefined;
}

function sum(values: readonly SqlValue[]): SqlValue {
  return values.reduce((total, value) => calculate("+", total, value), 0);
}

/** The average, a decimal also for integers, as in PostgreSQL. */
function average(values: readonly SqlValue[]): SqlValue {
  const total = asNumeric(sum(values));
  return total === undefined ? null : calculate("/", toDecimal(total), values.length);
}

function extreme(values: readonly SqlValue[], sign: 1 | -1): SqlValue {
  return values.reduce<SqlValue>(
    (best, value) => (best === null || (compareValues(value, best) ?? 0) * sign > 0 ? value : best),
    null,
  );
}
