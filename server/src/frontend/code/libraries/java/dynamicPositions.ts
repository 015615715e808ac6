// Parameters whose positions a loop counts (`setLong(6 + i, attributes[i])`): what each position got is told by solving
// for the counter. A statement runs only with all of its parameters set, so the loop came to each of them.
import type { Expression } from "../../../../program/expression";
import { mapParts, operandsOf } from "../../../../program/operands";
import { literal } from "../../../sql/expressions";
import { readsOf } from "../../evaluate/values/convert";
import { constantScalar, type ListValue, oneOfSeveral, scalar, type Value } from "../../values";

/** The counter of a position that is one and a constant, and the constant. */
export function counterOf(
  position: Expression,
): { readonly variable: string; readonly offset: number } | undefined {
  if (position.kind === "variable") return { variable: position.name, offset: 0 };
  if (position.kind !== "arithmetic") return undefined;
  const { operator, left, right } = position;
  if (operator !== "+" && operator !== "-") return undefined;
  const [counted, constant] =
    right.kind === "literal" || operator === "-" ? [left, right] : [right, left];
  if (constant.kind !== "literal" || typeof constant.value !== "number") return undefined;
  const inner = counterOf(counted);
  const by = operator === "-" ? -constant.value : constant.value;
  return inner && { ...inner, offset: inner.offset + by };
}

/** The value of a position; `computed` holds pairs of a position and a value. Undefined: nothing that is known. */
export function computedAt(computed: ListValue, position: number): Value | undefined {
  for (const { value: pair } of computed.items) {
    if (pair?.kind !== "list") continue;
    const [at, value] = pair.items.map((cell) => cell.value);
    const counter = at?.kind === "scalar" ? counterOf(at.expression) : undefined;
    if (!counter || !value) continue;
    const { variable, offset } = counter;
    const made = substituted(value, variable, position - offset);
    // Other changes from round to round are not told by the counter.
    return made && readsOf(made).every(isSteady) ? made : oneOfSeveral("which parameter is set is only known when it runs", readsOf(made ?? value)); // prettier-ignore
  }
  return undefined;
}

function isSteady(expression: Expression): boolean {
  if (expression.kind === "variable") return false;
  if (expression.kind === "field") return expression.at === "first";
  return operandsOf(expression).every(isSteady);
}

/** The value in the round in which a counter has come to a number; undefined where that cannot be told. */
function substituted(value: Value, variable: string, number: number): Value | undefined {
  switch (value.kind) {
    case "scalar":
      return { ...value, expression: inRound(value.expression, variable, number) };
    case "input": {
      const { element } = value;
      if (!element) return value;
      return { ...value, element: { ...element, index: inRound(element.index, variable, number) } };
    }
    case "text":
      return value.parts.every(({ kind }) => kind === "run") ? value : undefined;
    case "unknown":
    case "undefined":
      return value;
    default:
      return undefined;
  }
}

function inRound(expression: Expression, variable: string, number: number): Expression {
  if (expression.kind === "variable" && expression.name === variable) return literal(number);
  const made = mapParts(expression, (part) => inRound(part, variable, number));
  if (made.kind !== "arithmetic" || (made.operator !== "+" && made.operator !== "-")) return made;
  const [left, right] = [made.left, made.right].map((part) => constantScalar(scalar(part)));
  if (typeof left !== "number" || typeof right !== "number") return made;
  return literal(made.operator === "+" ? left + right : left - right);
}
