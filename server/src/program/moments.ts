// Arithmetic with dates and times, in SQL and in code: a moment is of type `time`, its milliseconds are a number, and steps of
// the calendar are functions that the store evaluates. Days have 24 hours, and texts without a zone are UTC.
import { dictionary } from "../protocol/dictionary";
import type { Expression } from "./expression";

const MILLIS = "code:millis";
const INSTANT = "code:instant";

/** The milliseconds of a moment since 1970. */
export function millisecondsOf(moment: Expression): Expression {
  return isCall(moment, INSTANT) ? argumentOf(moment) : call(MILLIS, moment);
}

/** The moment of so many milliseconds since 1970. */
export function momentAt(millis: Expression): Expression {
  return isMilliseconds(millis) ? argumentOf(millis) : call(INSTANT, millis);
}

/** True for the milliseconds of a moment. */
export function isMilliseconds(expression: Expression): boolean {
  return isCall(expression, MILLIS);
}

/** A function of the calendar of a moment: `addMonths`, `startOfDay`, `getHours`. */
export function calendarCall(name: string, operands: readonly Expression[]): Expression {
  return call(`code:Date.${name}`, ...operands);
}

/** A moment so many units later; undefined where the unit is not known. */
export function movedBy(
  moment: Expression,
  count: Expression,
  unit: string,
  sign: 1 | -1 = 1,
): Expression | undefined {
  const months = MONTHS[unit];
  if (months !== undefined) return calendarCall("addMonths", [moment, times(count, sign * months)]);
  const length = lengthOf(unit);
  if (length === undefined) return undefined;
  const start = millisecondsOf(moment);
  return momentAt({
    kind: "arithmetic",
    operator: "+",
    left: start,
    right: times(count, sign * length),
  });
}

/** As `movedBy`, for values of SQL, where a date without a time stays one: days are steps of the calendar. */
export function movedInSql(
  moment: Expression,
  count: Expression,
  unit: string,
  sign: 1 | -1 = 1,
): Expression | undefined {
  const days = DAYS[unit];
  return days === undefined
    ? movedBy(moment, count, unit, sign)
    : calendarCall("addDays", [moment, times(count, sign * days)]);
}

/** How many milliseconds a unit has; undefined for those of a calendar. */
export function lengthOf(unit: string | undefined): number | undefined {
  return unit === undefined ? undefined : FACTORS[unit];
}

/** The unit of a name: `day` for `days`, `d`, `DAY`; undefined for other names. */
export function unitOfName(name: string): string | undefined {
  return UNITS.get(name === "M" ? "month" : name.toLowerCase());
}

/** A count times a constant. */
export function times(count: Expression, factor: number): Expression {
  if (factor === 1) return count;
  if (count.kind === "literal" && typeof count.value === "number")
    return { ...count, value: count.value * factor };
  const right: Expression = { kind: "literal", value: factor, type: "int" };
  return { kind: "arithmetic", operator: "*", left: count, right };
}

const UNITS: ReadonlyMap<string, string> = new Map(
  [
    "millisecond milliseconds ms msec millis",
    "second seconds s sec secs",
    "minute minutes m min mins",
    "hour hours h hr hrs",
    "day days d calendardays",
    "week weeks w",
    "month months mon mons",
    "quarter quarters q",
    "year years y yr yrs",
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

const DAYS = dictionary<number | undefined>({ day: 1, week: 7 });

const MONTHS = dictionary<number | undefined>({ month: 1, quarter: 3, year: 12 });

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
