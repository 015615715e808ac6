// Dates of JavaScript and data of rows, whose methods change them.
import { scalar, unknown, type Value } from "../../values";
import { expressionOf, readsOf } from "../values/convert";
import type { State } from "../state";

/** What a date is behind `date.setHours(...)` and its like; undefined for other methods, and of what is no date. */
export function movedDate(
  state: State,
  date: Value,
  method: string,
  args: readonly Value[],
): Value | undefined {
  if (!movesDate(method) || (date.kind !== "scalar" && date.kind !== "input")) return undefined;
  const operands = [date, ...args].map((each) => expressionOf(state, each));
  const name = `code:Date.${method}`;
  return scalar({ kind: "call", name, arguments: operands, deterministic: true }, "time");
}

/** Whether a method is one of dates that changes them. */
export function movesDate(method: string): boolean {
  return SETTERS.test(method);
}

const SETTERS = /^set(?:UTC)?(?:Date|Day|Month|FullYear|Hours|Minutes|Seconds|Milliseconds|Time)$/u;

/** What data of a row is behind `row.tags.push(tag)` or `data.size = 1`; undefined for what is no data that was read. */
export function changedData(of: Value, how: string, args: readonly Value[]): Value | undefined {
  // `row.meta.tags` is asked of what was read as a method is.
  const data = of.kind === "builtin" && of.self ? of.self : of;
  if (data.kind !== "scalar" || data.foreign || !CHANGES.test(how)) return undefined;
  const reads = [data, ...args].flatMap((each) => readsOf(each));
  return unknown(`what "${how}" changes in data is not known`, reads);
}

const CHANGES = /^(?:push|pop|shift|unshift|splice|fill|sort|reverse|set|append|delete|=)$/u;
