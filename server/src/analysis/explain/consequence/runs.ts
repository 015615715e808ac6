// The executed run beside the outcomes of the serial orders: the input of the consequence templates.
import type { Schema, Table } from "../../../program/schema";
import { ownEntry } from "../../../protocol/dictionary";
import { isClockTime, type Outcome, type Row, type Value } from "../../../protocol/witness";
import type { ExecutedStep } from "../../../store/execution";

export interface Runs {
  readonly schema: Schema;
  readonly initial: Readonly<Record<string, readonly Row[]>>;
  readonly here: Outcome;
  /** Non-empty. */
  readonly serial: readonly Outcome[];
  readonly steps: readonly ExecutedStep[];
  readonly nameOf: (instance: string) => string;
  /** Columns whose equality the stale reads use to look up rows of the table. */
  readonly lookedUp: (table: string) => readonly string[];
}

/** A cell whose value after the run differs from that of some order. */
export interface OddCell {
  readonly table: string;
  readonly row: Row;
  readonly column: string;
  readonly value: Value;
  /** Distinct values that the serial orders leave in the cell. */
  readonly orders: readonly Value[];
  /** True if no order leaves this value: it is not a choice between the transactions. */
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

/** The row with the same key, or an equal row if the table has no key. */
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

/** Cells of rows that exist in all outcomes; those whose value no order leaves come first. Clock times are skipped. */
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

/** True for a value that came from a clock. */
export function isClock(value: Value): boolean {
  return typeof value === "string" && isClockTime(`'${value}`);
}

/** The number of rows like this one in these columns, in the run and in each order. */
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
