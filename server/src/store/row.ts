// Rows of the store and the writes that make them: every cell remembers the step that wrote it.
import type { ValueType } from "../program/expression";
import { emptyTable, type Schema, type Table } from "../program/schema";
import { ownEntry, setEntry } from "../protocol/dictionary";
import type { Row } from "../protocol/witness";
import { fromValue, orderValues, renderValue, type SqlValue } from "./value";

/** The step number of what was there before the run. */
export const INITIAL = -1;

/** The column that stands for a row's existence. */
export const EXISTENCE = "@";

/** A row of a subquery. */
export interface DerivedRow {
  readonly kind: "derived";
  readonly values: Readonly<Record<string, SqlValue>>;
}

/** A row of a relation in a query. */
export type BoundRow = StoredRow | DerivedRow;

/** One version of one row of a table. Dead rows stay as tombstones with their last values. */
export interface StoredRow {
  readonly kind: "stored";
  readonly table: string;
  readonly values: Readonly<Record<string, SqlValue>>;
  /** The primary key rendered, or a generated name where the table has none. */
  readonly key: string;
  readonly alive: boolean;
  /** Per column (and `@`) the step that wrote it; INITIAL when absent. */
  readonly writers: Readonly<Record<string, number>>;
  /** The last step that wrote any of it: two versions of a row are the same iff this is. */
  readonly version: number;
  /** The step that inserted it: a row that was deleted and inserted again is another row with the same key. */
  readonly incarnation: number;
  /** Dead here, alive under another key. */
  readonly moved?: boolean;
}

/** A change of one row by one step: the columns assigned, and its birth or death. */
export interface Write {
  readonly table: string;
  readonly key: string;
  readonly instance: string;
  readonly step: number;
  readonly alive?: boolean;
  readonly values: Readonly<Record<string, SqlValue>>;
  /** The version that the writer acted on. */
  readonly before: StoredRow | undefined;
  /** The row lives on under another key. */
  readonly moved?: boolean;
}

/** The rows of one table, dead ones included, in key order. */
export type TableRows = readonly StoredRow[];

/** Initial rows of a setup as the store keeps them. */
export function initialRows(
  schema: Schema,
  initial: Readonly<Record<string, readonly Row[]>>,
): ReadonlyMap<string, TableRows> {
  const tables = new Map<string, TableRows>();
  for (const [name, rows] of Object.entries(initial)) {
    const table = findTable(schema, name);
    const stored = rows.map((row, index) => initialRow(table, row, index));
    tables.set(name, sortRows(table, stored));
  }
  return tables;
}

/** The table of that name, or one without declared columns. */
export function findTable(schema: Schema, name: string): Table {
  return schema.tables.find((table) => table.name === name) ?? emptyTable(name);
}

export function columnType(table: Table, column: string): ValueType {
  return table.columns.find((each) => each.name === column)?.type ?? "other";
}

/** The rendered primary key of a row with these values; undefined when the table has none. */
export function keyOf(
  table: Table,
  values: Readonly<Record<string, SqlValue>>,
): string | undefined {
  if (table.primaryKey.length === 0) return undefined;
  return table.primaryKey.map((column) => renderValue(ownEntry(values, column) ?? null)).join(",");
}

/** The rows after a write: of each cell the last write counts. */
export function applyWrite(table: Table, rows: TableRows, write: Write): TableRows {
  const index = rows.findIndex((row) => row.key === write.key);
  const next = writtenRow(rows[index], write);
  if (index >= 0) return rows.map((row, at) => (at === index ? next : row));
  return sortRows(table, [...rows, next]);
}

/** The version that a write makes of a row. */
export function writtenRow(row: StoredRow | undefined, write: Write): StoredRow {
  const writers: Record<string, number> = { ...row?.writers };
  for (const column of Object.keys(write.values)) setEntry(writers, column, write.step);
  if (write.alive !== undefined) writers[EXISTENCE] = write.step;
  return {
    kind: "stored",
    table: write.table,
    key: write.key,
    values: { ...row?.values, ...write.values },
    alive: write.alive ?? row?.alive ?? false,
    writers,
    version: write.step,
    incarnation: write.alive === true ? write.step : (row?.incarnation ?? INITIAL),
    ...(write.moved === true ? { moved: true } : {}),
  };
}

/** Columns of a write, existence included. */
export function writtenColumns(write: Write): readonly string[] {
  const columns = Object.keys(write.values);
  return write.alive === undefined ? columns : [EXISTENCE, ...columns];
}

export function writerOf(row: StoredRow | undefined, column: string): number {
  return ownEntry(row?.writers, column) ?? INITIAL;
}

function initialRow(table: Table, row: Row, index: number): StoredRow {
  const values: Record<string, SqlValue> = {};
  for (const [column, value] of Object.entries(row))
    setEntry(values, column, fromValue(value, columnType(table, column)));
  return {
    kind: "stored",
    table: table.name,
    key: keyOf(table, values) ?? `#${index + 1}`,
    values,
    alive: true,
    writers: {},
    version: INITIAL,
    incarnation: INITIAL,
  };
}

function sortRows(table: Table, rows: StoredRow[]): TableRows {
  return rows.sort(compareRows(table));
}

/** The order of rows by their keys. */
export function compareRows(table: Table): (a: Placed, b: Placed) => number {
  const byName = (a: Placed, b: Placed) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
  return (a, b) => {
    for (const column of table.primaryKey) {
      const order = orderValues(
        ownEntry(a.values, column) ?? null,
        ownEntry(b.values, column) ?? null,
      );
      if (order !== 0) return order;
    }
    return table.primaryKey.length === 0 ? 0 : byName(a, b);
  };
}

type Placed = Pick<StoredRow, "key" | "values">;
