// Queries as operations of the statement at hand: joins, unions, order and limit. Aggregates are in aggregates.ts.
import type { Query } from "../../program/statement";
import { aggregated, combinedIn } from "./aggregates";
import { isAggregate } from "./aggregatesIn";
import type { Builder, ResultTerms, RowTerms, Scope } from "./builder";
import { unknownTerm } from "./builder";
import { canCombine, combinationsOf, overAll } from "./combinations";
import { flattenExpression } from "./expression";
import type { Operation, Term } from "./operation";
import { named, outputsOf } from "./outputs";
import type { Placed, Placing } from "./relations";
import { placeRelations } from "./relations";
import { conjunctsOf } from "./selection";
import { NULL, and, compare, conditional, int, isTrue, or } from "./terms";

/**
 * Adds the operations of a query and returns what its first rows stand for, `rows` of them. Columns of `outer` that
 * are at hand only row by row (a correlated subquery) are unknown, with a loss.
 */
export function flattenQuery(builder: Builder, query: Query, outer: Scope, rows = 1): ResultTerms {
  if (query.setOperations.length > 0) return unionOf(builder, query, outer);
  if (isAggregate(query)) {
    const result = aggregated(builder, query, outer);
    return { ...result, whole: query.groupBy.length === 0 };
  }
  return plain(builder, query, outer, rows);
}

function plain(builder: Builder, query: Query, outer: Scope, rows: number): ResultTerms {
  if (query.offset !== undefined) builder.losses.add("OFFSET is ignored");
  if (query.lock?.wait === "skip-locked") builder.losses.add("SKIP LOCKED waits like any lock");
  const placing = placingOf(builder, query, outer);
  const placed = placeRelations(builder, query.relations, placing);
  const found = query.relations.length === 0 ? constantFound(builder, query, outer) : placed.found;
  const outputs = outputsOf(builder, query, placed.scope);
  const size = sizeOf(builder, query, placed, found, outer);
  const limit = limitOf(query);
  const next: RowTerms[] = [];
  let last = placed;
  for (let count = 1; count < Math.min(rows, limit); count += 1) {
    const behind = last.drafts.findLast(({ draft }) => draft.pick !== "point");
    if (behind === undefined) break;
    last = placeRelations(builder, query.relations, { ...placing, behind });
    next.push({ row: outputsOf(builder, query, last.scope).row, found: last.found });
  }
  const single = query.relations.every((each) => each.kind === "base") && isSingle(placed);
  return { ...outputs, found, size, next, whole: single || limit <= next.length + 1 };
}

/** At most one row, since every relation's key is known. */
function isSingle(placed: Placed): boolean {
  return placed.drafts.every(({ draft }) => draft.pick === "point");
}

/** The number of rows that LIMIT allows, where it is a number. */
function limitOf(query: Query): number {
  const { limit } = query;
  return limit?.kind === "literal" && typeof limit.value === "number" ? limit.value : Infinity;
}

/** A query without relations has one row, unless its condition fails. */
function constantFound(builder: Builder, query: Query, outer: Scope): Term {
  return and(
    ...conjunctsOf(query.where).map((each) => isTrue(flattenExpression(builder, each, outer))),
  );
}

function sizeOf(builder: Builder, query: Query, placed: Placed, found: Term, outer: Scope): Term {
  const one = conditional(found, int(1), int(0));
  const ranged = placed.drafts.filter(({ draft }) => draft.pick !== "point");
  const limit = limitOf(query);
  const [only, further] = ranged;
  if (only === undefined || limit <= 1 || query.distinct) return one;
  if (query.relations.some((each) => each.kind !== "base")) return one;
  // Where there are several, rows are counted one by one; an outer join is taken to give one row.
  const counted: Term =
    further === undefined || !canCombine(query.relations)
      ? { kind: "count", operation: only.draft.index }
      : overAll(combinationsOf(builder, combinedIn(query), outer), "total", int(1));
  if (limit === Infinity) return counted;
  return conditional(compare("<", counted, int(limit)), counted, int(limit));
}

function placingOf(builder: Builder, query: Query, outer: Scope): Placing {
  return {
    conjuncts: conjunctsOf(query.where),
    outer,
    lock: query.lock,
    orderBy: orderOf(builder, query),
  };
}

function orderOf(builder: Builder, query: Query): Operation["orderBy"] {
  const [first] = query.orderBy;
  if (first === undefined) return undefined;
  if (query.orderBy.length > 1) builder.losses.add("only the first column of ORDER BY counts");
  const { value, descending } = first;
  const [relation] = query.relations;
  if (value.kind === "column" && value.relation === relation?.alias)
    return { column: value.column, descending };
  builder.losses.add("ORDER BY an expression counts as no order");
  return undefined;
}

/** UNION: rows of the first query that has any. INTERSECT and EXCEPT: those of the first query, or none. */
function unionOf(builder: Builder, query: Query, outer: Scope): ResultTerms {
  const { setOperations, ...first } = query;
  const [begin, ...others] = [
    flattenQuery(builder, { ...first, setOperations: [] }, outer),
    ...setOperations.map((each) => flattenQuery(builder, each.query, outer)),
  ];
  return others.reduce<ResultTerms>((left, right, at) => {
    const operator = setOperations[at]?.operator ?? "union";
    const united = operator === "union" || operator === "union all";
    builder.losses.add(
      united
        ? "a UNION is represented by one row of it"
        : "INTERSECT and EXCEPT keep any rows of the first query",
    );
    if (!united) {
      const why = "INTERSECT and EXCEPT keep any rows of the first query";
      const id = `set:${String(builder.operations.length)}`;
      const found = and(left.found, isTrue(unknownTerm(builder, `${id}:found`, "bool", why)));
      return { ...left, found, size: conditional(found, left.size, int(0)) };
    }
    const values = left.values.map((value, column) =>
      conditional(left.found, value, right.values[column] ?? NULL),
    );
    return {
      ...named(query, values),
      found: or(left.found, right.found),
      size: { kind: "add", left: left.size, right: right.size },
    };
  }, begin);
}
