// The range of a table that a search visits through an index. Other rows are neither locked nor waited for.
import type { Expression } from "../program/expression";
import type { Table } from "../program/schema";
import { columnsOf } from "./columns";
import { uniqueKeysOf } from "./constraints";

export interface SearchRange {
  /** The conditions that bound the range; none if the whole table is searched. */
  readonly conditions: readonly Expression[];
  /** True if it contains at most one row: every column of a unique key is given. */
  readonly point: boolean;
}

/** True if an index beside the primary key may lead to the rows: nothing bounds that key. */
export function isBesideKey(
  { primaryKey: [first] }: Table,
  alias: string,
  conditions: readonly Expression[],
): boolean {
  return first === undefined || conditions.every((each) => !bounds(each, alias, first));
}

/**
 * The range of these conditions on a relation, by the best unique key: one that is given completely, else the one with most leading columns
 * given or bounded. Non-unique indexes are not known.
 */
export function searchRange(
  table: Table,
  alias: string,
  conditions: readonly Expression[],
): SearchRange {
  let best: SearchRange = { conditions: [], point: false };
  for (const key of uniqueKeysOf(table)) {
    if (key.where !== undefined) continue;
    const range = rangeOf(key.columns, alias, conditions);
    if (range.point) return range;
    if (range.conditions.length > best.conditions.length) best = range;
  }
  return best;
}

/** The unique key whose columns the conditions give, if they name no other column of the relation. */
export function soleKey(
  table: Table,
  alias: string,
  conditions: readonly Expression[],
): readonly string[] | undefined {
  const named = new Set(
    conditions
      .flatMap((each) => columnsOf(each))
      .filter(({ relation }) => relation === alias)
      .map(({ column }) => column),
  );
  return uniqueKeysOf(table)
    .filter(({ where }) => where === undefined)
    .map(({ columns }) => columns)
    .find(
      (columns) =>
        rangeOf(columns, alias, conditions).point &&
        [...named].every((column) => columns.includes(column)),
    );
}

function rangeOf(
  columns: readonly string[],
  alias: string,
  conditions: readonly Expression[],
): SearchRange {
  const used: Expression[] = [];
  for (const column of columns) {
    const given = conditions.find((each) => bounds(each, alias, column) === "equal");
    if (given === undefined) {
      used.push(...conditions.filter((each) => bounds(each, alias, column) === "range"));
      return { conditions: used, point: false };
    }
    used.push(given);
  }
  return { conditions: used, point: columns.length > 0 };
}

function bounds(
  condition: Expression,
  alias: string,
  column: string,
): "equal" | "range" | undefined {
  const isColumn = (each: Expression): boolean =>
    each.kind === "column" && each.relation === alias && each.column === column;
  const isGiven = (each: Expression): boolean =>
    columnsOf(each).every(({ relation }) => relation !== alias);
  if (condition.kind === "or")
    return condition.operands.every((each) => bounds(each, alias, column) !== undefined)
      ? "range"
      : undefined;
  if (condition.kind === "in")
    return isColumn(condition.operand) && condition.values.every(isGiven) ? "range" : undefined;
  if (condition.kind !== "comparison" || condition.operator === "<>") return undefined;
  const { left, right } = condition;
  if (!(isColumn(left) && isGiven(right)) && !(isColumn(right) && isGiven(left))) return undefined;
  return condition.operator === "=" ? "equal" : "range";
}
