// Parameters as drivers hand them over, and results as drivers give them back.
import type { Dialect } from "../program/dialect";
import { Literal } from "./literal";
import { failure } from "./sqlError";
import { isDecimal, formatDecimal, parseDecimal } from "./values/decimal";
import { formatValue, wireText } from "./values/format";
import { parseJson } from "./values/json";
import { readText } from "./values/read";
import { formatMoment, momentAt } from "./values/temporal";
import { arrayOf, elementOf, isInteger, isJson, type SqlType } from "./values/types";
import { isInterval, isList, type SqlValue } from "./values/value";
import { plainText } from "./values/text";

/** A parameter as a value of the type that its place has. */
function parameterValue(given: unknown, type: SqlType, dialect: Dialect): SqlValue {
  if (given === null || given === undefined) return null;
  if (given instanceof Literal) return given.value;
  if (dialect !== "postgres") return mysqlParameter(given);
  const element = elementOf(type);
  if (element !== undefined && Array.isArray(given)) {
    return given.map((item: unknown) =>
      parameterValue(item, Array.isArray(item) ? type : element, dialect),
    );
  }
  return readText(textOf(given, dialect), type);
}

/** Reads the n-th of the parameters, from one, as a value of a type: once for each type. */
export function parameterReader(
  parameters: readonly unknown[],
  dialect: Dialect,
): (number: number, type: SqlType) => SqlValue {
  const values: (Map<SqlType, SqlValue> | undefined)[] = [];
  return (number, type) => {
    const read = (values[number] ??= new Map<SqlType, SqlValue>());
    const known = read.get(type);
    if (known !== undefined) return known;
    if (number > parameters.length)
      throw failure("noParameter", `there is no parameter $${number}`);
    const value = parameterValue(parameters[number - 1], type, dialect);
    read.set(type, value);
    return value;
  };
}

/** The type of a parameter by its value, as MySQL's drivers send it; PostgreSQL's come from the statement. */
export function parameterType(given: unknown, dialect: Dialect): SqlType | undefined {
  if (given instanceof Literal) return given.type;
  if (dialect === "postgres") return undefined;
  switch (typeof given) {
    case "number":
      return Number.isInteger(given) ? "int8" : "numeric";
    case "bigint":
      return "int8";
    case "boolean":
      return "bool";
    case "object":
      return given === null ? "unknown" : given instanceof Date ? "timestamp" : "text";
    default:
      return given === undefined ? "unknown" : "text";
  }
}

function mysqlParameter(given: unknown): SqlValue {
  switch (typeof given) {
    case "number":
      return Number.isInteger(given) ? given : (parseDecimal(String(given)) ?? given);
    case "bigint":
    case "boolean":
    case "string":
      return given;
    default:
      return textOf(given, "mysql");
  }
}

/** The text of drivers for a value that is no text. */
function textOf(given: unknown, dialect: Dialect): string {
  if (typeof given === "string") return given;
  if (given instanceof Date) {
    if (Number.isNaN(given.getTime())) throw failure("badTime", "a parameter is no valid date");
    const text = formatMoment(momentAt(given.getTime() * 1000));
    return dialect === "postgres" ? `${text}+00` : text;
  }
  if (given instanceof Uint8Array) {
    return `\\x${[...given].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  }
  if (Array.isArray(given) && dialect === "postgres") {
    return formatValue(
      given.map((item: unknown): SqlValue =>
        item === null || item === undefined ? null : textOf(item, dialect),
      ),
      arrayOf("text"),
    );
  }
  if (typeof given === "object") return JSON.stringify(given);
  if (typeof given === "number" || typeof given === "bigint" || typeof given === "boolean") {
    return String(given);
  }
  throw failure("badArgument", `a parameter is a ${typeof given}, which is no value of SQL`);
}

/**
 * A value as the usual driver of the dialect (`pg`, `mysql2`) gives it to the application: numbers where they are exact,
 * texts for 64 bits in PostgreSQL and for decimals, `Date` for timestamps, data for JSON.
 */
export function driverValue(value: SqlValue, type: SqlType, dialect: Dialect): unknown {
  if (value === null) return null;
  const element = elementOf(type);
  if (element !== undefined) {
    return isList(value)
      ? value.map((each) => driverValue(each, isList(each) ? type : element, dialect))
      : value;
  }
  if (typeof value === "boolean") return dialect === "postgres" ? value : value ? 1 : 0;
  if (isInteger(type)) {
    if (dialect === "postgres") return type === "int8" ? plainText(value) : Number(value);
    return typeof value === "bigint" ? value.toString() : value;
  }
  if (type === "date" || type === "timestamp" || type === "timestamptz") {
    return new Date(`${plainText(value).replace(" ", "T")}${type === "date" ? "T00:00:00" : ""}Z`);
  }
  if (isJson(type)) return parsedJson(plainText(value));
  if (isDecimal(value)) return formatDecimal(value);
  if (isInterval(value)) return formatValue(value, type);
  if (typeof value === "object") return wireText(value, type);
  return value;
}

function parsedJson(text: string): unknown {
  if (parseJson(text) === undefined) return text;
  const value: unknown = JSON.parse(text);
  return value;
}
