// Functions on dates and times. The zone of a session is UTC, and its clock is given.
import { ownEntry } from "../../protocol/dictionary";
import { shiftedDate } from "../compile/dates";
import { convertNode, isPostgres, type Env, type Node } from "../compile/node";
import { failure, unsupported } from "../sqlError";
import { anyMoment, mysqlText } from "../values/cast";
import { decimal, type Decimal } from "../values/decimal";
import {
  addIntervals,
  civil,
  DAY,
  dayOf,
  daysOfMonth,
  formatClock,
  formatDay,
  formatMoment,
  interval,
  intervalOf,
  intervalSize,
  microsOf,
  momentAt,
  momentOf,
  parseClock,
  parseDay,
  roundedMoment,
  type Moment,
} from "../values/temporal";
import type { SqlType } from "../values/types";
import { isInterval, type Interval, type SqlValue } from "../values/value";
import { readByFormat, readType, shownAs } from "./readDates";
import {
  computeNode,
  integer,
  only,
  plain,
  tableOf,
  text,
  type FunctionTable,
  type MakeCall,
} from "./define";

const SECOND = 1_000_000;

function now(env: Env, digits: number): string {
  return formatMoment(roundedMoment(momentAt(env.work.now), digits));
}

/** The present: a timestamp with zone in PostgreSQL, without fraction in MySQL. */
function present(postgres: SqlType): MakeCall {
  return (args, compiler) => {
    const isFull = isPostgres(compiler);
    const digits = args[0] === undefined ? undefined : convertNode(args[0], "int4", compiler);
    return {
      type: isFull ? postgres : "timestamp",
      constant: true,
      run: (env) => now(env, digits === undefined ? (isFull ? 6 : 0) : integer(digits.run(env))),
    };
  };
}

function part(type: SqlType, take: (at: Moment) => number): MakeCall {
  return ofMoment(type, take);
}

/** A function of one date or time of MySQL, NULL for what is none. */
function ofMoment(type: SqlType, compute: (at: Moment) => SqlValue): MakeCall {
  return only("mysql", (args, compiler) => {
    const [node] = args;
    if (node === undefined || args.length > 1) return undefined;
    return computeNode(type, [node], compiler, ([value = null]) => {
      const at = momentOfValue(value, node.type);
      return at === undefined ? null : compute(at);
    });
  });
}

function momentOfValue(value: SqlValue, type: SqlType): Moment | undefined {
  const written = mysqlText(value, type);
  const isClock = type === "time" || /^\d+:\d+/.test(written);
  const clock = isClock ? parseClock(written) : undefined;
  return clock === undefined ? anyMoment(written) : { days: 0, micros: clock.micros };
}

export const TIMES: FunctionTable = tableOf({
  "now transaction_timestamp statement_timestamp clock_timestamp current_timestamp":
    present("timestamptz"),
  "localtimestamp localtime sysdate utc_timestamp": present("timestamp"),
  "current_date curdate utc_date": (args) =>
    args.length > 0
      ? undefined
      : { type: "date", constant: true, run: (env) => now(env, 6).slice(0, 10) },
  "current_time curtime": (args, compiler) =>
    args.length > 0
      ? undefined
      : {
          type: "time",
          constant: true,
          run: (env) => now(env, isPostgres(compiler) ? 6 : 0).slice(11),
        },
  unix_timestamp: only("mysql", (args, compiler) => {
    const [node] = args;
    if (node === undefined) {
      return { type: "int8", constant: true, run: (env) => Math.floor(env.work.now / SECOND) };
    }
    return computeNode("int8", [node], compiler, ([value = null]) => {
      const at = momentOfValue(value, node.type);
      return at === undefined ? null : Math.floor(microsOf(at) / SECOND);
    });
  }),
  from_unixtime: only(
    "mysql",
    plain("timestamp", ["float8"], ([seconds]) => formatMoment(momentAt(Number(seconds) * SECOND))),
  ),
  to_timestamp: only(
    "postgres",
    plain("timestamptz", ["float8"], ([seconds]) =>
      formatMoment(momentAt(Math.round(Number(seconds) * SECOND))),
    ),
  ),
  year: part("int8", ({ days }) => civil(days)[0]),
  month: part("int8", ({ days }) => civil(days)[1]),
  "day dayofmonth": part("int8", ({ days }) => civil(days)[2]),
  dayofweek: part("int8", ({ days }) => ((((days + 4) % 7) + 7) % 7) + 1),
  weekday: part("int8", ({ days }) => (((days + 3) % 7) + 7) % 7),
  dayofyear: part("int8", dayOfYear),
  quarter: part("int8", ({ days }) => Math.ceil(civil(days)[1] / 3)),
  hour: part("int8", ({ micros }) => Math.floor(micros / (3600 * SECOND))),
  minute: part("int8", ({ micros }) => Math.floor(micros / (60 * SECOND)) % 60),
  second: part("int8", ({ micros }) => Math.floor(micros / SECOND) % 60),
  last_day: ofMoment("date", ({ days }) => {
    const [year, month] = civil(days);
    return formatDay(dayOf(year, month, daysOfMonth(year, month)) ?? days);
  }),
  to_days: ofMoment("int8", ({ days }) => days + 719528),
  date: ofMoment("date", ({ days }) => formatDay(days)),
  time: ofMoment("time", ({ micros }) => formatClock(micros)),
  dayname: ofMoment("text", ({ days }) => DAY_NAMES[(((days + 4) % 7) + 7) % 7] ?? ""),
  monthname: ofMoment("text", ({ days }) => MONTH_NAMES[civil(days)[1] - 1] ?? ""),
  datediff: only("mysql", ([left, right], compiler) =>
    left === undefined || right === undefined
      ? undefined
      : computeNode("int8", [left, right], compiler, ([a = null, b = null]) => {
          const [x, y] = [momentOfValue(a, left.type), momentOfValue(b, right.type)];
          return x === undefined || y === undefined ? null : x.days - y.days;
        }),
  ),
  timestampdiff: only("mysql", ([unit, left, right], compiler) => {
    const name = unit?.literal?.toLowerCase();
    if (name === undefined || left === undefined || right === undefined) return undefined;
    return computeNode("int8", [left, right], compiler, ([a = null, b = null]) => {
      const [x, y] = [momentOfValue(a, left.type), momentOfValue(b, right.type)];
      return x === undefined || y === undefined ? null : unitsBetween(name, x, y);
    });
  }),
  "date_add adddate": only("mysql", ([date, by]) =>
    date === undefined ? undefined : by?.dated?.(date, 1),
  ),
  "date_sub subdate": only("mysql", ([date, by]) =>
    date === undefined ? undefined : by?.dated?.(date, -1),
  ),
  timestampadd: only("mysql", ([unit, amount, date], compiler) => {
    const name = unit?.literal?.toLowerCase();
    if (name === undefined || amount === undefined || date === undefined) return undefined;
    if (intervalOf(1, name) === undefined) return undefined;
    const count = convertNode(amount, "float8", compiler);
    const by: Node = {
      type: "interval",
      constant: amount.constant,
      literal: /second|minute|hour/.test(name) ? "time" : "date",
      run: (env) => intervalOf(Number(count.run(env)), name) ?? null,
    };
    return shiftedDate(date, by, 1);
  }),
  date_format: only("mysql", ([date, format], compiler) =>
    date === undefined || format === undefined
      ? undefined
      : computeNode("text", [date, format], compiler, ([value = null, pattern]) => {
          const at = momentOfValue(value, date.type);
          return at === undefined ? null : mysqlFormat(at, text(pattern));
        }),
  ),
  to_char: only("postgres", ([value, format], compiler) => {
    if (value === undefined || format === undefined) return undefined;
    if (value.type !== "date" && value.type !== "timestamp" && value.type !== "timestamptz") {
      throw unsupported("to_char() of what is no date");
    }
    const nodes = [
      convertNode(value, "timestamptz", compiler),
      convertNode(format, "text", compiler),
    ];
    return computeNode("text", nodes, compiler, ([at, pattern]) =>
      postgresFormat(momentOf(text(at)), text(pattern)),
    );
  }),
  "date_part extract": [
    only("postgres", extractPostgres),
    only("mysql", ([unit, value], compiler) => {
      const name = unit?.literal?.toLowerCase();
      if (name === undefined || value === undefined) return undefined;
      return computeNode("int8", [value], compiler, ([given = null]) => {
        const at = momentOfValue(given, value.type);
        return at === undefined ? null : Number(fieldOf(name, at).units);
      });
    }),
  ],
  date_trunc: only("postgres", (args, compiler) => {
    const [unit, value] = args;
    if (unit === undefined || value === undefined || args.length > 2) return undefined;
    const type = value.type === "timestamp" ? "timestamp" : "timestamptz";
    const nodes = [convertNode(unit, "text", compiler), convertNode(value, type, compiler)];
    return computeNode(type, nodes, compiler, ([name, at]) =>
      formatMoment(truncated(text(name).toLowerCase(), momentOf(text(at)))),
    );
  }),
  age: only("postgres", (args, compiler) => {
    const [first, second] = args.map((node) => convertNode(node, "timestamptz", compiler));
    if (first === undefined) return undefined;
    if (second !== undefined) {
      return computeNode("interval", [first, second], compiler, ([a, b]) =>
        age(momentOf(text(a)), momentOf(text(b))),
      );
    }
    return computeNode("interval", [first], compiler, ([a], env) =>
      age({ days: Math.floor(env.work.now / DAY), micros: 0 }, momentOf(text(a))),
    );
  }),
  make_interval: () => {
    throw unsupported("make_interval()");
  },
  make_date: plain("date", ["int4", "int4", "int4"], ([year, month, day]) => {
    const days = dayOf(integer(year), integer(month), integer(day));
    if (days === undefined) throw failure("timeRange", "date field value out of range");
    return formatDay(days);
  }),
  to_date: only(
    "postgres",
    plain("date", ["text", "text"], ([value, format]) => {
      if (!/^yyyy-?mm-?dd$/i.test(text(format))) throw unsupported("to_date() with this format");
      const days = parseDay(text(value));
      if (days === undefined)
        throw failure("badTime", `invalid value "${text(value)}" for to_date()`);
      return formatDay(days);
    }),
  ),
  // Every time zone is UTC; one that has a name is not known without the tables of zones.
  convert_tz: only(
    "mysql",
    plain("timestamp", ["timestamp", "text", "text"], ([value = null, from, to]) =>
      [text(from), text(to)].every((zone) => ZONE.test(zone)) ? value : null,
    ),
  ),
  str_to_date: only("mysql", (args, compiler) => {
    const [value, format] = args;
    if (value === undefined || format === undefined) return undefined;
    const type = format.literal === undefined ? "timestamp" : readType(format.literal);
    return computeNode(type, [value, format], compiler, ([given, pattern]) => {
      const at = readByFormat(text(given), text(pattern));
      if (at === null) throw unsupported(`STR_TO_DATE() with the format ${text(pattern)}`);
      return at === undefined ? null : shownAs(type, at);
    });
  }),
  timezone: only("postgres", (args, compiler) => {
    const [zone, value] = args;
    if (zone?.literal === undefined || value === undefined) return undefined;
    if (!/^(utc|gmt|etc\/utc|z)$/i.test(zone.literal))
      throw unsupported(`the time zone ${zone.literal}`);
    // Every zone is UTC: only the type changes.
    const from = value.type === "timestamp" ? "timestamp" : "timestamptz";
    const node = convertNode(value, from, compiler);
    return { ...node, type: from === "timestamp" ? "timestamptz" : "timestamp" };
  }),
});

const ZONE = /^(utc|system|\+00:00|-00:00)$/i;

const DAY_NAMES = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTH_NAMES = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

function dayOfYear({ days }: Moment): number {
  const [year] = civil(days);
  return days - (dayOf(year, 1, 1) ?? days) + 1;
}

/** Whole units from one moment to another, as TIMESTAMPDIFF counts them. */
function unitsBetween(unit: string, from: Moment, to: Moment): number {
  const by = intervalOf(1, unit);
  if (by === undefined) throw unsupported(`the unit ${unit}`);
  const micros = microsOf(to) - microsOf(from);
  if (by.months === 0) return Math.trunc(micros / intervalSize(by));
  const difference = micros < 0 ? age(from, to) : age(to, from);
  return Math.trunc(difference.months / by.months) * (micros < 0 ? -1 : 1);
}

/** Years, months, days and the rest between two moments. */
function age(to: Moment, from: Moment): Interval {
  if (microsOf(to) < microsOf(from)) {
    const { months, days, micros } = age(from, to);
    return interval(-months, -days, -micros);
  }
  const [toYear, toMonth, toDay] = civil(to.days);
  const [fromYear, fromMonth, fromDay] = civil(from.days);
  let months = (toYear - fromYear) * 12 + (toMonth - fromMonth);
  let days = toDay - fromDay;
  let micros = to.micros - from.micros;
  if (micros < 0) {
    micros += DAY;
    days--;
  }
  if (days < 0) {
    months--;
    days += daysOfMonth(fromYear, fromMonth);
  }
  return addIntervals(interval(months, days, 0), interval(0, 0, micros));
}

const extractPostgresTypes: readonly SqlType[] = [
  "date",
  "time",
  "timestamp",
  "timestamptz",
  "interval",
];

function extractPostgres(...[args, compiler, call]: Parameters<MakeCall>): Node | undefined {
  const [unit, value] = args;
  if (unit === undefined || value === undefined || args.length > 2) return undefined;
  if (!extractPostgresTypes.includes(value.type)) return undefined;
  const name = convertNode(unit, "text", compiler);
  const type: SqlType = call.name === "extract" ? "numeric" : "float8";
  return computeNode(type, [name, value], compiler, ([field, given = null]) => {
    const result = isInterval(given)
      ? intervalField(text(field).toLowerCase(), given)
      : fieldOf(text(field).toLowerCase(), momentOfAny(text(given), value.type));
    return type === "numeric" ? result : Number(result.units) / 10 ** result.scale;
  });
}

function momentOfAny(value: string, type: SqlType): Moment {
  if (type !== "time") return momentOf(value);
  return { days: 0, micros: parseClock(value)?.micros ?? 0 };
}

function wholeNumber(value: number): Decimal {
  return decimal(BigInt(Math.trunc(value)), 0);
}

function fieldOf(field: string, at: Moment): Decimal {
  const [year, month, day] = civil(at.days);
  switch (field) {
    case "year":
      return wholeNumber(year);
    case "month":
      return wholeNumber(month);
    case "day":
      return wholeNumber(day);
    case "hour":
      return wholeNumber(at.micros / (3600 * SECOND));
    case "minute":
      return wholeNumber(Math.floor(at.micros / (60 * SECOND)) % 60);
    case "second":
      return decimal(BigInt(at.micros % (60 * SECOND)), 6);
    case "dow":
      return wholeNumber((((at.days + 4) % 7) + 7) % 7);
    case "isodow":
      return wholeNumber(((((at.days + 3) % 7) + 7) % 7) + 1);
    case "doy":
      return wholeNumber(dayOfYear(at));
    case "quarter":
      return wholeNumber(Math.ceil(month / 3));
    case "week":
      return wholeNumber(isoWeek(at.days));
    case "epoch":
      return decimal(BigInt(microsOf(at)), 6);
    default:
      throw unsupported(`the field ${field} of a date`);
  }
}

function intervalField(field: string, { months, days, micros }: Interval): Decimal {
  switch (field) {
    case "year":
      return wholeNumber(months / 12);
    case "month":
      return wholeNumber(months % 12);
    case "day":
      return wholeNumber(days);
    case "hour":
      return wholeNumber(micros / (3600 * SECOND));
    case "minute":
      return wholeNumber(Math.trunc(micros / (60 * SECOND)) % 60);
    case "second":
      return decimal(BigInt(micros % (60 * SECOND)), 6);
    case "epoch": {
      const years = Math.trunc(months / 12);
      const rest = (years * 365.25 + (months % 12) * 30 + days) * DAY + micros;
      return decimal(BigInt(Math.round(rest)), 6);
    }
    default:
      throw unsupported(`the field ${field} of an interval`);
  }
}

/** The week of ISO 8601: the one with the year's first Thursday is the first. */
function isoWeek(days: number): number {
  const thursday = days - ((((days + 3) % 7) + 7) % 7) + 3;
  const [year] = civil(thursday);
  return Math.floor((thursday - (dayOf(year, 1, 1) ?? thursday)) / 7) + 1;
}

function truncated(unit: string, at: Moment): Moment {
  const [year, month] = civil(at.days);
  const clock: Readonly<Record<string, number>> = {
    microseconds: 1,
    milliseconds: 1000,
    second: SECOND,
    minute: 60 * SECOND,
    hour: 3600 * SECOND,
  };
  const size = Object.hasOwn(clock, unit) ? ownEntry(clock, unit) : undefined;
  if (size !== undefined) return { days: at.days, micros: Math.floor(at.micros / size) * size };
  const day = (y: number, m: number): Moment => ({ days: dayOf(y, m, 1) ?? at.days, micros: 0 });
  switch (unit) {
    case "day":
      return { days: at.days, micros: 0 };
    case "week":
      return { days: at.days - ((((at.days + 3) % 7) + 7) % 7), micros: 0 };
    case "month":
      return day(year, month);
    case "quarter":
      return day(year, Math.floor((month - 1) / 3) * 3 + 1);
    case "year":
      return day(year, 1);
    default:
      throw failure("badArgument", `unit "${unit}" not recognized for type timestamp`);
  }
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** DATE_FORMAT's letters. */
function mysqlFormat(at: Moment, pattern: string): string {
  const [year, month, day] = civil(at.days);
  const hour = Math.floor(at.micros / (3600 * SECOND));
  const minute = Math.floor(at.micros / (60 * SECOND)) % 60;
  const second = Math.floor(at.micros / SECOND) % 60;
  const weekday = (((at.days + 4) % 7) + 7) % 7;
  const letters: Readonly<Record<string, string>> = {
    Y: String(year).padStart(4, "0"),
    y: two(year % 100),
    m: two(month),
    c: String(month),
    d: two(day),
    e: String(day),
    H: two(hour),
    k: String(hour),
    h: two(hour % 12 === 0 ? 12 : hour % 12),
    I: two(hour % 12 === 0 ? 12 : hour % 12),
    i: two(minute),
    s: two(second),
    S: two(second),
    f: String(at.micros % SECOND).padStart(6, "0"),
    p: hour < 12 ? "AM" : "PM",
    T: `${two(hour)}:${two(minute)}:${two(second)}`,
    W: DAY_NAMES[weekday] ?? "",
    a: (DAY_NAMES[weekday] ?? "").slice(0, 3),
    w: String(weekday),
    M: MONTH_NAMES[month - 1] ?? "",
    b: (MONTH_NAMES[month - 1] ?? "").slice(0, 3),
    j: String(dayOfYear(at)).padStart(3, "0"),
    "%": "%",
  };
  return pattern.replace(/%(.)/gs, (_, letter: string) => {
    if (/[UuVvXxDr]/.test(letter)) throw unsupported(`%${letter} of DATE_FORMAT()`);
    return Object.hasOwn(letters, letter) ? (ownEntry(letters, letter) ?? letter) : letter;
  });
}

/** to_char()'s words. */
function postgresFormat(at: Moment, pattern: string): string {
  const [year, month, day] = civil(at.days);
  const hour = Math.floor(at.micros / (3600 * SECOND));
  const weekday = (((at.days + 4) % 7) + 7) % 7;
  const words: Readonly<Record<string, string>> = {
    YYYY: String(year).padStart(4, "0"),
    YY: two(year % 100),
    MM: two(month),
    DD: two(day),
    DDD: String(dayOfYear(at)).padStart(3, "0"),
    HH24: two(hour),
    HH12: two(hour % 12 === 0 ? 12 : hour % 12),
    HH: two(hour % 12 === 0 ? 12 : hour % 12),
    MI: two(Math.floor(at.micros / (60 * SECOND)) % 60),
    SS: two(Math.floor(at.micros / SECOND) % 60),
    MS: String(Math.floor((at.micros % SECOND) / 1000)).padStart(3, "0"),
    US: String(at.micros % SECOND).padStart(6, "0"),
    AM: hour < 12 ? "AM" : "PM",
    PM: hour < 12 ? "AM" : "PM",
    Month: (MONTH_NAMES[month - 1] ?? "").padEnd(9),
    Mon: (MONTH_NAMES[month - 1] ?? "").slice(0, 3),
    Day: (DAY_NAMES[weekday] ?? "").padEnd(9),
    Dy: (DAY_NAMES[weekday] ?? "").slice(0, 3),
    ID: String(weekday === 0 ? 7 : weekday),
    D: String(weekday + 1),
    Q: String(Math.ceil(month / 3)),
    IW: two(isoWeek(at.days)),
  };
  return pattern.replace(
    /"([^"]*)"|YYYY|YY|MM|DDD|DD|HH24|HH12|HH|MI|SS|MS|US|AM|PM|Month|Mon|Day|Dy|ID|IW|Q|D|FM|[A-Za-z]+/g,
    (found, quoted: string | undefined) => {
      if (quoted !== undefined) return quoted;
      if (Object.hasOwn(words, found)) return ownEntry(words, found) ?? found;
      if (found === "T") return found;
      throw unsupported(`${found} in to_char()`);
    },
  );
}
