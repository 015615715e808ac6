// Dates of JavaScript, whose methods change them.
import { scalar, type Value } from "../../values";
import { expressionOf } from "../values/convert";
import type { State } from "../state";

/** What a date is behind `date.setHours(...)` and its like; undefined for other methods, and of what is no date. */
export function movedDate(
  state: State,
  date: Value,
  method: string,
  args: readonly Value[],
): Value | undefined {
  if (!SETTERS.test(method) || (date.kind !== "scalar" && date.kind !== "input")) return undefined;
  const operands = [date, ...args].map((each) => expressionOf(state, each));
  const name = `code:Date.${method}`;
  return scalar({ kind: "call", name, arguments: operands, deterministic: true }, "time");
}

const SETTERS = /^set(?:UTC)?(?:Date|Day|Month|FullYear|Hours|Minutes|Seconds|Milliseconds|Time)$/u;
