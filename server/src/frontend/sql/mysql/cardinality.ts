// How many rows a query can have, as far as keys, LIMIT and aggregates tell.
import type { Expression, Query, Relation } from "../../../program/expression";
import { operandsOf } from "../../../program/operands";
import type { Table } from "../../../program/schema";

/** True if the query always has one row: an aggregate without groups. */
export function exactlyOneRow(query: Query): boolean {
  const isPlain = query.groupBy.length === 0 && query.having === undefined;
  if (!isPlain || query.setOperations.length > 0 || query.offset !== undefined) return false;
  if (query.limit !== undefined && !(query.limit.kind === "literal" && query.limit.value !== 0))
    return false;
  return query.outputs.some(({ value }) => hasAggregate(value));
}

function hasAggregate(expression: Expression): boolean {
  return expression.kind === "aggregate" || operandsOf(expression).some(hasAggregate);
}

/** True if the query has at most one row: LIMIT 1, one group, or a fixed key for each relation. */
export function atMostOneRow(query: Query, table: (name: string) => Table | undefined): boolean {
  if (query.limit?.kind === "literal" && query.limit.value === 1) return true;
  if (query.setOperations.length > 0) return false;
  if (query.groupBy.length > 0) return false;
  if (query.outputs.some(({ value }) => hasAggregate(value))) return true;
  if (query.relations.length === 0) return true;
  const conditions = [query.where, ...query.relations.flatMap(({ on }) => on ?? [])];
  const equalities = conditions.flatMap(equalitiesIn);
  const fixed = new Set<string>();
  const isFixed = (expression: Expression): boolean => {
    if (expression.kind === "column")
      return fixed.has(expression.relation) || !isOf(expression, query);
    return operandsOf(expression).every(isFixed) && !("query" in expression);
  };
  // Each round fixes a relation by the previous ones, so there are at most as many rounds as relations.
  for (let rest: readonly Relation[] = query.relations; rest.length > 0;) {
    const next = rest.find((relation) => hasFixedKey(relation, equalities, isFixed, table));
    if (next === undefined) return false;
    fixed.add(next.alias);
    rest = rest.filter((each) => each !== next);
  }
  return true;
}

/** Columns of enclosing queries have one value. */
function isOf(column: Extract<Expression, { readonly kind: "column" }>, query: Query): boolean {
  return query.relations.some(({ alias }) => alias === column.relation);
}

interface Equality {
  readonly left: Expression;
  readonly right: Expression;
}

function equalitiesIn(condition: Expression): readonly Equality[] {
  if (condition.kind === "and") return condition.operands.flatMap(equalitiesIn);
  const isEquality = condition.kind === "comparison" && condition.operator === "=";
  if (!isEquality && condition.kind !== "sameValue") return [];
  const { left, right } = condition;
  return [
    { left, right },
    { left: right, right: left },
  ];
}

function hasFixedKey(
  relation: Relation,
  equalities: readonly Equality[],
  isFixed: (expression: Expression) => boolean,
  table: (name: string) => Table | undefined,
): boolean {
  if (relation.kind === "derived" && relation.query !== undefined) {
    return atMostOneRow(relation.query, table);
  }
  const known = relation.kind === "base" ? table(relation.table) : undefined;
  if (known === undefined) return false;
  const keys = [
    known.primaryKey,
    ...known.uniqueKeys.flatMap((key) => (key.where === undefined ? [key.columns] : [])),
  ];
  return keys.some(
    (key) =>
      key.length > 0 &&
      key.every((column) =>
        equalities.some(
          ({ left, right }) =>
            left.kind === "column" &&
            left.relation === relation.alias &&
            left.column === column &&
            isFixed(right),
        ),
      ),
  );
}
