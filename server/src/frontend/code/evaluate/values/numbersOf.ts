// Number in a value. Arguments stand for the number that is in them, as they do for the text of it.
import type { ValueType } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { scalar, type Value } from "../../values";
import type { State } from "../state";
import { isInput } from "../../roots/provenance";
import { isMoment, millisOf } from "../builtins/moments";
import { declaredType, expressionOf } from "./convert";

/** Types of columns whose values are no numbers. */
const OTHERS: ReadonlySet<ValueType | undefined> = new Set([
  "text",
  "time",
  "json",
  "bytes",
  "bool",
]);

/**
 * A value as the number that it is or has in it, as functions of the language read it: of what was read and is no number it
 * is a function of that, which gives the same text the same number.
 */
export function numberOf(
  state: State,
  value: Value,
  how: "Number" | "parseInt" | "parseFloat",
): Value {
  if (value.kind === "input") return asNumber(value);
  if (value.kind !== "scalar" && value.kind !== "text") return value;
  if (how === "Number" && isMoment(value)) return millisOf(state, value);
  const expression = expressionOf(state, value);
  const type = value.kind === "text" ? "text" : value.type;
  const isWhole = how === "parseInt";
  if (OTHERS.has(type)) {
    if (isInput(expression)) return type === "text" ? scalar(expression, isWhole ? "int" : "decimal") : value; // prettier-ignore
    const name = `code:${how}`;
    const given = { kind: "call", name, arguments: [expression], deterministic: true } as const;
    return scalar(given, isWhole ? "int" : "decimal");
  }
  if (how === "Number" && value.kind === "scalar" && value.mayBeNull === true) {
    return scalar({ kind: "coalesce", operands: [expression, literal(0)] }, type);
  }
  const isDivided = expression.kind === "arithmetic" && expression.operator === "/";
  const hasFraction = isDivided || (type === "decimal" && !isInput(expression));
  if (!isWhole || !hasFraction) return value;
  return scalar({ kind: "call", name: "trunc", arguments: [expression], deterministic: true });
}

/** An argument that may be a text as the number in it, which is false where it is zero and not where it is empty. */
function asNumber(value: Extract<Value, { kind: "input" }>): Value {
  const { standsFor, members: _parts, ...own } = value;
  const declared = declaredType(standsFor ?? own.type);
  const isOther = declared !== undefined && declared !== "text";
  return isOther ? value : { ...own, type: "number" };
}
