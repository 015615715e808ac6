// The executed run beside what its transactions leave one at a time: what the templates of consequences look at.
import type { Schema, Table } from "../../../program/schema";
import { ownEntry } from "../../../protocol/dictionary";
import { isClockTime, type Outcome, type Row, type Value } from "../../../protocol/witness";
import type { ExecutedStep } from "../../../store/execution";

export interface Runs {
  readonly schema: Schema;
  readonly initial: Readonly<Record<string, readonly Row[]>>;
  readonly here: Outcome;
  /** At least one. */
  readonly serial: readonly Outcome[];
  readonly steps: readonly ExecutedStep[];
  readonly nameOf: (instance: string) => string;
  /** Columns by whose equality the reads that go stale look for rows of the table. */
  readonly lookedUp: (table: string) => readonly string[];
}

/** A cell that the run left with a value that the orders do not agree with. */
export interface OddCell {
  readonly table: string;
  readonly row: Row;
  readonly column: string;
  readonly value: Value;
  /** Distinct values that the serial orders leave there. */
  readonly orders: readonly Value[];
  /** No order leaves this value: it is no choice between the transactions. */
  readonly isNew: boolean;
}

export function tableOf(runs: Runs, name: string): Table | undefined {
  return runs.schema.tables.find((table) => table.name === name);
}

export function keyOf(runs: Runs, table: string): readonly string[] {
  return tableOf(runs, table)?.primaryKey ?? [];
}

export function rowsOf(tables: Outcome["final"], table: string): readonly Row[] {
  return ownEntry(tables, table) ?? [];
}

export function tablesOf({ here, serial }: Runs): readonly string[] {
  return [...new Set([here, ...serial].flatMap(({ final }) => Object.keys(final)))];
}

/** The row of the same key, or the same row where there is none. */
export function sameRow(
  runs: Runs,
  table: string,
  row: Row,
  among: readonly Row[],
): Row | undefined {
  const key = keyOf(runs, table);
  const columns = key.length > 0 ? key : Object.keys(row);
  return among.find((other) =>
    columns.every(
      (column) => (ownEntry(other, column) ?? null) === (ownEntry(row, column) ?? null),
    ),
  );
}

/** Cells of rows that all outcomes have; those whose value no order leaves come first. Times of a clock are none. */
export function oddCells(runs: Runs): readonly OddCell[] {
  const cells = tablesOf(runs).flatMap((table) =>
    rowsOf(runs.here.final, table).flatMap((row) => {
      const others = runs.serial.map(({ final }) =>
        sameRow(runs, table, row, rowsOf(final, table)),
      );
      return Object.entries(row).flatMap(([column, value]): readonly OddCell[] => {
        const values = others.flatMap((other) => (other ? [ownEntry(other, column) ?? null] : []));
        if (values.length < others.length || values.every((each) => each === value)) return [];
        if ([value, ...values].some(isClock)) return [];
        const isNew = !values.includes(value);
        return [{ table, row, column, value, orders: [...new Set(values)], isNew }];
      });
    }),
  );
  return [...cells.filter(({ isNew }) => isNew), ...cells.filter(({ isNew }) => !isNew)];
}

/** True of a time that a clock gave. */
export function isClock(value: Value): boolean {
  return typeof value === "string" && isClockTime(`'${value}`);
}

/** How often the run has rows like this one in these columns, and how often each order has. */
export function countsLike(
  runs: Runs,
  table: string,
  row: Row,
  columns: readonly string[],
): { readonly here: number; readonly serial: readonly number[] } {
  const count = ({ final }: Pick<Outcome, "final">): number =>
    rowsOf(final, table).filter((other) => agree(row, other, columns)).length;
  return { here: count(runs.here), serial: runs.serial.map(count) };
}

export function agree(a: Row, b: Row, columns: readonly string[]): boolean {
  return columns.every((column) => {
    const value = ownEntry(a, column) ?? null;
    return value !== null && value === (ownEntry(b, column) ?? null);
  });
}
