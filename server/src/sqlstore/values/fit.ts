// Values that go into a column: brought to its type and held to its length, digits and range.
import type { Dialect } from "../../program/dialect";
import { failure } from "../sqlError";
import { bytesOfText, hexOfBytes } from "../../frontend/sql/text/bytes";
import { converter, isAssignable, mysqlText, number, numberOf } from "./cast";
import { decimal, rescale, toDecimal } from "./decimal";
import { readStrictly } from "./read";
import { formatMoment, momentOf, roundedMoment } from "./temporal";
import {
  isInteger,
  isNumeric,
  isTemporal,
  isText,
  postgresName,
  type DeclaredType,
  type SqlType,
} from "./types";
import type { SqlValue } from "./value";
import { compareNumbers, isNumericValue, whole } from "./wholes";

/** Brings a value of a type into a column, or fails as the databases do. `row` counts from one. */
export type Fit = (value: SqlValue, row: number) => SqlValue;

/** How values of a type go into a column; fails at once where PostgreSQL wants a cast. */
export function fitter(
  from: SqlType,
  column: string,
  declared: DeclaredType,
  dialect: Dialect,
): Fit {
  if (dialect !== "postgres") return mysqlFitter(from, column, declared, dialect);
  const convert = isAssignable(from, declared.type)
    ? converter(from, declared.type, dialect)
    : undefined;
  if (convert === undefined) {
    throw failure(
      "typeMismatch",
      `column "${column}" is of type ${postgresName(declared.type)} but expression is of type ${postgresName(from)}`,
      { column },
    );
  }
  const limit = limiter(declared, false);
  return (value) => (value === null ? null : limit(convert(value)));
}

/** Holds a value to what its type declares. An explicit cast cuts texts off; a column refuses them. */
export function limiter(declared: DeclaredType, cuts: boolean): (value: SqlValue) => SqlValue {
  const { type, length, precision, scale, labels, seconds } = declared;
  if (labels !== undefined) {
    return (value) => {
      if (typeof value !== "string" || labels.includes(value)) return value;
      throw failure("badInput", `invalid input value for enum: "${value}"`);
    };
  }
  if (length !== undefined && (type === "bit" || type === "varbit")) {
    return (value) => {
      if (typeof value !== "string") return value;
      if (type === "bit" && value.length !== length) {
        if (cuts) return value.slice(0, length).padEnd(length, "0");
        throw failure(
          "bitLength",
          `bit string length ${value.length} does not match type bit(${length})`,
        );
      }
      if (value.length <= length || cuts) return value.slice(0, length);
      throw failure("tooLong", `bit string too long for type bit varying(${length})`);
    };
  }
  if (length !== undefined) {
    return (value) => {
      if (typeof value !== "string") return value;
      const fitted = limitedText(value, length, cuts);
      if (fitted === undefined) {
        throw failure("tooLong", `value too long for type ${postgresName(type)}(${length})`);
      }
      return type === "bpchar" ? fitted.padEnd(length - surplus(fitted)) : fitted;
    };
  }
  if (type === "numeric" && precision !== undefined) {
    return (value) => {
      if (!isNumericValue(value) || Number.isNaN(value)) return value;
      const rounded = rescale(toDecimal(value), scale ?? 0);
      if (digitsOf(rounded.units) > precision) {
        throw failure("outOfRange", "numeric field overflow", {
          detail: `A field with precision ${precision}, scale ${scale ?? 0} must round to an absolute value less than 10^${precision - (scale ?? 0)}.`,
        });
      }
      return rounded;
    };
  }
  if (seconds !== undefined && type !== "time") {
    return (value) =>
      typeof value === "string" && !value.endsWith("infinity")
        ? formatMoment(roundedMoment(momentOf(value), seconds))
        : value;
  }
  return (value) => value;
}

/** Characters, not UTF-16 units, count. Spaces at the end may be lost. */
function limitedText(text: string, length: number, cuts: boolean): string | undefined {
  if (text.length <= length) return text;
  const characters = Array.from(text);
  if (characters.length <= length) return text;
  const kept = characters.slice(0, length).join("");
  return cuts || characters.slice(length).every((each) => each === " ") ? kept : undefined;
}

/** How many units a text has beyond its characters. */
function surplus(text: string): number {
  return Array.from(text).length - text.length;
}

function digitsOf(units: bigint): number {
  return units === 0n ? 0 : (units < 0n ? -units : units).toString().length;
}

function mysqlFitter(from: SqlType, column: string, declared: DeclaredType, dialect: Dialect): Fit {
  const { type, length, precision, scale, range, labels, members, seconds, listed = "" } = declared;
  const isBits = listed.startsWith("bit");
  const wrong = (kind: string, value: SqlValue, row: number): Error =>
    failure(
      isTemporal(type) ? "badTime" : "badInput",
      `Incorrect ${kind} value: '${mysqlText(value, from)}' for column '${column}' at row ${row}`,
      { column },
    );
  const beyond = (row: number): Error =>
    failure("outOfRange", `Out of range value for column '${column}' at row ${row}`, { column });
  const read = (value: SqlValue, row: number): SqlValue => {
    if (typeof value === "string" && (isText(from) || from === "unknown" || from === "enum")) {
      const strict = readStrictly(value, type, dialect);
      if (strict !== undefined) return strict;
      if (type === "json") {
        throw dialect === "mariadb"
          ? failure("mariadbCheck", `CONSTRAINT \`${column}\` failed`, { column })
          : failure("badJson", `Invalid JSON text in value for column '${column}'`, { column });
      }
      throw wrong(KINDS.get(type) ?? type, value, row);
    }
    const convert = converter(from, type, dialect);
    const result = convert === undefined ? value : convert(value);
    if (result === null) throw wrong(KINDS.get(type) ?? type, value, row);
    return result;
  };
  return (given, row) => {
    if (given === null) return null;
    if (isInteger(type)) {
      const source =
        isBits && typeof given === "string"
          ? numberOfBytes(given)
          : typeof given === "string" && !isTemporal(from)
            ? read(given, row)
            : numberOf(given, from);
      const [least, most] = range ?? (type === "uint8" ? UNSIGNED : SIGNED);
      // Rounded as a decimal, so that the column's own range is what it is held to.
      const rounded = isNumericValue(source) ? rescale(toDecimal(source), 0) : undefined;
      if (rounded === undefined) return source;
      if (
        compareNumbers(rounded, decimal(BigInt(least), 0)) < 0 ||
        compareNumbers(rounded, decimal(BigInt(most), 0)) > 0
      ) {
        throw beyond(row);
      }
      return number(rounded, type, dialect);
    }
    const value = read(given, row);
    if (labels !== undefined) return label(value, labels, column, row);
    if (members !== undefined) return memberList(value, members, column, row);
    if (type === "bytea" && typeof value === "string")
      return length === undefined ? value : fittedBytes(value, length, listed, column, row);
    if (length !== undefined && typeof value === "string") {
      const fitted = limitedText(value, length, false);
      if (fitted === undefined) {
        throw failure("tooLong", `Data too long for column '${column}' at row ${row}`, { column });
      }
      // Spaces at the end of CHAR are not given back.
      return type === "bpchar" ? fitted.replace(/ +$/, "") : fitted;
    }
    if (isNumeric(type) && precision !== undefined && isNumericValue(value)) {
      const rounded = rescale(toDecimal(value), scale ?? 0);
      if (digitsOf(rounded.units) > precision) throw beyond(row);
      return rounded;
    }
    if (type === "timestamp" && typeof value === "string") {
      return formatMoment(roundedMoment(momentOf(value), seconds ?? 0));
    }
    return value;
  };
}

function label(value: SqlValue, labels: readonly string[], column: string, row: number): SqlValue {
  const text = typeof value === "string" ? value : "";
  const found = labels.find((each) => each.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  throw failure("truncated", `Data truncated for column '${column}' at row ${row}`, { column });
}

/** Some of the labels of a SET, in their order. */
function memberList(
  value: SqlValue,
  members: readonly string[],
  column: string,
  row: number,
): SqlValue {
  const parts = typeof value === "string" && value !== "" ? value.split(",") : [];
  const chosen = new Set(parts.map((part) => label(part, members, column, row)));
  return members.filter((each) => chosen.has(each)).join(",");
}

/** Bytes in BINARY(n), which is filled up with zeros, and VARBINARY(n). */
function fittedBytes(
  value: string,
  length: number,
  listed: string,
  column: string,
  row: number,
): string {
  const size = bytesOfText(value).length;
  if (size > length)
    throw failure("tooLong", `Data too long for column '${column}' at row ${row}`, { column });
  return listed.startsWith("binary") ? value + "\0".repeat(length - size) : value;
}

/** Bytes as the number that they are, the highest first. */
function numberOfBytes(text: string): SqlValue {
  return whole(BigInt(`0x0${hexOfBytes(bytesOfText(text))}`));
}

const SIGNED = [-(2n ** 63n), 2n ** 63n - 1n] as const;
const UNSIGNED = [0n, 2n ** 64n - 1n] as const;

const KINDS: ReadonlyMap<SqlType, string> = new Map([
  ["int2", "integer"],
  ["int4", "integer"],
  ["int8", "integer"],
  ["uint8", "integer"],
  ["numeric", "decimal"],
  ["float4", "float"],
  ["float8", "double"],
  ["timestamp", "datetime"],
]);
