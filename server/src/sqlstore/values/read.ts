// Texts as values of a type: input of PostgreSQL, and the more lenient conversions of MySQL.
import type { Dialect } from "../../program/dialect";
import { failure, unsupported } from "../sqlError";
import { parseDecimal, rescale } from "./decimal";
import { parseArrayText, type ArrayItem } from "./format";
import { canonicalJson } from "./json";
import {
  DAY,
  formatClock,
  formatDay,
  formatMoment,
  momentAt,
  parseClock,
  parseLength,
  parseDay,
  parseInterval,
  parseMoment,
} from "./temporal";
import { canonicalText } from "./others";
import { elementOf, isInteger, isOther, postgresName, rangeOf, type SqlType } from "./types";
import type { SqlValue, Whole } from "./value";
import { whole } from "./wholes";

/** Meaning of a text as a value of a type, as PostgreSQL reads its literals and parameters. */
export function readText(text: string, type: SqlType): SqlValue {
  const element = elementOf(type);
  if (element !== undefined) {
    const items = parseArrayText(text);
    if (items === undefined) throw failure("badInput", `malformed array literal: "${text}"`);
    const read = (item: ArrayItem): SqlValue =>
      item === null ? null : typeof item === "string" ? readText(item, element) : item.map(read);
    return items.map(read);
  }
  switch (type) {
    case "bool": {
      const truth = truthOf(text);
      if (truth === undefined) throw badInput(text, type);
      return truth;
    }
    case "int2":
    case "int4":
    case "oid":
    case "int8":
    case "uint8":
      return readWhole(text, type);
    case "numeric": {
      if (/^\s*nan\s*$/i.test(text)) return Number.NaN;
      const value = parseDecimal(text);
      if (value === undefined) throw badInput(text, type);
      return value;
    }
    case "float4":
    case "float8":
      return readFloat(text, type);
    case "uuid": {
      const digits = text.toLowerCase().replace(/[{}-]/g, "");
      if (!/^[0-9a-f]{32}$/.test(digits)) throw badInput(text, type);
      return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    }
    case "date": {
      if (INFINITE.test(text)) return text.trim().toLowerCase();
      const at = parseMoment(text, false);
      const days = parseDay(text) ?? at?.days;
      if (days === undefined) throw badTime(text, type);
      return formatDay(days);
    }
    case "time": {
      const clock = parseClock(text) ?? parseMoment(text, false);
      if (clock === undefined || clock.micros > DAY) throw badTime(text, type);
      return formatClock(clock.micros);
    }
    case "timestamp":
    case "timestamptz": {
      if (INFINITE.test(text)) return text.trim().toLowerCase();
      const at = /^\s*epoch\s*$/i.test(text)
        ? momentAt(0)
        : parseMoment(text, type === "timestamptz");
      if (at === undefined) throw badTime(text, type);
      return formatMoment(at);
    }
    case "interval": {
      const read = parseInterval(text);
      if (read === undefined) throw badTime(text, type);
      return read;
    }
    case "json":
    case "jsonb": {
      const read = type === "jsonb" ? canonicalJson(text) : isJsonText(text) ? text : undefined;
      if (read === undefined) throw failure("badJson", "invalid input syntax for type json");
      return read;
    }
    case "bytea":
      if (text.startsWith("\\x")) return text.toLowerCase();
      return `\\x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
    case "record":
    case "void":
      throw unsupported(`a value of the type ${type} as text`);
    case "text":
    case "varchar":
    case "bpchar":
    case "enum":
    case "unknown":
      return text;
    default: {
      if (!isOther(type)) return text;
      const value = canonicalText(text, type);
      if (value === undefined) throw badInput(text, type);
      return value;
    }
  }
}

const INFINITE = /^\s*-?infinity\s*$/i;

function isJsonText(text: string): boolean {
  return canonicalJson(text) !== undefined;
}

function readWhole(text: string, type: SqlType): Whole {
  const trimmed = text.trim();
  if (!/^[+-]?\d+$/.test(trimmed)) throw badInput(text, type);
  const value = trimmed.length < 16 ? Number(trimmed) : whole(BigInt(trimmed));
  const [least, most] = rangeOf(type) ?? [-(2n ** 63n), 2n ** 63n - 1n];
  if (value < least || value > most) {
    throw failure(
      "outOfRange",
      `value "${trimmed}" is out of range for type ${postgresName(type)}`,
    );
  }
  return value === 0 ? 0 : value;
}

function readFloat(text: string, type: SqlType): number {
  const trimmed = text.trim().toLowerCase();
  const special = FLOATS.get(trimmed);
  if (special !== undefined) return special;
  const value = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/.test(trimmed)
    ? Number(trimmed)
    : undefined;
  if (value === undefined) throw badInput(text, type);
  return type === "float4" ? Math.fround(value) : value;
}

const FLOATS: ReadonlyMap<string, number> = new Map([
  ["nan", Number.NaN],
  ["infinity", Number.POSITIVE_INFINITY],
  ["inf", Number.POSITIVE_INFINITY],
  ["-infinity", Number.NEGATIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
]);

/** The truth value that a text spells, by any beginning of its words. */
export function truthOf(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === "") return undefined;
  if (word === "1" || word === "on" || "true".startsWith(word) || "yes".startsWith(word))
    return true;
  if (word === "0" || word === "off" || word === "of") return false;
  if ("false".startsWith(word) || "no".startsWith(word)) return false;
  return undefined;
}

function badInput(text: string, type: SqlType): Error {
  return failure("badInput", `invalid input syntax for type ${postgresName(type)}: "${text}"`);
}

function badTime(text: string, type: SqlType): Error {
  const kind = /^[\d:. -]+$/.test(text.trim()) && /\d-\d/.test(text) ? "timeRange" : "badTime";
  return kind === "timeRange"
    ? failure(kind, `date/time field value out of range: "${text}"`)
    : failure(kind, `invalid input syntax for type ${postgresName(type)}: "${text}"`);
}

/** The number at the beginning of a text, as MySQL takes it: 0 where there is none. */
export function numberPrefix(text: string): number {
  return Number(/^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/.exec(text)?.[0] ?? "0");
}

/** A text as a value of a column's type in MySQL's strict mode; undefined where it is refused. */
export function readStrictly(text: string, type: SqlType, dialect: Dialect): SqlValue | undefined {
  const trimmed = text.trim();
  if (isInteger(type)) {
    const read = parseDecimal(trimmed);
    return read === undefined ? undefined : whole(rescale(read, 0).units);
  }
  switch (type) {
    case "numeric":
      return parseDecimal(trimmed);
    case "float4":
    case "float8":
      return /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(trimmed)
        ? Number(trimmed)
        : undefined;
    case "date":
      return daysText(trimmed);
    case "time": {
      const length = parseLength(trimmed);
      return length === undefined ? undefined : formatClock(length);
    }
    case "timestamp":
    case "timestamptz": {
      const at = parseMoment(trimmed, true) ?? compactMoment(trimmed);
      return at === undefined ? undefined : formatMoment(at);
    }
    case "json":
      // MariaDB keeps the text as it came; MySQL writes it afresh.
      return canonicalJson(text) === undefined
        ? undefined
        : dialect === "mariadb"
          ? text
          : canonicalJson(text);
    case "uuid":
      return /^[0-9a-f-]{32,36}$/i.test(trimmed) ? readText(trimmed, "uuid") : undefined;
    default:
      return text;
  }
}

function daysText(text: string): string | undefined {
  const days = parseDay(text) ?? parseMoment(text, false)?.days;
  return days === undefined ? undefined : formatDay(days);
}

/** 20240131235959 */
function compactMoment(text: string): ReturnType<typeof parseMoment> {
  const [, day, hour, minute, second] = /^(\d{8})(\d{2})(\d{2})(\d{2})$/.exec(text) ?? [];
  return day === undefined ? undefined : parseMoment(`${day} ${hour}:${minute}:${second}`, false);
}
