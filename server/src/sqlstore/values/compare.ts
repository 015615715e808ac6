// The order and equality of values by type, and texts that are equal exactly for equal values.
import type { Dialect } from "../../program/dialect";
import { unsupported } from "../sqlError";
import { canonicalDecimal, isDecimal } from "./decimal";
import { compareJson, jsonIdentity, parseJson, type Json } from "./json";
import { intervalSize } from "./temporal";
import { compareTexts, plainText } from "./text";
import { elementOf, isText, type SqlType } from "./types";
import { isInterval, isList, type SqlValue } from "./value";
import { compareNumbers, isNumericValue } from "./wholes";

/** Orders two values that are not NULL. */
export type Compare = (left: SqlValue, right: SqlValue) => number;

/** True if texts are alike without regard to case and accents, as in MySQL's usual collations. */
export function foldsCase(dialect: Dialect): boolean {
  return dialect !== "postgres";
}

/** The form that MySQL's usual collations compare: without case, accents and (in MariaDB's) spaces at the end. */
export function collationKey(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .replace(/ +$/, "");
}

/**
 * How values of a type are compared in a dialect; texts by code points in PostgreSQL (collation C), those of an
 * enumeration by the order of its labels.
 */
export function comparer(type: SqlType, dialect: Dialect, labels?: readonly string[]): Compare {
  const element = elementOf(type);
  if (element !== undefined) return listComparer(comparer(element, dialect, labels));
  if (type === "enum") return labels === undefined ? compareEnums : labelComparer(labels);
  if (foldsCase(dialect) && isText(type)) {
    return (left, right) => compareAny(foldedValue(left), foldedValue(right));
  }
  if (type === "jsonb") return compareDocuments;
  if (type === "bpchar") {
    return (left, right) => compareAny(withoutPadding(left), withoutPadding(right));
  }
  return compareAny;
}

function labelComparer(labels: readonly string[]): Compare {
  const places = new Map<SqlValue, number>(labels.map((label, at) => [label, at]));
  return (left, right) => (places.get(left) ?? -1) - (places.get(right) ?? -1);
}

/** Where nothing tells the enumeration: labels have the order of their declaration, which values do not carry. */
function compareEnums(left: SqlValue, right: SqlValue): number {
  if (left === right) return 0;
  throw unsupported("the order of an enumeration's labels");
}

function compareDocuments(left: SqlValue, right: SqlValue): number {
  return left === right ? 0 : compareJson(documentOf(left), documentOf(right));
}

function documentOf(value: SqlValue): Json {
  return parseJson(plainText(value)) ?? null;
}

function foldedValue(value: SqlValue): SqlValue {
  return typeof value === "string" ? collationKey(value) : value;
}

function withoutPadding(value: SqlValue): SqlValue {
  return typeof value === "string" ? value.replace(/ +$/, "") : value;
}

function listComparer(compare: Compare): Compare {
  return (left, right) => {
    if (!isList(left) || !isList(right)) return compareAny(left, right);
    for (let at = 0; at < Math.min(left.length, right.length); at++) {
      const [a = null, b = null] = [left[at], right[at]];
      if (a === null || b === null) {
        if (a !== b) return a === null ? 1 : -1;
        continue;
      }
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return left.length - right.length;
  };
}

function compareAny(left: SqlValue, right: SqlValue): number {
  if (typeof left === "string" && typeof right === "string") return compareTexts(left, right);
  if (isNumericValue(left) && isNumericValue(right)) return compareNumbers(left, right);
  if (isInterval(left) && isInterval(right)) return intervalSize(left) - intervalSize(right);
  if (isList(left) && isList(right)) return listComparer(compareAny)(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  throw unsupported("a comparison of values of these types");
}

/** A text that two values of a type share exactly when they are not distinct; NULLs share one. */
export function identity(value: SqlValue, type: SqlType, dialect: Dialect): string {
  if (value === null) return "n";
  if (type === "jsonb") return `s${jsonIdentity(documentOf(value))}`;
  if (typeof value === "string") {
    if (foldsCase(dialect) && (isText(type) || type === "enum")) return `s${collationKey(value)}`;
    return `s${type === "bpchar" ? value.replace(/ +$/, "") : value}`;
  }
  if (isDecimal(value)) return canonicalDecimal(value);
  if (isInterval(value)) return `i${intervalSize(value)}`;
  if (isList(value)) {
    const element = elementOf(type) ?? "unknown";
    return JSON.stringify(value.map((each) => identity(each, element, dialect)));
  }
  return typeof value === "number" && Object.is(value, -0) ? "0" : String(value);
}

/** The identity of several values at once. */
export function identities(
  values: readonly SqlValue[],
  types: readonly SqlType[],
  dialect: Dialect,
): string {
  if (values.length === 1) return identity(values[0] ?? null, types[0] ?? "unknown", dialect);
  return JSON.stringify(
    values.map((value, at) => identity(value, types[at] ?? "unknown", dialect)),
  );
}
