// Numbers that are read from texts: of constants what they are.
import { constant, constantScalar, UNDEFINED, unknown, type Value } from "../../values";
import { orAbsent } from "../values/absence";
import { numberOf } from "../values/numbersOf";
import { overChoice } from "../values/operators";
import { aliases, type Builtin } from "./builtin";

type Read = (text: string | number, radix: number | undefined) => number;

const wholeOf: Read = (text, radix) => Number.parseInt(String(text), radix);

/** `Number`, `parseInt` and `parseFloat`, also under `Number`. */
export const NUMBERS: Readonly<Record<string, Builtin>> = {
  Number: readBy("Number", (text) => Number(text)),
  ...aliases("parseFloat Number.parseFloat", readBy("parseFloat", (text) => Number.parseFloat(String(text)))), // prettier-ignore
  ...aliases("parseInt Number.parseInt", readBy("parseInt", wholeOf)),
};

function readBy(how: Parameters<typeof numberOf>[2], read: Read): Builtin {
  return ({ state, args: [given = UNDEFINED, radix] }) => {
    const base = constantScalar(radix);
    const readOf = (part: Value): Value => {
      if (part.kind === "choice") return overChoice(part, readOf);
      if (part.kind === "undefined") return unknown(NO_NUMBER);
      const split = orAbsent(part);
      if (split.kind === "choice") return overChoice(split, readOf);
      const value = constantScalar(part);
      if (typeof value !== "string" && typeof value !== "number") return numberOf(state, part, how);
      const number = read(value, typeof base === "number" ? base : undefined);
      return Number.isNaN(number) ? unknown(NO_NUMBER) : constant(number);
    };
    return readOf(given);
  };
}

/** Which no column has, and no comparison takes for true. */
const NO_NUMBER = "what is no number";
