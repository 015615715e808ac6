// Dirty reads: reads of versions that were never committed (Adya 1999, G1a and G1b), because their writer rolled back, undid the write, or
// replaced it. Serial runs have none, so such a read explains a difference without a cycle.
import { HistoryBuilder } from "../history/builder";
import { ABORTED, READ, WRITE, type History } from "../history/history";
import { resolve } from "../history/resolve";
import { ownEntry } from "../protocol/dictionary";
import type { DirtyRead, Execution } from "./execution";
import { rowName } from "./recorder";
import { COMMITTED, type Run } from "./runRecord";
import { writtenColumns } from "./row";

/**
 * The dirty reads of committed instances, one per pair of steps and row, ordered by the reading step. Linear in
 * accesses times lasting writes.
 */
export function findDirtyReads(run: Run): readonly DirtyRead[] {
  const found = new Map<string, DirtyRead>();
  for (const [to, record] of run.steps.entries()) {
    if (ownEntry(run.status, record.instance) !== COMMITTED) continue;
    for (const cell of record.cells) {
      const kind = dirtyKind(run, record.instance, cell);
      if (kind === undefined) continue;
      const { table, key, column, writer: from } = cell;
      const name = `${kind} ${String(from)} ${String(to)} ${rowName(table, key)}`;
      const columns = [...(found.get(name)?.columns ?? []), column].sort();
      const predicate = !record.used.has(rowName(table, key));
      found.set(name, { kind, from, to, table, key, columns, predicate });
    }
  }
  return [...found.values()];
}

/** True if its own transaction replaced the version that a step wrote to a cell. */
export function isIntermediate(
  run: Run,
  cell: { readonly table: string; readonly key: string; readonly column: string },
  writer: number,
): boolean {
  const own = run.steps[writer];
  return run.writes.some(
    (write) =>
      write.instance === own?.instance &&
      run.steps[write.step]?.part === own.part &&
      write.step > writer &&
      write.table === cell.table &&
      write.key === cell.key &&
      writtenColumns(write).includes(cell.column),
  );
}

function dirtyKind(
  run: Run,
  reader: string,
  cell: { readonly table: string; readonly key: string; readonly column: string; writer: number },
): DirtyRead["kind"] | undefined {
  const writer = run.steps[cell.writer]?.instance;
  if (writer === undefined || writer === reader) return undefined;
  const lasts = run.writes.some(
    (write) =>
      write.step === cell.writer &&
      write.table === cell.table &&
      write.key === cell.key &&
      writtenColumns(write).includes(cell.column),
  );
  if (!lasts) return "rolled-back";
  return isIntermediate(run, cell, cell.writer) ? "replaced" : undefined;
}

/** The objection to a dirty read by the history checker, which shares no code with the store; undefined if it agrees. */
export function dirtyReadObjection(execution: Execution, read: DirtyRead): string | undefined {
  const expected = read.kind === "rolled-back" ? "aborted-read" : "intermediate-read";
  const { violations } = resolve(recordedRead(execution, read));
  return violations.some(({ kind }) => kind === expected)
    ? undefined
    : "the history checker finds nothing wrong with what it reads";
}

/** The history of the first cell that was read: all of its writes, and the read. */
function recordedRead(execution: Execution, read: DirtyRead): History {
  const builder = new HistoryBuilder({ zeroIsInitial: false, placeUnit: "line" });
  const [column = ""] = read.columns;
  const cell = JSON.stringify([read.table, read.key, column]);
  const key = builder.textKey(cell);
  const transactionOf = (name: string): number =>
    builder.textTransaction(builder.textSession(name), name);
  execution.steps.forEach((step, index) => {
    const writes = step.writes.some(
      (each) => each.table === read.table && each.key === read.key && each.column === column,
    );
    if (writes) {
      const undone = read.kind === "rolled-back" && index === read.from;
      const aborted = undone || ownEntry(execution.outcome.status, step.instance) !== COMMITTED;
      // Work that a committing transaction undoes counts as another, rolled back transaction.
      const writer = transactionOf(aborted ? `${step.instance} undone` : step.instance);
      if (aborted) builder.setStatus(writer, ABORTED);
      builder.add(WRITE, writer, key, builder.textVersion(key, String(index)), index + 1);
    }
    if (index === read.to) {
      const reader = transactionOf(step.instance);
      builder.add(READ, reader, key, builder.textVersion(key, String(read.from)), index + 1);
    }
  });
  return builder.finish();
}
