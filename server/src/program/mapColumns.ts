// Replacement of columns in queries, including subqueries.
import type { Expression, Query } from "./expression";
import { mapParts } from "./operands";

/** The replacement of a column; undefined to keep it. */
export type Replace = (name: {
  readonly relation: string;
  readonly column: string;
}) => Expression | undefined;

/** The expression with its columns replaced, including free columns of its subqueries. */
export function mapColumns(expression: Expression, replace: Replace): Expression {
  switch (expression.kind) {
    case "column":
      return replace(expression) ?? expression;
    case "exists":
    case "subquery":
      return { ...expression, query: mapQuery(expression.query, replace) };
    case "inQuery":
      return {
        ...expression,
        operand: mapColumns(expression.operand, replace),
        query: mapQuery(expression.query, replace),
      };
    default:
      return mapParts(expression, (part) => mapColumns(part, replace));
  }
}

/** The query with its free columns replaced. */
export function mapQuery(query: Query, replace: Replace): Query {
  const own = new Set(query.relations.map((each) => each.alias));
  const inside: Replace = (name) => (own.has(name.relation) ? undefined : replace(name));
  return mapAll(query, inside);
}

/** The query with prefixed relation names. Linear in the query. */
export function prefixRelations(query: Query, prefix: string): Query {
  const own = new Set(query.relations.map((each) => each.alias));
  const renamed = mapAll(query, ({ relation, column }) =>
    own.has(relation) ? { kind: "column", relation: `${prefix}.${relation}`, column } : undefined,
  );
  return {
    ...renamed,
    relations: renamed.relations.map((each) => ({ ...each, alias: `${prefix}.${each.alias}` })),
  };
}

function mapAll(query: Query, replace: Replace): Query {
  const map = (each: Expression): Expression => mapColumns(each, replace);
  const { having } = query;
  return {
    ...query,
    relations: query.relations.map((each) => ({
      ...each,
      ...(each.on && { on: map(each.on) }),
      ...(each.query && { query: mapQuery(each.query, replace) }),
    })),
    where: map(query.where),
    outputs: query.outputs.map((each) => ({ ...each, value: map(each.value) })),
    groupBy: query.groupBy.map(map),
    ...(having && { having: map(having) }),
    orderBy: query.orderBy.map((each) => ({ ...each, value: map(each.value) })),
    ...(query.distinctOn && { distinctOn: query.distinctOn.map(map) }),
    setOperations: query.setOperations.map((each) => ({
      ...each,
      query: mapQuery(each.query, replace),
    })),
  };
}
