// Small makers of AR expressions that every lowering uses.
import type { Expression } from "../../program/expression";

export const TRUE: Expression = { kind: "literal", value: true, type: "bool" };

/** A literal of the type that its JavaScript value suggests. */
export function literal(value: number | string | boolean | null): Expression {
  if (typeof value === "number") {
    return { kind: "literal", value, type: Number.isInteger(value) ? "int" : "decimal" };
  }
  const type = typeof value === "boolean" ? "bool" : value === null ? "other" : "text";
  return { kind: "literal", value, type };
}

/** The conjunction, flat and without `true`. */
export function conjunction(operands: readonly Expression[]): Expression {
  const flat = operands.flatMap((each) => (each.kind === "and" ? each.operands : [each]));
  const kept = flat.filter((each) => !(each.kind === "literal" && each.value === true));
  const [first] = kept;
  if (first === undefined) return TRUE;
  return kept.length === 1 ? first : { kind: "and", operands: kept };
}
