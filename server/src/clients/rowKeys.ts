// Rows as keys and versions of the explored store: one key per row, `table/primary key`, and one version per content.
import type { Key, Value } from "../exploration/client";
import type { Schema, Table } from "../program/schema";
import { ownEntry, setEntry } from "../protocol/dictionary";
import type { Row } from "../protocol/witness";
import { NotExecutable } from "../store/failure";
import { columnType, initialRows, INITIAL, type StoredRow } from "../store/row";
import { asNumeric, coerce, toDecimal, toValue, type SqlValue } from "../store/value";

/** Common prefix of all keys of a table. */
export function tablePrefix(table: string): string {
  return `${table.replaceAll("%", "%25").replaceAll("/", "%2F")}/`;
}

export function rowKey(table: string, key: string): Key {
  return `${tablePrefix(table)}${key}`;
}

/** The table and row name in a key. */
export function partsOfKey(key: Key): { readonly table: string; readonly row: string } {
  const at = key.indexOf("/");
  if (at < 0) return { table: "", row: key };
  const table = key.slice(0, at).replaceAll("%2F", "/").replaceAll("%25", "%");
  return { table, row: key.slice(at + 1) };
}

/** The initial content of the store. Throws NotExecutable if two rows share a key. */
export function initialVersions(
  schema: Schema,
  initial: Readonly<Record<string, readonly Row[]>>,
): ReadonlyMap<Key, Value> {
  const versions = new Map<Key, Value>();
  for (const [table, rows] of initialRows(schema, initial))
    for (const row of rows) {
      const key = rowKey(table, row.key);
      if (versions.has(key))
        throw new NotExecutable(`two rows of ${table} have the key ${row.key} at the start`);
      versions.set(key, encodeRow(row.values));
    }
  return versions;
}

/** A row's content as plain data. */
export function encodeRow(values: Readonly<Record<string, SqlValue>>): Value {
  const encoded: Record<string, Value> = {};
  for (const column of Object.keys(values).sort())
    setEntry(encoded, column, encodeCell(ownEntry(values, column)));
  return encoded;
}

/** The row in a version; undefined if it is none. */
export function decodeRow(
  table: Table,
  key: string,
  version: Value,
  number: number = INITIAL,
): StoredRow | undefined {
  if (!isRecord(version)) return undefined;
  const values: Record<string, SqlValue> = {};
  for (const [column, cell] of Object.entries(version))
    setEntry(values, column, decodeCell(cell, table, column));
  return {
    kind: "stored",
    table: table.name,
    key,
    values,
    alive: true,
    writers: {},
    version: number,
    incarnation: INITIAL,
  };
}

/** A version for people and JSON: columns with their values. */
export function plainRow(version: Value): Row | undefined {
  if (!isRecord(version)) return undefined;
  return Object.fromEntries(
    Object.entries(version).map(([column, cell]) => [
      column,
      toValue(decodeCell(cell, undefined, column)),
    ]),
  );
}

/** The rows of a state for people and JSON, by table. */
export function plainTables(
  state: Iterable<readonly [Key, Value]>,
): Readonly<Record<string, readonly Row[]>> {
  const tables = new Map<string, Row[]>();
  for (const [key, version] of state) {
    const row = plainRow(version);
    if (row === undefined) continue;
    const { table } = partsOfKey(key);
    const rows = tables.get(table) ?? [];
    tables.set(table, [...rows, row]);
  }
  return Object.fromEntries(tables);
}

/** The unique values in a version, of its primary key and of non-partial unique keys; see `Client`. */
export function uniqueValuesOf(schema: Schema, key: Key, version: Value): readonly string[] {
  const row = plainRow(version);
  if (row === undefined) return [];
  const { table } = partsOfKey(key);
  const declared = schema.tables.find(({ name }) => name === table);
  const further = (declared?.uniqueKeys ?? []).flatMap(({ columns, where }, at) => {
    const values = columns.map((column) => ownEntry(row, column) ?? null);
    if (where !== undefined || values.includes(null)) return [];
    return [`${tablePrefix(table)}#${String(at)} ${JSON.stringify(values)}`];
  });
  return [key, ...further];
}

function encodeCell(value: SqlValue | undefined): Value {
  if (value === undefined || value === null || typeof value !== "object") return value ?? null;
  if (value.kind === "opaque") return { opaque: value.text };
  return { digits: value.digits.toString(), scale: value.scale };
}

function decodeCell(cell: Value, table: Table | undefined, column: string): SqlValue {
  if (cell === undefined || cell === null) return null;
  if (isRecord(cell)) {
    const { opaque, digits, scale } = cell;
    if (typeof opaque === "string") return { kind: "opaque", text: opaque };
    if (typeof digits === "string" && typeof scale === "number")
      return { kind: "decimal", digits: BigInt(digits), scale };
    return JSON.stringify(cell);
  }
  if (typeof cell === "object") return JSON.stringify(cell);
  if (typeof cell === "number" && !Number.isInteger(cell))
    return toDecimal(asNumeric(String(cell)) ?? 0);
  return table !== undefined && columnType(table, column) === "decimal"
    ? coerce(cell, "decimal")
    : cell;
}

function isRecord(value: Value): value is { readonly [name: string]: Value } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
