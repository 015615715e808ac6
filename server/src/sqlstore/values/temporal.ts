// Dates, times and intervals. Dates and times are texts in a fixed form whose order as text is their order in time;
// the zone of a session is UTC, so a timestamp with time zone is one of UTC.
import { dictionary } from "../../protocol/dictionary";
import { failure } from "../sqlError";
import type { Interval } from "./value";

/** Microseconds of a day. */
export const DAY = 86_400_000_000;
const DAY_MICROS = DAY;
const SECOND_MICROS = 1_000_000;

/** Days since 1970-01-01, and microseconds of the day. */
export interface Moment {
  readonly days: number;
  readonly micros: number;
}

const DATE = /^(\d{4,6})-(\d{1,2})-(\d{1,2})$/;
const TIME =
  /^(\d{1,3}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9}))?)?\s*(?:(am|pm)\s*)?(z|utc|gmt|[+-]\d{1,2}(?::?\d{2})?)?$/i;

const ZONE = /^(?:z|utc|gmt|[+-]\d{1,2}(?::?\d{2})?)$/i;

/** A date in any of the usual forms, undefined when it is none. */
export function parseDay(text: string): number | undefined {
  const trimmed = text.trim();
  const [, year, month, day] =
    DATE.exec(trimmed) ?? /^(\d{4})(\d{2})(\d{2})$/.exec(trimmed) ?? SLASHED.exec(trimmed) ?? [];
  if (year === undefined) return undefined;
  return dayOf(Number(year), Number(month), Number(day));
}

const SLASHED = /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/;

/** The day of a date; undefined where the calendar has none. */
export function dayOf(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1 || year < 1) return undefined;
  if (day > daysOfMonth(year, month)) return undefined;
  return civilDay(year, month, day);
}

export function daysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

/** Days since 1970-01-01 of a date of the proleptic Gregorian calendar. */
function civilDay(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}

/** Year, month and day of a number of days since 1970-01-01. */
export function civil(days: number): readonly [number, number, number] {
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36524) -
      Math.floor(dayOfEra / 146096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1;
  const month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9;
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day];
}

/** A time of day in microseconds, with the offset of its zone if it names one. */
export function parseClock(
  text: string,
): { readonly micros: number; readonly offset?: number } | undefined {
  const [, hours, minutes, seconds, fraction, half, zone] = TIME.exec(text.trim()) ?? [];
  if (hours === undefined) return undefined;
  let hour = Number(hours);
  if (half !== undefined) hour = (hour % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  const minute = Number(minutes);
  const second = Number(seconds ?? 0);
  if (minute > 59 || second > 59) return undefined;
  const rest = Math.round(Number(`0.${fraction ?? ""}0`) * SECOND_MICROS);
  const micros = ((hour * 60 + minute) * 60 + second) * SECOND_MICROS + rest;
  if (zone === undefined) return { micros };
  const [, sign, zoneHours = "0", zoneMinutes = "0"] =
    /^([+-])(\d{1,2}):?(\d{2})?$/.exec(zone) ?? [];
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60 * SECOND_MICROS;
  return { micros, offset: sign === "-" ? -offset : offset };
}

const LENGTH = /^(-?)(?:(\d{1,2})\s+)?(\d{1,3}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9}))?)?$/;
/** MySQL's longest TIME is 838:59:59. */
const LONGEST = (839 * 3600 - 1) * SECOND_MICROS;

/** A value of MySQL's TIME in microseconds: a length of time, which may be negative and longer than a day. */
export function parseLength(text: string): number | undefined {
  const found = LENGTH.exec(text.trim());
  if (found === null) return undefined;
  const [, sign, days = "0", hours, minutes, seconds = "0", fraction] = found;
  if (Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const rest = Math.round(Number(`0.${fraction ?? ""}0`) * SECOND_MICROS);
  const micros = whole * SECOND_MICROS + rest;
  if (micros > LONGEST) return undefined;
  return sign === "-" ? -micros : micros;
}

/** A date with or without a time. With `toUtc` a zone counts, else it is left out, as PostgreSQL does. */
export function parseMoment(text: string, toUtc: boolean): Moment | undefined {
  const trimmed = text.trim();
  const cut = /^[\d/-]+/.exec(trimmed)?.[0].length ?? 0;
  const days = parseDay(trimmed.slice(0, cut));
  if (days === undefined) return undefined;
  const rest = trimmed
    .slice(cut)
    .replace(/^[tT\s]/, "")
    .trim();
  if (rest === "") return { days, micros: 0 };
  // A date may have a zone without a time.
  const clock = parseClock(ZONE.test(rest) ? `00:00${rest}` : rest);
  if (clock === undefined || clock.micros > DAY_MICROS) return undefined;
  return moment(days, clock.micros - (toUtc ? (clock.offset ?? 0) : 0));
}

/** A moment whose microseconds lie within its day. */
export function moment(days: number, micros: number): Moment {
  const over = Math.floor(micros / DAY_MICROS);
  return { days: days + over, micros: micros - over * DAY_MICROS };
}

export function formatDay(days: number): string {
  const [year, month, day] = civil(days);
  if (year < 1 || year > 9999) throw failure("timeRange", "date out of range");
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** `HH:MM:SS[.ffffff]`, without zeros at the end unless `digits` says how many are shown. */
export function formatClock(micros: number, digits?: number): string {
  const negative = micros < 0;
  const all = Math.abs(micros);
  const seconds = Math.floor(all / SECOND_MICROS);
  const fraction = pad(all - seconds * SECOND_MICROS, 6);
  const shown = digits === undefined ? fraction.replace(/0+$/, "") : fraction.slice(0, digits);
  const text = `${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}`;
  return (negative ? "-" : "") + (shown === "" ? text : `${text}.${shown}`);
}

export function formatMoment(at: Moment): string {
  return `${formatDay(at.days)} ${formatClock(at.micros)}`;
}

/** The parts of a date or timestamp of our own form. */
export function momentOf(text: string): Moment {
  const at = parseMoment(text, true);
  if (at === undefined)
    throw failure("badTime", `invalid input syntax for type timestamp: "${text}"`);
  return at;
}

/** Microseconds since 1970. */
export function microsOf({ days, micros }: Moment): number {
  return days * DAY_MICROS + micros;
}

export function momentAt(micros: number): Moment {
  return moment(0, micros);
}

/** Seconds rounded to a number of digits. */
export function roundedMoment(at: Moment, digits: number): Moment {
  const unit = 10 ** (6 - digits);
  return moment(at.days, Math.round(at.micros / unit) * unit);
}

/** Adds months (the day is cut to the month's length), days and microseconds, in this order. */
export function addInterval(at: Moment, { months, days, micros }: Interval): Moment {
  let day = at.days;
  if (months !== 0) {
    const [year, month, dayOfMonth] = civil(day);
    const index = year * 12 + (month - 1) + months;
    const newYear = Math.floor(index / 12);
    const newMonth = index - newYear * 12 + 1;
    const last = daysOfMonth(newYear, newMonth);
    day = civilDay(newYear, newMonth, Math.min(dayOfMonth, last));
  }
  return moment(day + days, at.micros + micros);
}

export function interval(months: number, days: number, micros: number): Interval {
  return { kind: "interval", months, days, micros };
}

export function negateInterval({ months, days, micros }: Interval): Interval {
  return interval(-months, -days, -micros);
}

export function scaleInterval(by: Interval, factor: number): Interval {
  const months = by.months * factor;
  const wholeMonths = Math.trunc(months);
  const days = by.days * factor + (months - wholeMonths) * 30;
  const wholeDays = Math.trunc(Math.round(days * 1e6) / 1e6);
  const micros = by.micros * factor + (days - wholeDays) * DAY_MICROS;
  return interval(wholeMonths, wholeDays, Math.round(micros));
}

/** A number that orders intervals as PostgreSQL does: a month is 30 days, a day is 24 hours. */
export function intervalSize({ months, days, micros }: Interval): number {
  return (months * 30 + days) * DAY_MICROS + micros;
}

/** The size of a unit: months, days and microseconds. */
const UNITS: ReadonlyMap<string, readonly [number, number, number]> = new Map([
  ["microsecond", [0, 0, 1]],
  ["millisecond", [0, 0, 1000]],
  ["second", [0, 0, SECOND_MICROS]],
  ["minute", [0, 0, 60 * SECOND_MICROS]],
  ["hour", [0, 0, 3600 * SECOND_MICROS]],
  ["day", [0, 1, 0]],
  ["week", [0, 7, 0]],
  ["month", [1, 0, 0]],
  ["quarter", [3, 0, 0]],
  ["year", [12, 0, 0]],
  ["decade", [120, 0, 0]],
  ["century", [1200, 0, 0]],
]);

const SHORT = dictionary<string>({
  us: "microsecond",
  ms: "millisecond",
  msec: "millisecond",
  s: "second",
  sec: "second",
  m: "minute",
  min: "minute",
  h: "hour",
  hr: "hour",
  d: "day",
  w: "week",
  mon: "month",
  y: "year",
  yr: "year",
});

/** An amount of a unit, by its name in the singular or plural; undefined for another word. */
export function intervalOf(amount: number, unit: string): Interval | undefined {
  const singular = unit.length > 2 ? unit.replace(/s$/, "") : unit;
  const found = UNITS.get(Object.hasOwn(SHORT, singular) ? (SHORT[singular] ?? "") : singular);
  if (found === undefined) return undefined;
  const [months, days, micros] = found;
  return scaleInterval(interval(months, days, micros), amount);
}

/** An interval as PostgreSQL reads it: `1 day 02:03:04`, `2 hours ago`, `P1D` is not read. */
export function parseInterval(text: string): Interval | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .match(/[+-]?[\d.]+(?::[\d:.]+)?|[a-z]+/g);
  if (words === null || text.trim().toLowerCase().startsWith("p")) return undefined;
  let total = interval(0, 0, 0);
  let ago = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "ago") ago = true;
    else if (word.includes(":")) {
      const clock = parseClock(word.replace(/^[+-]/, ""));
      if (clock === undefined) return undefined;
      total = addIntervals(
        total,
        interval(0, 0, word.startsWith("-") ? -clock.micros : clock.micros),
      );
    } else {
      const amount = Number(word);
      if (Number.isNaN(amount)) return undefined;
      const next = words[at + 1];
      const isUnit = next !== undefined && /^[a-z]+$/.test(next) && next !== "ago";
      const part = intervalOf(amount, isUnit ? next : "second");
      if (part === undefined) return undefined;
      total = addIntervals(total, part);
      if (isUnit) at++;
    }
  }
  return ago ? negateInterval(total) : total;
}

export function addIntervals(left: Interval, right: Interval): Interval {
  return interval(left.months + right.months, left.days + right.days, left.micros + right.micros);
}

/** As PostgreSQL writes it by default: `1 year 2 mons 3 days 04:05:06`. */
export function formatInterval({ months, days, micros }: Interval): string {
  const parts: string[] = [];
  const years = Math.trunc(months / 12);
  const restMonths = months % 12;
  if (years !== 0) parts.push(`${years} ${years === 1 ? "year" : "years"}`);
  if (restMonths !== 0) parts.push(`${restMonths} ${restMonths === 1 ? "mon" : "mons"}`);
  if (days !== 0) parts.push(`${days} ${days === 1 ? "day" : "days"}`);
  if (micros !== 0 || parts.length === 0) parts.push(formatClock(micros));
  return parts.join(" ");
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
