// Dependencies between the committed instances of a run (Adya, "Weak Consistency", 1999): wr, ww and rw, the last also for rows that a
// predicate would have matched.
import { ownEntry } from "../protocol/dictionary";
import type { ExecutedDependency } from "./execution";
import { isIntermediate } from "./dirtyReads";
import { keyDependencies } from "./keyDependencies";
import { rowName, type CellRead } from "./recorder";
import { COMMITTED, type Run, type StepRecord } from "./runRecord";
import {
  applyWrite,
  EXISTENCE,
  findTable,
  writtenColumns,
  writtenRow,
  type TableRows,
  type Write,
} from "./row";

/**
 * All dependencies between different committed instances, sorted by their ends. Versions of a cell are ordered by the steps that wrote
 * them. Linear in accesses times versions per cell.
 */
export function findDependencies(run: Run): readonly ExecutedDependency[] {
  const names = run.steps.map(({ instance }) => instance);
  const found = new Map<string, Draft>();
  for (const { from, to, table, key, column } of keyDependencies(run, names))
    add(found, "wr", from, to, table, key, column, true);
  return rowDependencies(run, undefined, found);
}

/** The same without dependencies over unique keys; `nameOf` replaces the instance names. Added to `found`. */
export function rowDependencies(
  run: Run,
  nameOf: (step: StepRecord) => string = ({ instance }) => instance,
  found = new Map<string, Draft>(),
): readonly ExecutedDependency[] {
  const versions = versionsByCell(run);
  const names = run.steps.map(nameOf);
  for (const [step, record] of run.steps.entries()) {
    if (ownEntry(run.status, record.instance) !== COMMITTED) continue;
    readDependencies(run, names, step, record, versions, found);
    if (record.scans.length > 0) phantomDependencies(run, names, step, record, found);
  }
  writeDependencies(names, versions, found);
  return [...found.values()]
    .map((draft) => ({ ...draft, columns: [...draft.columns].sort() }))
    .sort((a, b) => a.from - b.from || a.to - b.to);
}

interface Draft {
  readonly dependency: ExecutedDependency["dependency"];
  readonly from: number;
  readonly to: number;
  readonly table: string;
  readonly key: string;
  readonly predicate: boolean;
  readonly isVacuous?: true;
  readonly columns: Set<string>;
}

interface Version {
  readonly step: number;
  readonly write: Write;
}

type Versions = ReadonlyMap<string, readonly Version[]>;

function cellName(table: string, key: string, column: string): string {
  return `${rowName(table, key)}\u0000${column}`;
}

function versionsByCell(run: Run): Versions {
  const cells = new Map<string, Version[]>();
  for (const write of run.writes)
    for (const column of writtenColumns(write)) {
      const name = cellName(write.table, write.key, column);
      const list = cells.get(name);
      if (list === undefined) cells.set(name, [{ step: write.step, write }]);
      else list.push({ step: write.step, write });
    }
  for (const list of cells.values()) list.sort((a, b) => a.step - b.step);
  return cells;
}

function readDependencies(
  run: Run,
  names: readonly string[],
  step: number,
  record: StepRecord,
  versions: Versions,
  found: Map<string, Draft>,
): void {
  for (const cell of record.cells) {
    const writer = run.steps[cell.writer]?.instance;
    // Others do not depend on a version that its own writer replaced (Adya 1999, definition of versions).
    const others = writer !== undefined && names[cell.writer] !== names[step];
    if (others && isIntermediate(run, cell, cell.writer)) continue;
    const predicate = !record.used.has(rowName(cell.table, cell.key));
    if (others && ownEntry(run.status, writer) === COMMITTED)
      add(found, "wr", cell.writer, step, cell.table, cell.key, cell.column, predicate, () =>
        isVacuous(run, record, cell, cell.writer),
      );
    const list = versions.get(cellName(cell.table, cell.key, cell.column)) ?? [];
    const next = list.find((version) => version.step > cell.writer && version.step !== step);
    if (next !== undefined && names[next.step] !== names[step])
      add(found, "rw", step, next.step, cell.table, cell.key, cell.column, predicate, () =>
        isVacuous(run, record, cell, next.step),
      );
  }
}

/**
 * True if a write does not change which rows a statement's searches accept (Adya 1999: it does not change the matches of the predicate).
 */
function isVacuous(
  run: Run,
  { scans }: StepRecord,
  { table, key }: Pick<CellRead, "table" | "key">,
  step: number,
): boolean {
  const searches = scans.filter((scan) => scan.table === table);
  const write = run.writes.find(
    (each) => each.step === step && each.table === table && each.key === key,
  );
  if (write === undefined || searches.length === 0) return false;
  const versions = [write.before, writtenRow(write.before, write)];
  return !versions.some(
    (row) => row?.alive === true && searches.some(({ matches }) => matches(row)),
  );
}

function writeDependencies(
  names: readonly string[],
  versions: Versions,
  found: Map<string, Draft>,
): void {
  for (const [name, list] of versions) {
    const column = name.slice(name.lastIndexOf("\u0000") + 1);
    for (const [index, version] of list.entries()) {
      const next = list[index + 1];
      if (next === undefined || names[next.step] === names[version.step]) continue;
      const { table, key } = version.write;
      add(found, "ww", version.step, next.step, table, key, column, false);
    }
  }
}

/** Rows that did not exist for the statement and would have matched its predicate after a later write. */
function phantomDependencies(
  run: Run,
  names: readonly string[],
  step: number,
  record: StepRecord,
  found: Map<string, Draft>,
): void {
  const known = new Set(
    record.cells
      .filter((cell) => cell.column === EXISTENCE)
      .map((cell) => rowName(cell.table, cell.key)),
  );
  for (const table of new Set(record.scans.map((scan) => scan.table))) {
    const scans = record.scans.filter((scan) => scan.table === table);
    let rows: TableRows = [];
    for (const write of run.writes) {
      if (write.table !== table || known.has(rowName(table, write.key))) continue;
      const inserted = write.alive === true || rows.some((row) => row.key === write.key);
      if (!inserted) continue;
      rows = applyWrite(findTable(run.schema, table), rows, write);
      const row = rows.find((each) => each.key === write.key);
      if (row === undefined || !row.alive || names[write.step] === names[step]) continue;
      if (!scans.some((scan) => !record.saw(write.step, scan) && scan.matches(row))) continue;
      add(found, "rw", step, write.step, table, write.key, EXISTENCE, true);
    }
  }
}

function add(
  found: Map<string, Draft>,
  dependency: Draft["dependency"],
  from: number,
  to: number,
  table: string,
  key: string,
  column: string,
  predicate: boolean,
  vacuous: () => boolean = () => false,
): void {
  const name = `${dependency} ${from} ${to} ${table} ${key} ${String(predicate)}`;
  const draft = found.get(name);
  if (draft !== undefined) {
    draft.columns.add(column);
    return;
  }
  const isVacuous = predicate && vacuous() ? ({ isVacuous: true } as const) : {};
  const columns = new Set([column]);
  found.set(name, { dependency, from, to, table, key, predicate, columns, ...isVacuous });
}
