// Moments: what code calculates with dates and times. A moment is of type `time`; its milliseconds are a number, and a date
// that is made of a number is the moment of that.
import type { Expression } from "../../../../program/expression";
import { dictionary } from "../../../../protocol/dictionary";
import { literal } from "../../../sql/expressions";
import { constantText, scalar, type Value } from "../../values";
import type { State } from "../state";
import { expressionOf } from "../values/convert";

const MILLIS = "code:millis";
const INSTANT = "code:instant";

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
  const of = expressionOf(state, moment);
  return scalar(isCall(of, INSTANT) ? argumentOf(of) : call(MILLIS, of), "int");
}

/** A value where code calculates: of a moment its milliseconds. */
export function asMilliseconds(state: State, value: Value): Value {
  return isMoment(value) ? millisOf(state, value) : value;
}

/** Value of `new Date(value)`: for a number, the moment that many milliseconds after the beginning of 1970. */
export function momentOf(state: State, value: Value): Value {
  const of = expressionOf(state, value);
  if (isCall(of, MILLIS)) return scalar(argumentOf(of), "time");
  return isNumber(value, of) ? scalar(call(INSTANT, of), "time") : value;
}

/** A function of dates that gives a moment, or with `type` something else of one. */
export function calendar(
  state: State,
  name: string,
  args: readonly Value[],
  type: "time" | "int" = "time",
): Value {
  const operands = args.map((each) => expressionOf(state, each));
  return scalar(call(`code:Date.${name}`, ...operands), type);
}

/** A moment some units later, as `add(30, "days")` gives it; undefined where the unit is not known. */
export function later(
  state: State,
  moment: Value,
  count: Value,
  unit: string,
  sign: 1 | -1 = 1,
): Value | undefined {
  const by = expressionOf(state, count);
  const months = MONTHS[unit];
  if (months !== undefined) {
    return scalar(call("code:Date.addMonths", expressionOf(state, moment), times(by, sign * months)), "time"); // prettier-ignore
  }
  const factor = FACTORS[unit];
  if (factor === undefined) return undefined;
  const start = expressionOf(state, millisOf(state, moment));
  const sum = { kind: "arithmetic", operator: "+", left: start, right: times(by, sign * factor) } as const; // prettier-ignore
  return scalar(call(INSTANT, sum), "time");
}

/** How many milliseconds a unit has; undefined for those of a calendar. */
export function lengthOf(unit: string | undefined): number | undefined {
  return unit === undefined ? undefined : FACTORS[unit];
}

/** The unit that code names: `"days"`, `"d"`, `Days` of `addDays`; undefined where it names none. */
export function unitOf(value: Value | string | undefined): string | undefined {
  const text = typeof value === "string" ? value : constantText(value);
  return text === undefined ? undefined : UNITS.get(text === "M" ? "month" : text.toLowerCase());
}

const UNITS: ReadonlyMap<string, string> = new Map(
  [
    "millisecond milliseconds ms millis",
    "second seconds s sec secs",
    "minute minutes m min mins",
    "hour hours h",
    "day days d calendardays",
    "week weeks w",
    "month months",
    "quarter quarters q",
    "year years y",
  ].flatMap((line) => {
    const [unit = "", ...others] = line.split(" ");
    return [unit, ...others].map((name): [string, string] => [name, unit]);
  }),
);

const FACTORS = dictionary<number | undefined>({
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
});

const MONTHS = dictionary<number | undefined>({ month: 1, quarter: 3, year: 12 });

function isNumber(value: Value, of: Expression): boolean {
  if (value.kind === "scalar" && (value.type === "int" || value.type === "decimal")) return true;
  if (value.kind === "input") return /^(?:number|bigint)$/u.test(value.type?.trim() ?? "");
  if (of.kind === "call") return ROUNDED.test(of.name) || of.name === MILLIS;
  return (of.kind === "arithmetic" && of.operator !== "||") || of.kind === "negate";
}

const ROUNDED = /^(?:floor|round|ceil|trunc|greatest|least|abs)$/u;

function times(by: Expression, factor: number): Expression {
  if (factor === 1) return by;
  if (by.kind === "literal" && typeof by.value === "number") return literal(by.value * factor);
  return { kind: "arithmetic", operator: "*", left: by, right: literal(factor) };
}

function call(name: string, ...operands: readonly Expression[]): Expression {
  return { kind: "call", name, arguments: operands, deterministic: true };
}

function isCall(expression: Expression, name: string): boolean {
  return expression.kind === "call" && expression.name === name;
}

function argumentOf(expression: Expression): Expression {
  const [first] = expression.kind === "call" ? expression.arguments : [];
  return first ?? expression;
}
