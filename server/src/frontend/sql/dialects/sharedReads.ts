// Queries of MySQL and MariaDB outside of SELECT: InnoDB reads their rows under shared locks at every level, as
// LOCK IN SHARE MODE does (measured on MariaDB 10.11: SET, DO, IF, CASE, WHILE, DEFAULT and arguments of CALL).
import type { Expression } from "../../../program/expression";
import { operandsOf, mapParts } from "../../../program/operands";
import type { Query, Relation } from "../../../program/statement";

/** The query with shared locks on all rows that it and the queries inside of it read; stronger ones stay. */
export function inShareMode(query: Query): Query {
  const readsRows = query.relations.some(({ kind }) => kind === "base");
  const { lock = readsRows ? SHARED : undefined, having } = query;
  return {
    ...query,
    relations: query.relations.map(lockedRelation),
    where: withSharedQueries(query.where),
    outputs: query.outputs.map((each) => ({ ...each, value: withSharedQueries(each.value) })),
    ...(having && { having: withSharedQueries(having) }),
    setOperations: query.setOperations.map((each) => ({
      ...each,
      query: inShareMode(each.query),
    })),
    ...(lock && { lock }),
  };
}

const SHARED = { strength: "share", of: [], wait: "block" } as const;

function lockedRelation({ on, query, ...relation }: Relation): Relation {
  return {
    ...relation,
    ...(on && { on: withSharedQueries(on) }),
    ...(query && { query: inShareMode(query) }),
  };
}

/** The expression with its queries in share mode; itself where it asks nothing. */
export function withSharedQueries(expression: Expression): Expression {
  const inner =
    operandsOf(expression).length === 0 ? expression : mapParts(expression, withSharedQueries);
  return "query" in inner ? { ...inner, query: inShareMode(inner.query) } : inner;
}
