// Queries that no text says.
import type { SqlExpression, SqlQuery, SqlQueryBody } from "./tree";

/** A query of that body, in no order. */
export function queryOf(body: SqlQueryBody): SqlQuery {
  return { kind: "select", with: [], body, orderBy: [], locks: [] };
}

/** SELECT of these expressions. */
export function selectOf(values: readonly SqlExpression[]): SqlQuery {
  return queryOf({
    kind: "select",
    distinct: false,
    outputs: values.map((value) => ({ value })),
    from: [],
    groupBy: [],
    windows: new Map(),
  });
}
