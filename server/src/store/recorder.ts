// Reads of one statement: cells of rows that it looked at, and the predicates by which it would have met other rows.
import { ownEntry } from "../protocol/dictionary";
import { EXISTENCE, writerOf, type StoredRow } from "./row";
import type { SqlValue } from "./value";

export interface CellRead {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  readonly value: SqlValue;
  /** The step that wrote the version that was read. */
  readonly writer: number;
}

/** A search through a table: rows for which `matches` is false cannot have mattered to it. */
export interface Scan {
  readonly table: string;
  readonly matches: (row: StoredRow) => boolean;
  /**
   * A constraint's search looks at the newest rows, not at the snapshot; one that goes over current rows may have
   * passed a place before a row came there.
   */
  readonly newest: boolean | "searched";
}

/** The reads of one execution of one statement. */
export interface Recorder {
  readonly cells: Map<string, CellRead>;
  readonly scans: Scan[];
  /** Rows that contributed to the result; reads of all others only tested a predicate. */
  readonly used: Set<string>;
  /** Cells that a subquery read: it is not asked again when the statement around it meets a newer version. */
  readonly kept: Set<string>;
  /** How many subqueries are being evaluated, one inside of the other. */
  nested: number;
}

export function openRecorder(): Recorder {
  return { cells: new Map(), scans: [], used: new Set(), kept: new Set(), nested: 0 };
}

export function rowName(table: string, key: string): string {
  return `${table}\u0000${key}`;
}

/**
 * Notes that the statement's course depended on this cell. The first version read counts, and where a subquery and the
 * statement around it meet two versions, both.
 */
export function recordCell(recorder: Recorder, row: StoredRow, column: string): void {
  const name = `${rowName(row.table, row.key)}\u0000${column}`;
  if (recorder.nested > 0) recorder.kept.add(name);
  const known = recorder.cells.get(name);
  if (known === undefined) recorder.cells.set(name, cellOf(row, column));
  else if (recorder.kept.has(name) && known.writer !== writerOf(row, column))
    recordSecond(recorder, name, cellOf(row, column));
}

/** The other version of a cell of which a subquery has read one. */
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
 * The row as a statement reads it that changed while it waited: the newest version instead of the one it saw. A row
 * that was inserted in the place of a deleted one is missed, so that both versions count.
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

/** Notes that a key was looked for; `row` is what was found of it. */
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
