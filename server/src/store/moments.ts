// Date arithmetic of application code: a text with date and time as milliseconds and calendar fields. Without a time zone the text is UTC,
// as is the calendar.
import { dictionary } from "../protocol/dictionary";
import { asNumeric, isOpaque, toDecimal, toInteger, type SqlValue } from "./value";

/**
 * The value of a date function; undefined for other functions or for arguments that are no dates. `code:millis` and `code:instant` convert
 * between a date and its milliseconds; `code:Date.NAME` are methods of dates, and steps and boundaries of the calendar
 * (`code:Date.addMonths`, `code:Date.startOfDay`).
 */
export function callOfMoments(name: string, values: readonly SqlValue[]): SqlValue | undefined {
  const [first = null, ...others] = values;
  if (!name.startsWith("code:") || values.some(isOpaque)) return undefined;
  const what = name.slice("code:".length);
  if (what !== "millis" && what !== "instant" && !what.startsWith("Date.")) return undefined;
  if (values.includes(null)) return null;
  const millis = millisOf(first);
  if (millis === undefined) return undefined;
  if (what === "millis") return millis;
  if (what === "instant") return textOf(millis);
  const numbers = others.map(wholeOf);
  return numbers.includes(undefined)
    ? undefined
    : ofCalendar(
        what.slice("Date.".length),
        new Date(millis),
        numbers.flatMap((each) => each ?? []),
        typeof first === "string" && !first.includes(":"),
      );
}

/** Milliseconds since 1970; a number is returned as it is. */
function millisOf(value: SqlValue): number | undefined {
  if (typeof value !== "string") return wholeOf(value);
  if (!MOMENT.test(value)) return undefined;
  const text = ZONE.test(value) || !value.includes(":") ? value : `${value}Z`;
  const millis = Date.parse(text.replace(" ", "T").replace(/(?<=:.*[+-]\d\d)$/u, ":00"));
  return Number.isNaN(millis) ? undefined : millis;
}

const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/u;
const ZONE = /:.*(?:Z|[+-]\d\d(?::?\d\d)?)$/u;

function wholeOf(value: SqlValue): number | undefined {
  const number = asNumeric(value);
  return number === undefined ? undefined : toInteger(toDecimal(number));
}

/** A date as text of the store; undefined if it is out of range. */
function textOf(millis: number): string | undefined {
  const date = new Date(millis);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function ofCalendar(
  name: string,
  date: Date,
  numbers: readonly number[],
  isDay: boolean,
): SqlValue | undefined {
  const [, how = "", part = ""] = /^(get|set|add|startOf|endOf)(\w*)$/u.exec(name) ?? [];
  const [first = 0] = numbers;
  switch (how) {
    case "get":
      return GETTERS[part.replace(/^UTC/u, "")]?.(date);
    case "set":
      return textOf(SETTERS[part.replace(/^UTC/u, "")]?.(date, numbers) ?? NaN);
    case "add":
      return moved(part, date, first, isDay);
    case "startOf":
      return textOf(startOf(part, date, 0));
    case "endOf":
      return textOf(startOf(part, date, 1) - 1);
    default:
      return undefined;
  }
}

const DAY = 86_400_000;

/** A date so many days or months later, without a time if it had none. */
function moved(unit: string, date: Date, count: number, isDay: boolean): string | undefined {
  const months = unit === "Months" ? monthsLater(date, count) : NaN;
  const text = textOf(unit === "Days" ? date.getTime() + count * DAY : months);
  return isDay ? text?.slice(0, text.indexOf("T")) : text;
}

const GETTERS = dictionary<((date: Date) => number) | undefined>({
  FullYear: (date) => date.getUTCFullYear(),
  Month: (date) => date.getUTCMonth(),
  Date: (date) => date.getUTCDate(),
  Day: (date) => date.getUTCDay(),
  Hours: (date) => date.getUTCHours(),
  Minutes: (date) => date.getUTCMinutes(),
  Seconds: (date) => date.getUTCSeconds(),
  Milliseconds: (date) => date.getUTCMilliseconds(),
});

type Setter = (date: Date, numbers: readonly number[]) => number;

const SETTERS = dictionary<Setter | undefined>({
  FullYear: (date, [year = NaN, month = date.getUTCMonth(), day = date.getUTCDate()]) =>
    date.setUTCFullYear(year, month, day),
  Month: (date, [month = NaN, day = date.getUTCDate()]) => date.setUTCMonth(month, day),
  Date: (date, [day = NaN]) => date.setUTCDate(day),
  Hours: (date, [hour = NaN, ...rest]) =>
    date.setUTCHours(hour, rest[0] ?? date.getUTCMinutes(), rest[1] ?? date.getUTCSeconds(), rest[2] ?? date.getUTCMilliseconds()), // prettier-ignore
  Minutes: (date, [minute = NaN, ...rest]) =>
    date.setUTCMinutes(minute, rest[0] ?? date.getUTCSeconds(), rest[1] ?? date.getUTCMilliseconds()), // prettier-ignore
  Seconds: (date, [second = NaN, millis = date.getUTCMilliseconds()]) =>
    date.setUTCSeconds(second, millis),
  Milliseconds: (date, [millis = NaN]) => date.setUTCMilliseconds(millis),
  Time: (_, [millis = NaN]) => millis,
});

/** The same day of another month, or its last day if it is shorter. */
function monthsLater(date: Date, months: number): number {
  const day = date.getUTCDate();
  const later = new Date(date);
  later.setUTCDate(1);
  later.setUTCMonth(later.getUTCMonth() + months);
  const last = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate();
  return later.setUTCDate(Math.min(day, last));
}

/** The start of the calendar unit that contains the date, or of a later unit. */
function startOf(unit: string, date: Date, later: number): number {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (unit) {
    case "Year":
      return Date.UTC(year + later, 0);
    case "Month":
      return Date.UTC(year, month + later);
    case "Day":
      return Date.UTC(year, month, day + later);
    case "Hour":
      return Date.UTC(year, month, day, date.getUTCHours() + later);
    case "Minute":
      return Date.UTC(year, month, day, date.getUTCHours(), date.getUTCMinutes() + later);
    case "Second":
      return Math.floor(date.getTime() / 1000 + later) * 1000;
    default:
      return NaN;
  }
}
