// Which rows of a table conditions can be about, where they spell its primary key.
import type { Expression } from "../program/expression";
import type { Table } from "../program/schema";
import { columnsOf } from "./columns";
import { evaluate } from "./evaluateExpression";
import type { Frame } from "./frame";
import { columnType, keyOf } from "./row";
import { coerce, type SqlValue } from "./value";

/** More combinations than this are not spelled out. */
const MOST_KEYS = 100;

/**
 * The primary keys, rendered, of all rows that can satisfy these conditions on a relation; undefined where they leave a
 * column of the key open. Rows with other keys satisfy them in no case; those with these keys may or may not.
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

/** Values that a condition says the column equals: one of these. */
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
