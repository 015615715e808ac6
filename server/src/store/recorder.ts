// The reads of one statement: cells that it looked at, and the predicates by which it would have matched other rows.
import { ownEntry } from "../protocol/dictionary";
import { EXISTENCE, writerOf, type StoredRow } from "./row";
import type { SqlValue } from "./value";

export interface CellRead {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  readonly value: SqlValue;
  /** The step that wrote the version. */
  readonly writer: number;
}

/** A search of one table: rows for which `matches` is false do not matter to it. */
export interface Scan {
  readonly table: string;
  readonly matches: (row: StoredRow) => boolean;
  /**
   * True for a constraint's search, which looks at the newest rows; "searched" for a search of current rows, which may have passed a place
   * before a row was inserted there.
   */
  readonly newest: boolean | "searched";
  /** For a search whose conditions give the columns of one unique key and name no others: that key. */
  readonly key?: readonly string[] | undefined;
}

/** A row that was not inserted, since another has one of its keys. Keys behind the one that is taken were not looked at. */
export interface Attempt {
  readonly table: string;
  readonly row: StoredRow;
  readonly keys: readonly (readonly string[])[];
}

/** The reads of one execution of one statement. */
export interface Recorder {
  readonly cells: Map<string, CellRead>;
  readonly scans: Scan[];
  readonly attempts: Attempt[];
  /** Rows that contributed to the result; other rows were only tested by a predicate. */
  readonly used: Set<string>;
  /** Cells read by a subquery, which is not evaluated again when the enclosing statement meets a newer version. */
  readonly kept: Set<string>;
  /** The nesting depth of the current subquery. */
  nested: number;
}

export function openRecorder(): Recorder {
  return { cells: new Map(), scans: [], attempts: [], used: new Set(), kept: new Set(), nested: 0 };
}

export function rowName(table: string, key: string): string {
  return `${table}\u0000${key}`;
}

/**
 * Records that the statement depended on this cell. The first version read counts, or both if a subquery and the enclosing statement met
 * different ones.
 */
export function recordCell(recorder: Recorder, row: StoredRow, column: string): void {
  const name = `${rowName(row.table, row.key)}\u0000${column}`;
  if (recorder.nested > 0) recorder.kept.add(name);
  const known = recorder.cells.get(name);
  if (known === undefined) recorder.cells.set(name, cellOf(row, column));
  else if (recorder.kept.has(name) && known.writer !== writerOf(row, column))
    recordSecond(recorder, name, cellOf(row, column));
}

/** The second version of a cell that a subquery has read already. */
function recordSecond(recorder: Recorder, name: string, cell: CellRead): void {
  const second = `${name}\u0000newest`;
  if (!recorder.cells.has(second)) recorder.cells.set(second, cell);
}

function cellOf(row: StoredRow, column: string): CellRead {
  return {
    table: row.table,
    key: row.key,
    column,
    value: column === EXISTENCE ? row.alive : (ownEntry(row.values, column) ?? null),
    writer: writerOf(row, column),
  };
}

/**
 * Replaces a row that changed while its statement waited: the newest version counts instead of the one that it saw. If the row was deleted
 * and reinserted, both versions count.
 */
export function rereadRow(recorder: Recorder, seen: StoredRow, newest: StoredRow): void {
  const replaced = newest.alive && newest.incarnation !== seen.incarnation;
  const existence = `${rowName(seen.table, seen.key)}\u0000${EXISTENCE}`;
  if (replaced || recorder.kept.has(existence)) {
    recorder.cells.set(`${existence}\u0000newest`, cellOf(newest, EXISTENCE));
    if (replaced) return;
  }
  forgetRow(recorder, seen);
  recordCell(recorder, newest, EXISTENCE);
  recordUse(recorder, newest);
}

function forgetRow(recorder: Recorder, row: StoredRow): void {
  const name = `${rowName(row.table, row.key)}\u0000`;
  for (const cell of recorder.cells.keys()) {
    if (!cell.startsWith(name) || recorder.kept.has(cell) || cell.endsWith("\u0000newest"))
      continue;
    recorder.cells.delete(cell);
  }
}

/** Records a key lookup; `row` is what it found. */
export function recordExistence(
  recorder: Recorder,
  table: string,
  key: string,
  row: StoredRow | undefined,
): void {
  if (row !== undefined) {
    recordCell(recorder, row, EXISTENCE);
    return;
  }
  const name = `${rowName(table, key)}\u0000${EXISTENCE}`;
  if (recorder.cells.has(name)) return;
  recorder.cells.set(name, { table, key, column: EXISTENCE, value: false, writer: -1 });
}

/** The cells read, without those that RETURNING showed of the statement's own writes. */
export function readCells(recorder: Recorder, step: number): readonly CellRead[] {
  return [...recorder.cells.values()].filter((cell) => cell.writer !== step);
}

export function recordUse(recorder: Recorder, row: StoredRow): void {
  recorder.used.add(rowName(row.table, row.key));
}
