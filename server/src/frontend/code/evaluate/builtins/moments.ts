// Moments: what code calculates with dates and times. A moment is of type `time`; its milliseconds are a number, and a date
// that is made of a number is the moment of that.
import type { Expression } from "../../../../program/expression";
import {
  calendarCall,
  isMilliseconds,
  millisecondsOf,
  momentAt,
  movedBy,
  unitOfName,
} from "../../../../program/moments";
import { constantText, scalar, type Value } from "../../values";
import type { State } from "../state";
import { expressionOf } from "../values/convert";

/** The moment at which this runs: another one each time. */
export function now(state: State): Value {
  const type = "time";
  return scalar({ kind: "fresh", id: state.ids.fresh("f"), type, why: "now" }, type);
}

/** True if a value is a moment, by its type. */
export function isMoment(value: Value): boolean {
  return value.kind === "scalar" && value.type === "time";
}

/** The milliseconds of a moment, as `getTime` gives them. */
export function millisOf(state: State, moment: Value): Value {
  return scalar(millisecondsOf(expressionOf(state, moment)), "int");
}

/** A value where code calculates: of a moment its milliseconds. */
export function asMilliseconds(state: State, value: Value): Value {
  return isMoment(value) ? millisOf(state, value) : value;
}

/** Value of `new Date(value)`: for a number, the moment that many milliseconds after the beginning of 1970. */
export function momentOf(state: State, value: Value): Value {
  const of = expressionOf(state, value);
  return isMilliseconds(of) || isNumber(value, of) ? scalar(momentAt(of), "time") : value;
}

/** A function of dates that gives a moment, or with `type` something else of one. */
export function calendar(
  state: State,
  name: string,
  args: readonly Value[],
  type: "time" | "int" = "time",
): Value {
  const operands = args.map((each) => expressionOf(state, each));
  return scalar(calendarCall(name, operands), type);
}

/** A moment some units later, as `add(30, "days")` gives it; undefined where the unit is not known. */
export function later(
  state: State,
  moment: Value,
  count: Value,
  unit: string,
  sign: 1 | -1 = 1,
): Value | undefined {
  const moved = movedBy(expressionOf(state, moment), expressionOf(state, count), unit, sign);
  return moved && scalar(moved, "time");
}

/** The unit that code names: `"days"`, `"d"`, `Days` of `addDays`; undefined where it names none. */
export function unitOf(value: Value | string | undefined): string | undefined {
  const text = typeof value === "string" ? value : constantText(value);
  return text === undefined ? undefined : unitOfName(text);
}

function isNumber(value: Value, of: Expression): boolean {
  if (value.kind === "scalar" && (value.type === "int" || value.type === "decimal")) return true;
  if (value.kind === "input") return /^(?:number|bigint)$/u.test(value.type?.trim() ?? "");
  if (of.kind === "call") return ROUNDED.test(of.name);
  return (of.kind === "arithmetic" && of.operator !== "||") || of.kind === "negate";
}

const ROUNDED = /^(?:floor|round|ceil|trunc|greatest|least|abs)$/u;
