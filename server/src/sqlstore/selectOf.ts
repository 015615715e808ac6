// A query made of expressions alone.
import type { SqlExpression, SqlQuery } from "./tree";

/** SELECT of these expressions. */
export function selectOf(values: readonly SqlExpression[]): SqlQuery {
  return {
    kind: "select",
    with: [],
    body: {
      kind: "select",
      distinct: false,
      outputs: values.map((value) => ({ value })),
      from: [],
      groupBy: [],
      windows: new Map(),
    },
    orderBy: [],
    locks: [],
  };
}
