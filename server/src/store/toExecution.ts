// The plain form of a run: execution, outcome, and observations of its statements.
import { ownEntry, setEntry } from "../protocol/dictionary";
import type { Outcome, Row, Value } from "../protocol/witness";
import { findDependencies } from "./dependencies";
import { findDirtyReads } from "./dirtyReads";
import type { CellAccess, ExecutedStep, Execution } from "./execution";
import type { ResultRows } from "./frame";
import { isUnit, type Machine } from "./machine";
import type { Run, StepRecord } from "./runRecord";
import { EXISTENCE, INITIAL, writtenColumns, type Write } from "./row";
import { renderValue, toValue, type SqlValue } from "./value";

/** The run as plain data. */
export function toExecution(run: Run): Execution {
  const dirtyReads = findDirtyReads(run);
  return {
    steps: run.steps.map((step) => executedStep(step, run.steps)),
    dependencies: findDependencies(run),
    ...(dirtyReads.length > 0 && { dirtyReads }),
    outcome: outcomeOf(run),
    observed: observedOf(run),
  };
}

/** The final rows, and each instance's end and return value. */
export function outcomeOf(run: Run): Outcome {
  const final: Record<string, readonly Row[]> = {};
  for (const table of [...run.final.keys()].sort())
    setEntry(
      final,
      table,
      (run.final.get(table) ?? []).filter((row) => row.alive).map((row) => plainRow(row.values)),
    );
  return { final, status: run.status, returned: perInstance(run, returnedBy) };
}

/** Everything that statements returned and changed, whether or not it is used. */
export function observedOf(run: Run): Readonly<Record<string, readonly string[]>> {
  return perInstance(run, (machine) => [
    ...run.steps.filter((step) => step.instance === machine.instance).flatMap(observedIn),
    ...returnedBy(machine, run.steps),
  ]);
}

/** A canonical text of one row. */
export function renderRow(
  row: Readonly<Record<string, Parameters<typeof renderValue>[0]>>,
): string {
  return Object.entries(row)
    .map(([column, value]) => `${column} = ${renderValue(value)}`)
    .join(", ");
}

function perInstance(
  run: Run,
  lines: (machine: Machine, steps: readonly StepRecord[]) => readonly string[],
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    run.machines.map((machine) => [machine.instance, lines(machine, run.steps)]),
  );
}

/**
 * The observations of each caller: rows of statements and return values. No row, NULL and a skipped statement are the same, as in the
 * encoding: `row ?? null` of an absent row equals an early `return null`.
 */
export function receivedOf(run: Run): Readonly<Record<string, readonly string[]>> {
  return perInstance(run, (machine, steps) =>
    linesOf(machine, steps, {
      rows: (step) =>
        shownRows(step).length === 0 ? [] : [`${step.statement}: ${resultText(shownRows(step))}`],
      value: (value) => (value === null ? [] : [renderValue(value)]),
    }),
  );
}

function returnedBy(machine: Machine, steps: readonly StepRecord[]): readonly string[] {
  return linesOf(machine, steps, {
    rows: (step) => [resultText(shownRows(step))],
    value: (value) => [renderValue(value)],
  });
}

/** Rows that reach the caller: of SELECT, of RETURNING in scripts, and RETURN of routines. */
function linesOf(
  machine: Machine,
  steps: readonly StepRecord[],
  text: {
    readonly rows: (step: StepRecord) => readonly string[];
    readonly value: (value: SqlValue) => readonly string[];
  },
): readonly string[] {
  const isRoutine = machine.transaction.boundary === "routine";
  const lines = steps
    .filter((step) => step.instance === machine.instance && reachesCaller(step, isRoutine))
    .flatMap(text.rows);
  // A unit that fails after a write returns that error to its caller.
  const { next } = machine;
  if (isUnit(machine) && next?.kind === "rollback") return [...lines, `fails: ${next.why}`];
  return machine.returned === undefined ? lines : [...lines, ...text.value(machine.returned)];
}

function reachesCaller(step: StepRecord, isRoutine: boolean): boolean {
  const { source } = step;
  if (source === undefined) return false;
  if (source.kind === "select") return !source.discarded;
  if (source.kind === "insert" || source.kind === "update" || source.kind === "delete")
    return source.returning !== undefined && !isRoutine;
  return false;
}

function shownRows({ rows, shown = rows }: StepRecord): ResultRows {
  return shown;
}

function resultText(rows: ResultRows): string {
  return rows.length === 0 ? "no row" : rows.map(renderRow).join("; ");
}

function observedIn(step: StepRecord): readonly string[] {
  if (typeof step.statement !== "number") return [];
  return [`${step.statement}: ${step.why ?? observedText(step)}`];
}

/** The text of rows that reach nobody: their first row, and their number. */
function observedText(step: StepRecord): string {
  const thrownAway = step.source?.kind === "select" && step.source.discarded;
  if (!thrownAway || step.rows.length < 2) return resultText(step.rows);
  return `${step.rows.length} rows: ${step.rows.slice(0, 1).map(renderRow).join("")}`;
}

function executedStep(step: StepRecord, steps: readonly StepRecord[]): ExecutedStep {
  const partAt = (writer: number): Pick<CellAccess, "writerPart"> => {
    const part = steps[writer]?.part;
    return part === undefined ? {} : { writerPart: part };
  };
  const reads = step.cells.map((cell): CellAccess => ({
    table: cell.table,
    key: cell.key,
    column: cell.column,
    value: toValue(cell.value),
    writer: cell.writer === INITIAL ? null : (steps[cell.writer]?.instance ?? null),
    ...partAt(cell.writer),
  }));
  return {
    instance: step.instance,
    statement: step.statement,
    ...(step.part === undefined ? {} : { part: step.part }),
    ...(step.commits === true ? { commits: true } : {}),
    ...(step.part === undefined || !step.level ? {} : { level: step.level.name }),
    ...(step.source === undefined ? {} : { source: step.source }),
    sees: step.sees,
    reads,
    writes: step.writes.flatMap(writtenCells),
    result: step.rows.map(plainRow),
    affected: step.affected,
    ...(step.waitedFor === undefined ? {} : { waitedFor: step.waitedFor }),
    ...(step.why === undefined ? {} : { why: step.why }),
  };
}

/** The cells that a write changed, including existence. */
export function writtenCells(write: Write): readonly CellAccess[] {
  return writtenColumns(write).map((column) => {
    const existence = column === EXISTENCE;
    return {
      table: write.table,
      key: write.key,
      column,
      value: existence ? (write.alive ?? false) : toValue(ownEntry(write.values, column) ?? null),
      before: existence
        ? (write.before?.alive ?? false)
        : toValue(ownEntry(write.before?.values, column) ?? null),
    };
  });
}

function plainRow(row: Readonly<Record<string, Parameters<typeof toValue>[0]>>): Row {
  const plain: Record<string, Value> = {};
  for (const [column, value] of Object.entries(row)) setEntry(plain, column, toValue(value));
  return plain;
}
