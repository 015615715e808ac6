// The structure of expressions for walkers.
import type { Expression } from "./expression";

/** Direct subexpressions of the same query. */
export function operandsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "arithmetic":
    case "comparison":
    case "sameValue":
      return [expression.left, expression.right];
    case "negate":
    case "not":
    case "isNull":
    case "inQuery":
      return [expression.operand];
    case "and":
    case "or":
    case "coalesce":
      return expression.operands;
    case "in":
      return [expression.operand, ...expression.values];
    case "like":
      return [expression.operand, expression.pattern];
    case "conditional":
      return [expression.condition, expression.then, expression.otherwise];
    case "aggregate":
      return expression.operand === undefined ? [] : [expression.operand];
    case "among":
      return expression.value ? [expression.where, expression.value] : [expression.where];
    case "call":
      return expression.arguments;
    case "element":
      return [expression.array, expression.index];
    case "unknown":
      return expression.dependsOn;
    default:
      return [];
  }
}

/** The conjuncts of a condition, however nested; none for an absent one. */
export function conjunctsOf(condition: Expression | undefined): readonly Expression[] {
  if (condition === undefined) return [];
  if (condition.kind === "and") return condition.operands.flatMap(conjunctsOf);
  return condition.kind === "literal" && condition.value === true ? [] : [condition];
}

/** The expression with its direct parts mapped; queries are left alone. */
export function mapParts(
  expression: Expression,
  map: (part: Expression) => Expression,
): Expression {
  switch (expression.kind) {
    case "arithmetic":
    case "comparison":
    case "sameValue":
      return { ...expression, left: map(expression.left), right: map(expression.right) };
    case "negate":
    case "not":
    case "isNull":
    case "inQuery":
      return { ...expression, operand: map(expression.operand) };
    case "and":
    case "or":
    case "coalesce":
      return { ...expression, operands: expression.operands.map(map) };
    case "in": {
      const operand = map(expression.operand);
      return { ...expression, operand, values: expression.values.map(map) };
    }
    case "like":
      return { ...expression, operand: map(expression.operand), pattern: map(expression.pattern) };
    case "conditional":
      return {
        ...expression,
        condition: map(expression.condition),
        then: map(expression.then),
        otherwise: map(expression.otherwise),
      };
    case "element":
      return { ...expression, array: map(expression.array), index: map(expression.index) };
    case "call":
      return { ...expression, arguments: expression.arguments.map(map) };
    case "unknown":
      return { ...expression, dependsOn: expression.dependsOn.map(map) };
    case "among": {
      const { where, value } = expression;
      return { ...expression, where: map(where), ...(value && { value: map(value) }) };
    }
    case "aggregate":
      return expression.operand === undefined
        ? expression
        : { ...expression, operand: map(expression.operand) };
    case "array":
    case "literal":
    case "parameter":
    case "variable":
    case "column":
    case "field":
    case "size":
    case "affected":
    case "exists":
    case "subquery":
    case "excluded":
    case "fresh":
      return expression;
    default:
      return expression satisfies never;
  }
}

export type Call = Extract<Expression, { kind: "call" }>;

/** The outermost set-returning calls in an expression, without those of subqueries. */
export function setCallsIn(expression: Expression): readonly Call[] {
  if (expression.kind === "call" && expression.set === true) return [expression];
  return operandsOf(expression).flatMap(setCallsIn);
}
