// Dates of JavaScript and data of rows, whose methods change them.
import { TODAY } from "../../../sql/currentDate";
import { scalar, unknown, type Value } from "../../values";
import type { State } from "../state";
import { expressionOf, readsOf } from "../values/convert";
import { asForeign } from "../values/foreignValues";
import { aliases, type Builtin } from "./builtin";
import { asMilliseconds, calendar, millisOf, momentOf, now } from "./moments";

const PARTS = "FullYear Month Date Day Hours Minutes Seconds Milliseconds".split(" ");

/** Methods of dates that ask for a part of them. */
const GETTERS: Readonly<Record<string, Builtin>> = Object.fromEntries(
  PARTS.flatMap((part) => [`get${part}`, `getUTC${part}`]).flatMap((name) =>
    ["scalar", "input"].map((kind): [string, Builtin] => [
      `${kind}.${name}`,
      ({ state, self }) => calendar(state, name, [self], "int"),
    ]),
  ),
);

/** The language's own dates. */
export const DATES: Readonly<Record<string, Builtin>> = {
  ...aliases("Date.now System.currentTimeMillis", ({ state }) => millisOf(state, now(state))),
  ...aliases("Instant.now LocalDateTime.now System.nanoTime", ({ state }) => now(state)),
  ...aliases("LocalDate.now", () => scalar(TODAY, "time")),
  Date: ({ state, args, site }) => {
    // The parts of a date, or a time in some form.
    if (args.length > 1) return asForeign(state, ofParts(state, args));
    const made = args[0] ? momentOf(state, args[0]) : now(state);
    return site.isNew ? asForeign(state, made) : made;
  },
  ...aliases("scalar.valueOf scalar.toNumber", ({ state, self }) => asMilliseconds(state, self)),
  ...aliases("scalar.getTime input.getTime", ({ state, self }) => millisOf(state, self)),
  ...GETTERS,
};

function ofParts(state: State, parts: readonly Value[]): Value {
  const operands = parts.map((each) => expressionOf(state, each));
  return scalar({ kind: "call", name: "code:Date", arguments: operands, deterministic: true });
}

/** The date behind `date.setHours(...)` and its like; undefined for other methods, and of what is no date. */
export function movedDate(
  state: State,
  date: Value,
  method: string,
  args: readonly Value[],
): Value | undefined {
  if (!movesDate(method) || (date.kind !== "scalar" && date.kind !== "input")) return undefined;
  return calendar(state, method, [date, ...args]);
}

/** True if a method is one of dates that changes them. */
export function movesDate(method: string): boolean {
  return SETTERS.test(method);
}

const SETTERS = /^set(?:UTC)?(?:Date|Day|Month|FullYear|Hours|Minutes|Seconds|Milliseconds|Time)$/u;

/** The data of a row behind `row.tags.push(tag)` or `data.size = 1`; undefined for what is no data that was read. */
export function changedData(of: Value, how: string, args: readonly Value[]): Value | undefined {
  // `row.meta.tags` is asked of what was read as a method is.
  const data = of.kind === "builtin" && of.self ? of.self : of;
  if (data.kind !== "scalar" || data.foreign || !CHANGES.test(how)) return undefined;
  const reads = [data, ...args].flatMap((each) => readsOf(each));
  return unknown(`what "${how}" changes in data is not known`, reads);
}

const CHANGES = /^(?:push|pop|shift|unshift|splice|fill|sort|reverse|set|append|delete|=)$/u;
