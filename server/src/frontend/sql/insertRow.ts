// The columns that an INSERT omits.
import type { Expression } from "../../program/expression";
import { mapParts } from "../../program/operands";
import type { Table } from "../../program/schema";
import type { Assignment, InsertStatement } from "../../program/statement";
import { isDeclaredToday, TODAY } from "./currentDate";
import { literal } from "./expressions";
import type { Ids } from "./lowering";

/** The row with every column of the table in order: omitted ones get their default or NULL. */
export function completeRow(
  table: Table | undefined,
  given: readonly Assignment[],
  ids: Ids,
): readonly Assignment[] {
  if (table === undefined || table.inferred) return given;
  const known = new Map(given.map((each) => [each.column, each.value] as const));
  const names = new Set(table.columns.map((column) => column.name));
  const declared = table.columns.map(({ name }): Assignment => {
    return { column: name, value: known.get(name) ?? defaultOf(table, name, ids) };
  });
  return [...declared, ...given.filter(({ column }) => !names.has(column))];
}

/** The columns that an INSERT without names fills, in order; none where nobody declared them, since those of a guess have no order. */
export function orderedColumns(table: Table | undefined): readonly string[] {
  return table === undefined || table.inferred ? [] : table.columns.map(({ name }) => name);
}

/** The meaning of DEFAULT for a column. */
export function defaultOf(table: Table | undefined, column: string, ids: Ids): Expression {
  const value = table?.columns.find((each) => each.name === column)?.default;
  if (value === undefined) return literal(null);
  return evaluatedAnew(value, ids);
}

/** The value for another row: fresh and unknown values are renewed. */
function evaluatedAnew(value: Expression, ids: Ids): Expression {
  if (isDeclaredToday(value)) return TODAY;
  if (value.kind === "fresh") return { ...value, id: ids.fresh("f") };
  const parts = mapParts(value, (part) => evaluatedAnew(part, ids));
  return parts.kind === "unknown" ? { ...parts, id: ids.fresh("u") } : parts;
}

/** In an insert, columns of the current row are named by the table: its alias is replaced. */
export function withRowsOf(
  statement: InsertStatement,
  alias: string,
  table: string,
): InsertStatement {
  const rename = <Part>(part: Part): Part => {
    if (Array.isArray(part)) {
      // A mapped array of the same elements has the type of the array.
      return part.map((each: unknown) => rename(each)) as Part;
    }
    if (typeof part !== "object" || part === null) return part;
    const entries = Object.entries(part).map(([key, value]: [string, unknown]) => {
      return [key, key === "relation" && value === alias ? table : rename(value)] as const;
    });
    // The same properties with values of the same types.
    return Object.fromEntries(entries) as Part;
  };
  const { onConflict, returning } = statement;
  return {
    ...statement,
    ...(onConflict === undefined ? {} : { onConflict: rename(onConflict) }),
    ...(returning === undefined ? {} : { returning: rename(returning) }),
  };
}
