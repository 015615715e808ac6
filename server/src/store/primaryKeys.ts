// The rows of a table that conditions can select, where they determine its primary key.
import type { Expression } from "../program/expression";
import type { Table } from "../program/schema";
import { columnsOf } from "./columns";
import { evaluate } from "./evaluateExpression";
import type { Frame } from "./frame";
import { columnType, keyOf } from "./row";
import { coerce, type SqlValue } from "./value";

/** Larger sets of keys are not enumerated. */
const MOST_KEYS = 100;

/**
 * The rendered primary keys of all rows that can satisfy these conditions on a relation; undefined if a key column is unconstrained. The
 * rows with these keys need not satisfy the conditions.
 */
export function primaryKeys(
  table: Table,
  alias: string,
  conditions: readonly Expression[],
  frame: Frame,
): readonly string[] | undefined {
  if (table.primaryKey.length === 0) return undefined;
  let rows: readonly Readonly<Record<string, SqlValue>>[] = [{}];
  for (const column of table.primaryKey) {
    const given = conditions
      .map((condition) => valuesGiven(condition, alias, column))
      .find((values) => values !== undefined);
    if (given === undefined || rows.length * given.length > MOST_KEYS) return undefined;
    const type = columnType(table, column);
    const values = given.map((each) => coerce(evaluate(each, frame), type));
    rows = rows.flatMap((row) =>
      values.flatMap((value) => (value === null ? [] : [{ ...row, [column]: value }])),
    );
  }
  return [...new Set(rows.flatMap((row) => keyOf(table, row) ?? []))];
}

/** The possible values of a column under a condition. */
function valuesGiven(
  condition: Expression,
  alias: string,
  column: string,
): readonly Expression[] | undefined {
  const isColumn = (each: Expression): boolean =>
    each.kind === "column" && each.relation === alias && each.column === column;
  const isGiven = (each: Expression): boolean =>
    columnsOf(each).every(({ relation }) => relation !== alias);
  switch (condition.kind) {
    case "comparison": {
      if (condition.operator !== "=") return undefined;
      const { left, right } = condition;
      if (isColumn(left) && isGiven(right)) return [right];
      return isColumn(right) && isGiven(left) ? [left] : undefined;
    }
    case "in":
      return isColumn(condition.operand) && condition.values.every(isGiven)
        ? condition.values
        : undefined;
    case "or": {
      const parts = condition.operands.map((each) => valuesGiven(each, alias, column));
      return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
    }
    default:
      return undefined;
  }
}
