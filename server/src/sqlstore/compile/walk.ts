// Going over the parts of an expression, without the queries inside it.
import type { SqlExpression } from "../tree";

/** The expressions that stand directly inside another one; of queries only the operands beside them. */
export function partsOf(expression: SqlExpression): readonly SqlExpression[] {
  switch (expression.kind) {
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "parameter":
    case "column":
    case "star":
    case "setting":
    case "exists":
    case "query":
    case "array query":
    case "proposed":
    case "default":
      return [];
    case "variable":
      return expression.assigned === undefined ? [] : [expression.assigned];
    case "unary":
    case "is":
    case "cast":
    case "collate":
      return [expression.operand];
    case "binary":
      return [expression.left, expression.right];
    case "in":
      return "kind" in expression.values
        ? [expression.operand]
        : [expression.operand, ...expression.values];
    case "between":
      return [expression.operand, expression.low, expression.high];
    case "like":
      return [expression.operand, expression.pattern];
    case "quantified":
      return expression.right.kind === "select"
        ? [expression.left]
        : [expression.left, expression.right];
    case "call":
      return [
        ...expression.arguments,
        ...expression.orderBy.map((order) => order.value),
        ...(expression.filter === undefined ? [] : [expression.filter]),
        ...(expression.over === undefined
          ? []
          : [
              ...expression.over.partitionBy,
              ...expression.over.orderBy.map((order) => order.value),
            ]),
      ];
    case "case":
      return [
        ...(expression.subject === undefined ? [] : [expression.subject]),
        ...expression.arms.flatMap((arm) => [arm.when, arm.then]),
        ...(expression.otherwise === undefined ? [] : [expression.otherwise]),
      ];
    case "array":
      return expression.items;
    case "subscript":
      return [expression.operand, expression.index];
    case "slice":
      return [expression.operand, expression.from, expression.to].flatMap((each) => each ?? []);
    case "field":
      return [expression.operand];
    case "row":
      return expression.values;
    case "interval":
      return [expression.amount];
    default:
      return expression satisfies never;
  }
}

/** True if an expression or a part of it is of a kind. */
export function contains(expression: SqlExpression, is: (part: SqlExpression) => boolean): boolean {
  return is(expression) || partsOf(expression).some((part) => contains(part, is));
}

/** The expression with other paths of columns, those in queries inside of it included. */
export function withColumns(
  expression: SqlExpression,
  change: (path: readonly string[]) => readonly string[],
): SqlExpression {
  const changed: unknown = JSON.parse(JSON.stringify(expression), (_key, part: unknown) =>
    isColumn(part) ? { ...part, path: change(part.path) } : part,
  );
  // A tree is plain data: what comes back has the form of what went in.
  return changed as SqlExpression;
}

function isColumn(part: unknown): part is { readonly path: readonly string[] } {
  return typeof part === "object" && part !== null && "kind" in part && part.kind === "column";
}

/** The conditions that all must hold: `a AND (b AND c)` gives three. */
export function conjunctsOf(condition: SqlExpression | undefined): readonly SqlExpression[] {
  if (condition === undefined) return [];
  if (condition.kind === "binary" && condition.operator === "and") {
    return [...conjunctsOf(condition.left), ...conjunctsOf(condition.right)];
  }
  return [condition];
}

/** Equal texts for equal expressions. */
export function textOfTree(expression: SqlExpression): string {
  return JSON.stringify(expression);
}
