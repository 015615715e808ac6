// The row changes of INSERT, UPDATE and DELETE, and the rows of RETURNING.
import type { Table } from "../program/schema";
import type { Assignment, Returning } from "../program/statement";
import { ownEntry, setEntry } from "../protocol/dictionary";
import { evaluate } from "./evaluateExpression";
import { withRows, type Binding, type Frame, type ResultRows } from "./frame";
import { recordCell } from "./recorder";
import { columnType, keyOf, type StoredRow, type Write } from "./row";
import type { StatementFrame } from "./statementFrame";
import { coerce, sameValue, type SqlValue } from "./value";

/** The row after an assignment list, coerced to the columns' types. */
export function assignRow(
  table: Table,
  assignments: readonly Assignment[],
  frame: Frame,
): Record<string, SqlValue> {
  const values: Record<string, SqlValue> = {};
  for (const each of assignments)
    setEntry(
      values,
      each.column,
      coerce(evaluate(each.value, frame), columnType(table, each.column)),
    );
  return values;
}

/** The writes that give a row these values: one, or two if its key changes; none if the product skips an unchanged row. */
export function updateWrites(
  table: Table,
  row: StoredRow,
  values: Readonly<Record<string, SqlValue>>,
  frame: StatementFrame,
): readonly Write[] {
  const unchanged = Object.entries(values).every(([column, value]) =>
    sameValue(value, ownEntry(row.values, column) ?? null),
  );
  if (unchanged && frame.acting.noVersionOnNoChange) {
    // An unchanged row was read.
    for (const column of Object.keys(values)) recordCell(frame.recorder, row, column);
    return [];
  }
  const base = { table: table.name, instance: frame.environment.instance, step: frame.acting.step };
  const all = { ...row.values, ...values };
  const key = keyOf(table, all) ?? row.key;
  if (key === row.key) return [{ ...base, key, values, before: row }];
  return [
    { ...base, key: row.key, values: {}, alive: false, before: row, moved: true },
    { ...base, key, values: all, alive: true, before: undefined },
  ];
}

/** Rows of RETURNING for a row as it is after the statement. */
export function returningRow(
  returning: Returning | undefined,
  binding: Binding,
  frame: Frame,
): ResultRows {
  if (returning === undefined) return [];
  const inside = withRows(frame, binding);
  return [
    Object.fromEntries(returning.outputs.map((each) => [each.name, evaluate(each.value, inside)])),
  ];
}
