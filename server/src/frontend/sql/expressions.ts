// Constructors of AR expressions for all lowerings.
import type { ComparisonOperator, Expression } from "../../program/expression";
import { dictionary } from "../../protocol/dictionary";

export const TRUE: Expression = { kind: "literal", value: true, type: "bool" };

/** JSON's null, which is not SQL NULL to a database. */
export const JSON_NULL: Expression = { kind: "literal", value: "null", type: "json" };

/** OFFSET with what it skips; nothing for OFFSET 0, which libraries write. */
export function offsetOf(offset: Expression | undefined): { readonly offset?: Expression } {
  const isIdle = offset?.kind === "literal" && offset.value === 0;
  return offset === undefined || isIdle ? {} : { offset };
}

/** A literal of the type of its JavaScript value. */
export function literal(value: number | string | boolean | null): Expression {
  if (typeof value === "number") {
    return { kind: "literal", value, type: Number.isInteger(value) ? "int" : "decimal" };
  }
  const type = typeof value === "boolean" ? "bool" : value === null ? "other" : "text";
  return { kind: "literal", value, type };
}

/** SQL's comparison operators by their spellings. */
export const COMPARISONS = dictionary<ComparisonOperator | undefined>({
  "=": "=",
  "<>": "<>",
  "!=": "<>",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
});

/** True if an expression can only be true, false or NULL. */
export function isCondition(expression: Expression): boolean {
  switch (expression.kind) {
    case "comparison":
    case "and":
    case "or":
    case "not":
    case "isNull":
    case "sameValue":
    case "in":
    case "like":
    case "exists":
    case "inQuery":
      return true;
    case "literal":
      return typeof expression.value === "boolean";
    case "unknown":
      return expression.type === "bool";
    case "among":
      return expression.function === "any";
    default:
      return false;
  }
}

/** An unknown value that other rows decide as well, as that of a window function. */
export function ofRows(value: Expression): Expression {
  return value.kind === "unknown" ? { ...value, isOfRows: true } : value;
}
