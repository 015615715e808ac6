// Rows as the store keeps them: the keys under which they stand, and their versions as plain data.
import type { Key as StoreKey, Value } from "../../exploration/client";
import { ownEntry, setEntry } from "../../protocol/dictionary";
import type { Dialect } from "../../program/dialect";
import { ofNode } from "../../query/nodes";
import { primaryKeyOf, storageOf, type Key, type Table } from "../catalog";
import { collationKey, foldsCase, identity } from "../values/compare";
import {
  canonicalDecimal,
  formatDecimal,
  isDecimal,
  parseDecimal,
  toDecimal,
} from "../values/decimal";
import { formatInterval, parseInterval } from "../values/temporal";
import { elementOf, isFloat, isInteger, isText, type SqlType } from "../values/types";
import { isInterval, isList, type SqlRow, type SqlValue } from "../values/value";
import { isNumericValue, whole, type NumericValue } from "../values/wholes";

/** The prefix of all keys of a table's rows. */
export function tablePrefix(table: Table): string {
  return `${storageOf(table)}/`;
}

/** The prefix of all keys of entries of a table's unique indexes. */
export function indexPrefix(table: Table): string {
  return `${storageOf(table)}#`;
}

/** The key of a row; undefined for tables without a primary key, whose rows are numbered. */
export function rowKey(table: Table, row: SqlRow, dialect: Dialect): StoreKey | undefined {
  const key = primaryKeyOf(table);
  if (key === undefined) return undefined;
  const parts = key.columns.map((at) => keyPart(row[at] ?? null, typeAt(table, at), dialect) ?? "");
  return tablePrefix(table) + parts.join(",");
}

/** The key of an entry of a unique index, which holds the row's key; undefined where a NULL makes rows distinct. */
export function indexKey(
  table: Table,
  key: Key,
  row: SqlRow,
  dialect: Dialect,
  /** The values of its expressions. */
  computed?: string,
): StoreKey | undefined {
  const own = key.columns.map((at) => keyPart(row[at] ?? null, typeAt(table, at), dialect));
  const parts = computed === undefined ? own : [...own, computed];
  return parts.includes(undefined)
    ? undefined
    : `${indexPrefix(table)}${key.name}/${parts.join(",")}`;
}

/** A value as a part of a key: equal values give equal parts. Undefined for NULL, which equals nothing. */
export function keyPart(value: SqlValue, type: SqlType, dialect: Dialect): string | undefined {
  if (value === null) return undefined;
  if (isNumericValue(value)) return numberPart(value, type);
  if (typeof value === "object") return escaped(identity(value, type, dialect));
  if (typeof value === "boolean") return String(value);
  if (type === "bpchar" && !foldsCase(dialect)) return escaped(value.replace(/ +$/, ""));
  return escaped(
    foldsCase(dialect) && (isText(type) || type === "enum") ? collationKey(value) : value,
  );
}

/** A number equals numbers of other types as well; those beside floating point are floating point. */
function numberPart(value: NumericValue, type: SqlType): string {
  const own = isFloat(type) ? Number(isDecimal(value) ? formatDecimal(value) : value) : value;
  const isShort = typeof own === "number" && (Number.isSafeInteger(own) || !Number.isFinite(own));
  return isShort ? String(own) : canonicalDecimal(toDecimal(own));
}

/**
 * True if a value of floating point may equal several values of a column that is more exact: no part of a key stands for
 * them all.
 */
export function isInexact(value: SqlValue, type: SqlType): boolean {
  return typeof value === "number" && !Number.isSafeInteger(value) && !isFloat(type);
}

/** Commas and slashes stand between the parts. */
function escaped(text: string): string {
  return text.replace(/[%,/#]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
}

function typeAt(table: Table, column: number): SqlType {
  return table.columns[column]?.declared.type ?? "unknown";
}

type Fields = Record<string, Value>;

/** An empty version of each table: copies of it share one shape, which makes them small. */
const emptyVersion = ofNode((columns: Table["columns"]): Fields =>
  Object.fromEntries(columns.map(({ name }) => [name, null])),
);

/** A row as a version of its key. */
export function encodeRow(table: Table, row: SqlRow): Value {
  const version = { ...emptyVersion(table.columns) };
  for (const [at, { name }] of table.columns.entries()) {
    const value = encoded(row[at] ?? null);
    if (value !== null) setEntry(version, name, value);
  }
  return version;
}

function encoded(value: SqlValue): Value {
  if (isDecimal(value)) return formatDecimal(value);
  if (typeof value === "bigint") return value.toString();
  if (isInterval(value)) return formatInterval(value);
  if (isList(value)) return value.map(encoded);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value;
}

/** The row that a version is; columns that it does not have are NULL. Undefined where no row is. */
export function decodeRow(table: Table, version: Value): SqlRow | undefined {
  if (!isFields(version)) return undefined;
  return table.columns.map(({ name, declared }) => decoded(ownEntry(version, name), declared.type));
}

function isFields(version: Value): version is Readonly<Record<string, Value>> {
  return typeof version === "object" && version !== null && !Array.isArray(version);
}

/** One column of a version; NULL where no row is. */
export function decodedField(version: Value, name: string, type: SqlType): SqlValue {
  return isFields(version) ? decoded(ownEntry(version, name), type) : null;
}

function decoded(value: Value, type: SqlType): SqlValue {
  if (value === undefined || value === null) return null;
  const element = elementOf(type);
  if (element !== undefined) {
    return Array.isArray(value)
      ? value.map((each: Value) => decoded(each, Array.isArray(each) ? type : element))
      : null;
  }
  if (typeof value === "object") return null;
  if (type === "numeric")
    return value === "NaN" ? Number.NaN : (parseDecimal(String(value)) ?? null);
  if (typeof value !== "string") return value;
  if (isInteger(type)) return whole(BigInt(value));
  if (type === "float4" || type === "float8") return Number(value);
  if (type === "interval") return parseInterval(value) ?? null;
  return value;
}
