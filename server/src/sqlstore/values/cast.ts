// Conversions between types: what an explicit cast gives, and what of it happens without one.
import type { Dialect } from "../../program/dialect";
import { failure } from "../sqlError";
import { decimalToNumber, isDecimal, rescale, toDecimal } from "./decimal";
import { formatValue } from "./format";
import { formatJson, parseJson } from "./json";
import { numberPrefix, readStrictly, readText } from "./read";
import { DAY, formatClock, interval, momentOf, parseClock } from "./temporal";
import {
  elementOf,
  isFloat,
  isImplicit,
  isInteger,
  isJson,
  isNumeric,
  isTemporal,
  isText,
  postgresName,
  rangeOf,
  type SqlType,
} from "./types";
import { isInterval, isList, type SqlValue } from "./value";
import { whole } from "./wholes";
import { plainText } from "./text";

export type Convert = (value: SqlValue) => SqlValue;

/** A conversion, which leaves NULL alone; undefined where the dialect has none between the types. */
export function converter(from: SqlType, to: SqlType, dialect: Dialect): Convert | undefined {
  const convert =
    dialect === "postgres" ? postgresConverter(from, to) : mysqlConverter(to, from, dialect);
  return convert && ((value) => (value === null ? null : convert(value)));
}

/** True if PostgreSQL stores a value of one type in a column of another without a cast. */
export function isAssignable(from: SqlType, to: SqlType): boolean {
  if (isImplicit(from, to)) return true;
  if (isNumeric(from) && isNumeric(to)) return true;
  if (isText(to)) return true;
  if (to === "enum") return from === "enum";
  if (isTemporal(from) && isTemporal(to))
    return from !== "time" && !(from === "date" && to === "time");
  if (isJson(from) && isJson(to)) return true;
  const [fromElement, toElement] = [elementOf(from), elementOf(to)];
  return (
    fromElement !== undefined && toElement !== undefined && isAssignable(fromElement, toElement)
  );
}

function postgresConverter(from: SqlType, to: SqlType): Convert | undefined {
  if (from === to) return (value) => value;
  const [fromElement, toElement] = [elementOf(from), elementOf(to)];
  if (fromElement !== undefined && toElement !== undefined) {
    const convert = converter(fromElement, toElement, "postgres");
    if (convert === undefined) return undefined;
    return (value) => (isList(value) ? value.map(convert) : value);
  }
  if (from === "bpchar" && isText(to) && to !== "bpchar")
    return (value) => formatValue(value, from).replace(/ +$/, "");
  if (from === "inet" && isText(to)) {
    return (value) => {
      const text = formatValue(value, from);
      return text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`;
    };
  }
  if (from === "unknown" || isText(from)) {
    if (isText(to) || to === "unknown") return (value) => value;
    return (value) => readText(formatValue(value, from), to);
  }
  if (isText(to) || to === "unknown") return (value) => formatValue(value, from);
  if (isNumeric(from) && isNumeric(to)) return (value) => number(value, to, "postgres");
  if (from === "bool" && to === "int4") return (value) => (value === true ? 1 : 0);
  if (from === "int4" && to === "bool") return (value) => value !== 0;
  if (isJson(from) && isJson(to)) return (value) => readText(plainText(value), to);
  if (isJson(from)) return fromJson(to);
  return temporal(from, to);
}

/** A number or truth value inside JSON. */
function fromJson(to: SqlType): Convert | undefined {
  if (!isNumeric(to) && to !== "bool") return undefined;
  return (value) => {
    const inner = parseJson(plainText(value));
    if (to === "bool" && typeof inner === "boolean") return inner;
    if (to !== "bool" && typeof inner === "object" && inner !== null && "number" in inner) {
      return number(readText(inner.number, "numeric"), to, "postgres");
    }
    throw failure("badArgument", `cannot cast this jsonb value to type ${postgresName(to)}`);
  };
}

function temporal(from: SqlType, to: SqlType): Convert | undefined {
  const fromMoment = from === "timestamp" || from === "timestamptz";
  if (fromMoment && (to === "timestamp" || to === "timestamptz")) return (value) => value;
  if (fromMoment && to === "date") return (value) => plainText(value).slice(0, 10);
  if (fromMoment && to === "time") return (value) => plainText(value).slice(11);
  if (from === "date" && (to === "timestamp" || to === "timestamptz")) {
    return (value) => `${plainText(value)} 00:00:00`;
  }
  if (from === "time" && to === "interval") {
    return (value) => interval(0, 0, parseClock(plainText(value))?.micros ?? 0);
  }
  if (from === "interval" && to === "time") {
    return (value) => (isInterval(value) ? formatClock(((value.micros % DAY) + DAY) % DAY) : value);
  }
  return undefined;
}

/** A number as one of another type: rounded half away from zero, floats half to even as C does in PostgreSQL. */
export function number(value: SqlValue, to: SqlType, dialect: Dialect): SqlValue {
  if (typeof value !== "number" && typeof value !== "bigint" && !isDecimal(value)) return value;
  if (isFloat(to)) {
    const float = isDecimal(value) ? decimalToNumber(value) : Number(value);
    const rounded = to === "float4" ? Math.fround(float) : float;
    if (!Number.isFinite(rounded) && !(typeof value === "number" && !Number.isFinite(value)))
      throw failure("outOfRange", `value out of range for ${to}`);
    return rounded;
  }
  if (to === "numeric") return Number.isNaN(value) ? value : toDecimal(value);
  if (!isInteger(to)) return value;
  let result;
  if (isDecimal(value)) result = whole(rescale(value, 0).units);
  else if (typeof value === "bigint" || Number.isSafeInteger(value)) result = value;
  else if (!Number.isFinite(value)) throw outOfRange(to);
  else {
    const rounded = dialect === "postgres" ? halfToEven(value) : halfAway(value);
    result = whole(BigInt(rounded));
  }
  const [least, most] = rangeOf(to) ?? (to === "uint8" ? UNSIGNED : SIGNED);
  if (result < least || result > most) throw outOfRange(to);
  return result === 0 ? 0 : result;
}

const SIGNED = [-(2n ** 63n), 2n ** 63n - 1n] as const;
const UNSIGNED = [0n, 2n ** 64n - 1n] as const;

function outOfRange(type: SqlType): Error {
  return failure("outOfRange", `${postgresName(type)} out of range`);
}

function halfToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

function halfAway(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

function mysqlConverter(to: SqlType, from: SqlType, dialect: Dialect): Convert {
  if (from === to) return (value) => value;
  if (isNumeric(to)) return (value) => number(numberOf(value, from), to, dialect);
  if (isText(to) || to === "unknown" || to === "enum") return (value) => mysqlText(value, from);
  if (to === "bool") return (value) => isTrue(value, from);
  if (isTemporal(to)) return (value) => mysqlTime(value, from, to, dialect);
  if (isJson(to)) {
    return (value) => {
      if (isText(from) || from === "unknown") {
        const read = readStrictly(plainText(value), to, dialect);
        if (read === undefined) throw failure("badJson", "Invalid JSON text");
        return read;
      }
      return typeof value === "string" ? JSON.stringify(value) : mysqlText(value, from);
    };
  }
  return (value) => value;
}

/** A value as text in MySQL, whose truth values are numbers. */
export function mysqlText(value: SqlValue, type: SqlType): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (isJson(type)) {
    const read = parseJson(plainText(value));
    return read === undefined ? plainText(value) : formatJson(read);
  }
  return type === "timestamptz" ? plainText(value) : formatValue(value, type);
}

/** A value as a number in MySQL: of texts the number that they begin with, of times their digits. */
export function numberOf(value: SqlValue, type: SqlType): SqlValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return value;
  if (isTemporal(type)) return Number(value.replace(/[^\d.]/g, ""));
  return numberPrefix(value);
}

/** True if MySQL takes a value for true. */
export function isTrue(value: SqlValue, type: SqlType): boolean {
  if (typeof value === "boolean") return value;
  const read = numberOf(value, type);
  return isDecimal(read) ? read.units !== 0n : Number(read) !== 0;
}

function mysqlTime(value: SqlValue, from: SqlType, to: SqlType, dialect: Dialect): SqlValue {
  if (isTemporal(from)) {
    const convert = temporal(from, to);
    return convert === undefined ? value : convert(value);
  }
  const text = mysqlText(value, from);
  // A text that is no time is NULL, with a warning.
  return readStrictly(text, to, dialect) ?? null;
}

/** A date and time of any temporal text, for arithmetic; undefined when it is none. */
export function anyMoment(
  text: string,
): { readonly days: number; readonly micros: number } | undefined {
  const read = readStrictly(text, "timestamp", "mysql");
  return typeof read === "string" ? momentOf(read) : undefined;
}
