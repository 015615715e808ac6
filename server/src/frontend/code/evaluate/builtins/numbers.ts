// Numbers that are read from texts: of constants what they are; others stand for the number that is in them.
import { constant, constantScalar, scalar, UNDEFINED, unknown, type Value } from "../../values";
import { orAbsent } from "../values/absence";
import { expressionOf } from "../values/convert";
import { overChoice } from "../values/operators";
import type { State } from "../state";
import { named, type Builtin } from "./builtin";

type Read = (text: string | number, radix: number | undefined) => number;

const wholeOf: Read = (text, radix) => Number.parseInt(String(text), radix);

/** `Number`, `parseInt` and `parseFloat`, also under `Number`. */
export const NUMBERS: Readonly<Record<string, Builtin>> = {
  Number: readBy((text) => Number(text)),
  ...named("parseFloat Number.parseFloat", readBy((text) => Number.parseFloat(String(text)))), // prettier-ignore
  ...named("parseInt Number.parseInt", readBy(wholeOf, whole)),
};

function readBy(read: Read, other: (state: State, value: Value) => Value = asItIs): Builtin {
  return ({ state, args: [given = UNDEFINED, radix] }) => {
    const base = constantScalar(radix);
    const readOf = (part: Value): Value => {
      if (part.kind === "choice") return overChoice(part, readOf);
      if (part.kind === "undefined") return unknown(NO_NUMBER);
      const split = orAbsent(part);
      if (split.kind === "choice") return overChoice(split, readOf);
      const value = constantScalar(part);
      if (typeof value !== "string" && typeof value !== "number") return other(state, part);
      const number = read(value, typeof base === "number" ? base : undefined);
      return Number.isNaN(number) ? unknown(NO_NUMBER) : constant(number);
    };
    return readOf(given);
  };
}

/** Which no column has, and no comparison takes for true. */
const NO_NUMBER = "what is no number";

function asItIs(_state: State, value: Value): Value {
  return value;
}

/** What is computed loses its fraction. */
function whole(state: State, value: Value): Value {
  if (value.kind !== "scalar" || !isDivided(value)) return value;
  const operand = expressionOf(state, value);
  return scalar({ kind: "call", name: "trunc", arguments: [operand], deterministic: true });
}

function isDivided({ expression }: Extract<Value, { kind: "scalar" }>): boolean {
  return expression.kind === "arithmetic" && expression.operator === "/";
}
