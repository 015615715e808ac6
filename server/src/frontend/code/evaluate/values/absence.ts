// Arguments that callers need not give. NULL stands for what is left out; of what may be null as well, a parameter of its
// own tells whether it is given.
import type { Expression } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { connective } from "../../../sql/terms";
import { partPath, UNDEFINED, type Value } from "../../values";
import { inputExpression } from "./convert";

type Input = Extract<Value, { kind: "input" }>;

/** When an argument, or a part of one, is left out; undefined for what is none or is always given. Constant time. */
export function leftOut(value: Value): Expression | undefined {
  if (value.kind !== "input" || value.mayLack !== true) return undefined;
  return mayBeNull(value) ? isNotGiven(value) : isNothing(value);
}

/** A value, or nothing where its caller leaves it out. */
export function orAbsent(value: Value): Value {
  if (value.kind === "scalar" && value.where) {
    const { where, ...then } = value;
    return { kind: "choice", condition: where, then, otherwise: UNDEFINED };
  }
  const condition = leftOut(value);
  if (!condition || value.kind !== "input") return value;
  return { kind: "choice", condition, then: UNDEFINED, otherwise: { ...value, mayLack: false } };
}

/** The same of what decides what is written and nothing else, where nothing checks that callers give it. */
export function withoutCheck(value: Value): Value {
  if (value.kind !== "input" || value.isUnchecked !== true) return orAbsent(value);
  return orAbsent({ ...value, mayLack: true, isUnchecked: false });
}

/** True if an argument may be missing, or null, by what is said of it. */
export function mayBeNothing({ mayLack, type, standsFor }: Input): boolean {
  const text = standsFor ?? type ?? "";
  return mayLack === true || (NOTHING.test(text) && NOTHING.test(outside(text)));
}

const NOTHING = /(?:^|\|)\s*(?:null|undefined)\s*(?:$|\|)/u;

/** A type without what stands in brackets. Quadratic in how deep these are. */
function outside(type: string): string {
  const without = type.replace(/\{[^{}]*\}|\([^()]*\)|\[[^[\]]*\]|<[^<>]*>/gu, "_");
  return without === type ? type : outside(without);
}

/** When a part of something is left out of which nobody says what it has. */
export function maybeLeftOut(value: Input): Expression {
  return isNotGiven(value);
}

/** An argument as a cast calls it, which makes nothing of a null: one that may be null besides being left out stays so. */
export function cast(value: Input, type: string): Input {
  const made = { ...value, type };
  const isTold = value.mayLack === true && mayBeNull(value) && !mayBeNull(made);
  return isTold ? { ...made, standsFor: `${type} | null` } : made;
}

/** True if an argument is exactly `null`, or exactly `undefined`; undefined where its type does not tell the two apart. */
export function isExactly(value: Value, what: "null" | "undefined"): Expression | undefined {
  if (value.kind !== "input" || value.type === undefined) return undefined;
  if (!mayBeNull(value)) return undefined;
  const isLeftOut = leftOut(value) ?? literal(false);
  if (what === "undefined") return isLeftOut;
  if (isLeftOut.kind === "literal") return undefined;
  return connective("and", [isNothing(value), givenAsNull(value)]);
}

function isNotGiven(value: Input): Expression {
  return connective("and", [isNothing(value), { kind: "not", operand: givenAsNull(value) }]);
}

function givenAsNull(value: Input): Expression {
  const isNull = inputExpression(partOf(value, "isNull"));
  return { kind: "sameValue", left: isNull, right: literal(true) };
}

function isNothing(value: Input): Expression {
  return { kind: "isNull", operand: inputExpression(value) };
}

function mayBeNull({ type, standsFor }: Input): boolean {
  return /(?:^|\|)\s*null\b/u.test(standsFor ?? type ?? "null");
}

function partOf({ path, origin, element }: Input, name: string): Input {
  const part = { kind: "input", path: partPath(path, name), origin } as const;
  if (!element) return part;
  const field = element.field === "" ? name : `${element.field}.${name}`;
  return { ...part, element: { ...element, field } };
}
