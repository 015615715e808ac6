// Literals, comparisons and products. The flat form has integers only: fractions are compared and multiplied as quotients where that is
// exact, and rounded with a loss elsewhere.
import type { Expression } from "../../program/expression";
import type { Builder } from "./builder";
import { applyTerm } from "./builder";
import type { Term } from "./operation";
import { intern } from "./tables";
import { NULL, compare, int, not } from "./terms";

/** The term of a literal; texts are interned as integers. */
export function literalTerm(builder: Builder, value: number | string | boolean | null): Term {
  if (value === null) return NULL;
  if (typeof value === "boolean") return { kind: "bool", value };
  if (typeof value === "string") return intern(builder.tables, value);
  if (Number.isInteger(value)) return int(value);
  builder.losses.add(`the number ${String(value)} is rounded`);
  return int(Math.round(value));
}

/** A comparison. The order of texts is arbitrary if a literal text takes part. */
export function comparison(
  builder: Builder,
  expression: Extract<Expression, { kind: "comparison" }>,
  go: (each: Expression) => Term,
): Term {
  const { operator } = expression;
  const [left, right] = scaled(expression.left, expression.right, go);
  switch (operator) {
    case "=":
      return compare("=", left, right);
    case "<>":
      return not(compare("=", left, right));
    case "<":
    case "<=":
    case ">":
    case ">=": {
      if (isText(expression.left) || isText(expression.right)) {
        const why = "whether one text comes before another is any answer";
        const name = operator === "<" || operator === ">" ? "text <" : "text <=";
        const ascending = operator === "<" || operator === "<=";
        const args = ascending ? [left, right] : [right, left];
        return applyTerm(builder, { name, type: "bool", strict: true }, args, why);
      }
      const below = operator === "<" || operator === "<=" ? [left, right] : [right, left];
      const [low = NULL, high = NULL] = below;
      return compare(operator === "<" || operator === ">" ? "<" : "<=", low, high);
    }
  }
}

/** A product; a fraction becomes a product and a division. */
export function product(
  builder: Builder,
  left: Expression,
  right: Expression,
  go: (each: Expression) => Term,
): Term {
  const fraction = fractionOf(left) ?? fractionOf(right);
  if (fraction !== undefined) {
    builder.losses.add("a product with a fraction is rounded");
    const other = go(fractionOf(left) === undefined ? left : right);
    const dividend: Term = { kind: "multiply", left: other, right: int(fraction.numerator) };
    return { kind: "divide", left: dividend, right: int(fraction.denominator) };
  }
  const [a, b] = [go(left), go(right)];
  if (a.kind === "null" || b.kind === "null") return NULL;
  if (a.kind === "int" && b.kind === "int") return int(a.value * b.value);
  return { kind: "multiply", left: a, right: b };
}

/** Both sides of a comparison; a fraction on one side multiplies the other. */
function scaled(
  left: Expression,
  right: Expression,
  go: (each: Expression) => Term,
): readonly [Term, Term] {
  const times = (operand: Expression, factor: number): Term => ({
    kind: "multiply",
    left: go(operand),
    right: int(factor),
  });
  const [onLeft, onRight] = [fractionOf(left), fractionOf(right)];
  if (onLeft && !onRight) return [int(onLeft.numerator), times(right, onLeft.denominator)];
  if (onRight && !onLeft) return [times(left, onRight.denominator), int(onRight.numerator)];
  return [go(left), go(right)];
}

function fractionOf(
  expression: Expression,
): { readonly numerator: number; readonly denominator: number } | undefined {
  if (expression.kind !== "literal" || typeof expression.value !== "number") return undefined;
  if (Number.isInteger(expression.value)) return undefined;
  for (let denominator = 10; denominator <= 10_000; denominator *= 10) {
    const numerator = expression.value * denominator;
    if (Math.abs(numerator - Math.round(numerator)) < 1e-9) {
      return { numerator: Math.round(numerator), denominator };
    }
  }
  return undefined;
}

function isText(expression: Expression): boolean {
  return expression.kind === "literal" && typeof expression.value === "string";
}
