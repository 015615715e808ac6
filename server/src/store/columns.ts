// The columns that an expression mentions, including those in subqueries.
import type { Expression, Query } from "../program/expression";
import { operandsOf } from "../program/operands";
import { ofNode } from "../query/nodes";

export interface ColumnName {
  readonly relation: string;
  readonly column: string;
}

/** Columns of enclosing rows, without those of a subquery's own relations. Cached per expression. */
export const columnsOf = ofNode((expression: Expression): readonly ColumnName[] =>
  collect(expression),
);

/** True if an aggregate of this query (not of a subquery) occurs. */
export function containsAggregate(expression: Expression): boolean {
  return expression.kind === "aggregate" || operandsOf(expression).some(containsAggregate);
}

function collect(expression: Expression): readonly ColumnName[] {
  if (expression.kind === "column")
    return [{ relation: expression.relation, column: expression.column }];
  const nested =
    expression.kind === "inQuery" || expression.kind === "exists" || expression.kind === "subquery"
      ? queryColumns(expression.query)
      : [];
  return [...nested, ...operandsOf(expression).flatMap(columnsOf)];
}

/** The free columns of a query. */
export const queryColumns = ofNode((query: Query): readonly ColumnName[] => collectQuery(query));

function collectQuery(query: Query): readonly ColumnName[] {
  const own = new Set(query.relations.map((relation) => relation.alias));
  const inside = [
    query.where,
    ...query.outputs.map((output) => output.value),
    ...query.groupBy,
    ...(query.having === undefined ? [] : [query.having]),
    ...query.orderBy.map((each) => each.value),
    ...(query.distinctOn ?? []),
    ...query.relations.flatMap((relation) => (relation.on === undefined ? [] : [relation.on])),
  ].flatMap(columnsOf);
  const further = [
    ...query.relations.flatMap((relation) =>
      relation.query === undefined ? [] : queryColumns(relation.query),
    ),
    ...query.setOperations.flatMap((operation) => queryColumns(operation.query)),
  ];
  return [...inside, ...further].filter((column) => !own.has(column.relation));
}
