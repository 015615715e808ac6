// Search conditions of a read: columns that equal values independent of rows.
import { walkExpression } from "../../frontend/sql/walk";
import type { Expression, Relation } from "../../program/expression";
import { conjunctsOf } from "../../program/operands";
import type { Statement } from "../../program/statement";

export interface Equality {
  readonly table: string;
  readonly column: string;
  readonly value: Expression;
}

/** The equalities that every row of the statement's base tables satisfies, in text order. */
export function equalitiesOf(statement: Statement): readonly Equality[] {
  const searched = searchOf(statement);
  if (!searched) return [];
  const { relations, where } = searched;
  const tables = new Map(
    relations.flatMap(({ alias, table, kind }) => (kind === "base" ? [[alias, table]] : [])),
  );
  const conditions = [where, ...relations.flatMap(({ on }) => on ?? [])];
  return conditions.flatMap(conjunctsOf).flatMap((each): readonly Equality[] => {
    if (each.kind !== "comparison" || each.operator !== "=") return [];
    const [column, value] =
      each.left.kind === "column" ? [each.left, each.right] : [each.right, each.left];
    if (column.kind !== "column" || !isFreeOfRows(value)) return [];
    const table = tables.get(column.relation);
    return table === undefined ? [] : [{ table, column: column.column, value }];
  });
}

/** True if a query selects at most one row: a whole key equals values. */
export function isOfOneRow(statement: Statement, key: readonly string[] | undefined): boolean {
  const columns = new Set(equalitiesOf(statement).map(({ column }) => column));
  return key !== undefined && key.length > 0 && key.every((column) => columns.has(column));
}

function searchOf(
  statement: Statement,
): { readonly relations: readonly Relation[]; readonly where: Expression } | undefined {
  switch (statement.kind) {
    case "select":
      return statement.query;
    case "update":
      return { relations: [statement.relation, ...statement.from], where: statement.where };
    case "delete":
      return { relations: [statement.relation, ...statement.using], where: statement.where };
    default:
      return undefined;
  }
}

function isFreeOfRows(value: Expression): boolean {
  let isFree = true;
  walkExpression(value, [], {
    expression: ({ kind }) => {
      if (OF_ROWS.has(kind)) isFree = false;
    },
  });
  return isFree;
}

const OF_ROWS: ReadonlySet<Expression["kind"]> = new Set([
  "column",
  "subquery",
  "exists",
  "inQuery",
  "aggregate",
]);
