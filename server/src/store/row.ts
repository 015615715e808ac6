// Rows of the store and their writes: every cell records the step that wrote it.
import type { ValueType } from "../program/expression";
import { emptyTable, type Schema, type Table } from "../program/schema";
import { ownEntry, setEntry } from "../protocol/dictionary";
import type { Row } from "../protocol/witness";
import { fromValue, orderValues, renderValue, type SqlValue } from "./value";

/** The step number of initial rows. */
export const INITIAL = -1;

/** The pseudo column for a row's existence. */
export const EXISTENCE = "@";

/** A row of a subquery. */
export interface DerivedRow {
  readonly kind: "derived";
  readonly values: Readonly<Record<string, SqlValue>>;
}

/** A row of a relation in a query. */
export type BoundRow = StoredRow | DerivedRow;

/** One version of one row of a table. Deleted rows stay as tombstones with their last values. */
export interface StoredRow {
  readonly kind: "stored";
  readonly table: string;
  readonly values: Readonly<Record<string, SqlValue>>;
  /** The rendered primary key, or a generated name for a table without one. */
  readonly key: string;
  readonly alive: boolean;
  /** The writing step per column (and `@`); INITIAL if absent. */
  readonly writers: Readonly<Record<string, number>>;
  /** The last step that wrote any cell: it identifies the version. */
  readonly version: number;
  /** The step that inserted it: a reinserted row is another row with the same key. */
  readonly incarnation: number;
  /** True if it was moved to another key. */
  readonly moved?: boolean;
}

/** A step's change of one row: the assigned columns, and its insertion or deletion. */
export interface Write {
  readonly table: string;
  readonly key: string;
  readonly instance: string;
  readonly step: number;
  readonly alive?: boolean;
  readonly values: Readonly<Record<string, SqlValue>>;
  /** The version that the writer acted on. */
  readonly before: StoredRow | undefined;
  /** True if the row was moved to another key. */
  readonly moved?: boolean;
}

/** The rows of one table in key order, with tombstones. */
export type TableRows = readonly StoredRow[];

/** The initial rows of a setup in the store's form. */
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

/** The rendered primary key of these values; undefined if the table has none. */
export function keyOf(
  table: Table,
  values: Readonly<Record<string, SqlValue>>,
): string | undefined {
  if (table.primaryKey.length === 0) return undefined;
  return table.primaryKey.map((column) => renderValue(ownEntry(values, column) ?? null)).join(",");
}

/** The rows after a write: the last write of each cell wins. */
export function applyWrite(table: Table, rows: TableRows, write: Write): TableRows {
  const index = rows.findIndex((row) => row.key === write.key);
  const next = writtenRow(rows[index], write);
  if (index >= 0) return rows.map((row, at) => (at === index ? next : row));
  return sortRows(table, [...rows, next]);
}

/** The row version that a write creates. */
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
