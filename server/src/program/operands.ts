// The structure of expressions, for everyone who walks them.
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
