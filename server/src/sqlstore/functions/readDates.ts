// STR_TO_DATE of MySQL: a text read by a format, piece by piece.
import { dayOf, formatClock, formatDay, moment, type Moment } from "../values/temporal";

/** The type of what a format reads: parts of a date, of a time, or of both. */
export function readType(format: string): "date" | "time" | "timestamp" {
  const hasTime = /%[HkhIlisSfpTr]/.test(format);
  if (!hasTime) return "date";
  return /%[YymcdeMbDj]/.test(format) ? "timestamp" : "time";
}

const SECOND = 1_000_000;
const DAY_HOURS = 24;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Numbers that were read, by what they are. */
type Fields = Map<
  "year" | "month" | "day" | "hour" | "minute" | "second" | "micro" | "half",
  number
>;

interface Piece {
  readonly pattern: RegExp;
  readonly read: (text: string, fields: Fields) => void;
}

function number(name: Parameters<Fields["set"]>[0], pattern: RegExp): Piece {
  return { pattern, read: (text, fields) => void fields.set(name, Number.parseInt(text, 10)) };
}

const monthByName: Piece["read"] = (text, fields) =>
  void fields.set("month", MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1);

const TWO = /^\d{1,2}/;
const PIECES: ReadonlyMap<string, Piece> = new Map([
  ["Y", number("year", /^\d{1,4}/)],
  [
    "y",
    {
      pattern: TWO,
      // Two digits are a year from 1970 to 2069.
      read: (text, fields) =>
        void fields.set("year", Number(text) + (Number(text) < 70 ? 2000 : 1900)),
    },
  ],
  ["m", number("month", TWO)],
  ["c", number("month", TWO)],
  ["d", number("day", TWO)],
  ["e", number("day", TWO)],
  ["D", number("day", /^\d{1,2}(?:st|nd|rd|th)/i)],
  ["b", { pattern: new RegExp(`^(?:${MONTHS.join("|")})`, "i"), read: monthByName }],
  ["M", { pattern: /^[a-z]{3,9}/i, read: monthByName }],
  ["H", number("hour", TWO)],
  ["k", number("hour", TWO)],
  ["h", number("hour", TWO)],
  ["I", number("hour", TWO)],
  ["l", number("hour", TWO)],
  ["i", number("minute", TWO)],
  ["s", number("second", TWO)],
  ["S", number("second", TWO)],
  [
    "f",
    {
      pattern: /^\d{1,6}/,
      read: (text, fields) => void fields.set("micro", Number(text.padEnd(6, "0"))),
    },
  ],
  [
    "p",
    {
      pattern: /^[ap]m/i,
      read: (text, fields) => void fields.set("half", /^p/i.test(text) ? 1 : 0),
    },
  ],
]);

/** Formats that stand for others. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ["T", "%H:%i:%s"],
  ["r", "%h:%i:%s %p"],
]);

/** The moment; undefined where the text is not of that format, null where the format has a piece that is not known here. */
export function readByFormat(text: string, format: string): Moment | undefined | null {
  const fields: Fields = new Map();
  const pieces = format.replaceAll(/%([Tr])/g, (_, name: string) => SHORT.get(name) ?? "");
  let rest = text.trimStart();
  for (const [piece] of pieces.matchAll(/%.|\s+|[^%]/gsu)) {
    if (!piece.startsWith("%")) {
      if (piece.trim() === "") rest = rest.trimStart();
      else if (rest.startsWith(piece)) rest = rest.slice(piece.length);
      else return undefined;
      continue;
    }
    const known = PIECES.get(piece.slice(1));
    if (known === undefined) return null;
    const [found] = known.pattern.exec(rest) ?? [];
    if (found === undefined) return undefined;
    known.read(found, fields);
    rest = rest.slice(found.length);
  }
  return momentOfFields(fields, readType(format) === "time");
}

function momentOfFields(fields: Fields, isTime: boolean): Moment | undefined {
  const of = (name: Parameters<Fields["get"]>[0]): number => fields.get(name) ?? 0;
  const day = isTime ? 0 : dayOf(of("year"), of("month"), of("day"));
  const half = fields.get("half");
  const hour = half === undefined ? of("hour") : (of("hour") % 12) + 12 * half;
  const isClock = hour < DAY_HOURS && of("minute") < 60 && of("second") < 60;
  if (day === undefined || !isClock) return undefined;
  const micros = ((hour * 60 + of("minute")) * 60 + of("second")) * SECOND + of("micro");
  return moment(day, micros);
}

/** The moment as a value of that type. */
export function shownAs(type: ReturnType<typeof readType>, { days, micros }: Moment): string {
  if (type === "date") return formatDay(days);
  return type === "time" ? formatClock(micros) : `${formatDay(days)} ${formatClock(micros)}`;
}
