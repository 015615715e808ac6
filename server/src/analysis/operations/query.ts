// Queries as operations of the current statement: joins, unions, order and limit. Aggregates are in aggregates.ts.
import { conjunctsOf } from "../../program/operands";
import type { Expression, Query } from "../../program/expression";
import { aggregateTerms, combinedIn } from "./aggregates";
import { isAggregate } from "./aggregatesIn";
import type { Builder, ResultTerms, RowTerms, Scope } from "./builder";
import { NO_ROWS, askedWhere, unknownTerm } from "./builder";
import { canCombine, combinationsOf, overAll } from "./combinations";
import { SKIPPED, flattenExpression } from "./expression";
import { inlineQuery } from "./inline";
import type { Operation, Term } from "./operation";
import { namedOutputs, outputsOf } from "./outputs";
import type { RelationPlacement, Placing } from "./relations";
import { lockIn, placeRelations } from "./relations";
import { atHand } from "./selection";
import { hasRow, rowsOfSets, setsOf } from "./sets";
import { tableOf } from "./tables";
import {
  FALSE,
  NULL,
  TRUE,
  and,
  calculate,
  compare,
  conditional,
  int,
  isTrue,
  mentionsRow,
  or,
} from "./terms";

/**
 * Adds the operations of a query and returns the terms of its first `rows` rows. Columns of `outer` that exist only per row (a correlated
 * subquery) are unknown, with a loss.
 */
export function flattenQuery(builder: Builder, query: Query, outer: Scope, rows = 1): ResultTerms {
  const asked = withoutSkipped(builder, inlineQuery(withoutOthers(query)));
  if (asked.setOperations.length > 0) return unionOf(builder, asked, outer);
  if (isAggregate(asked)) {
    const result = aggregateTerms(builder, asked, outer);
    return { ...result, whole: asked.groupBy.length === 0 };
  }
  return plain(builder, asked, outer, rows);
}

/** The query without the rows that SKIP LOCKED passes by: any of those that it would lock, as others lock them. */
function withoutSkipped(builder: Builder, query: Query): Query {
  const { lock, relations, where } = query;
  if (lock?.wait !== "skip-locked") return query;
  const kept = relations.flatMap(({ alias, table, kind }): readonly Expression[] => {
    const { primaryKey } = tableOf(builder.tables, table);
    if (kind !== "base" || (lock.of.length > 0 && !lock.of.includes(alias))) return [];
    const key = primaryKey.map((column): Expression => ({
      kind: "column",
      relation: alias,
      column,
    }));
    const place: Expression = {
      kind: "unknown",
      id: `skip ${String(builder.steps.length)} ${alias}`,
      type: "int",
      dependsOn: [],
      why: SKIPPED,
    };
    return [
      {
        kind: "not",
        operand: { kind: "call", name: SKIPPED, arguments: [place, ...key], deterministic: true },
      },
    ];
  });
  return { ...query, where: { kind: "and", operands: [where, ...kept] } };
}

/**
 * A fingerprint of all rows of a query, equal for different sets only by chance; undefined if rows cannot be enumerated. It sums an
 * uninterpreted function over the rows.
 */
export function rowsTerm(builder: Builder, query: Query): Term | undefined {
  const asked = withoutSkipped(builder, inlineQuery(withoutOthers(query)));
  const plainRows = !isAggregate(asked) && setsOf(asked).length === 0;
  const all = asked.setOperations.length === 0 && plainRows && !asked.distinct;
  if (!all || asked.limit || asked.offset || !canCombine(asked.relations)) return undefined;
  const combinations = combinationsOf(builder, combinedIn(asked), NO_ROWS, lockIn(asked));
  const { values } = outputsOf(builder, asked, combinations.scope);
  return overAll(combinations, "total", {
    kind: "apply",
    name: "row",
    type: "int",
    strict: false,
    arguments: values,
  });
}

function plain(builder: Builder, query: Query, outer: Scope, rows: number): ResultTerms {
  const ranked = rankOf(builder, query, outer);
  if (query.distinctOn && rows > 1 && limitOf(query) > 1)
    builder.losses.add("rows that DISTINCT ON leaves out are taken for rows of the result");
  if (query.offset !== undefined && !ranked) builder.losses.add("OFFSET is ignored");
  const placing = ranked
    ? { ...placingOf(builder, { ...query, orderBy: [] }, outer), rank: ranked.at(0) }
    : placingOf(builder, query, outer);
  const placed = placeRelations(builder, query.relations, placing);
  const joined = query.relations.length === 0 ? constantFound(builder, query, outer) : placed.found;
  const sets = setsOf(query);
  const alone = query.relations.length === 0 && query.limit === undefined && !query.distinct;
  if (sets.length > 0 && alone) return rowsOfSets(builder, query, sets, joined, outer, rows);
  if (sets.length > 0) builder.losses.add("one row stands for those that a function gives");
  const found = sets.length > 0 ? and(joined, hasRow(builder, sets, placed.scope)) : joined;
  const outputs = rowOf(builder, query, placed, found);
  const size = sizeOf(
    query,
    found,
    ranked ? () => ranked.size : () => countOf(builder, query, placed, outer),
  );
  const limit = limitOf(query);
  const next: RowTerms[] = [];
  let last = placed;
  for (let count = 1; count < Math.min(rows, limit); count += 1) {
    const behind = last.drafts.findLast(({ draft }) => draft.pick !== "point");
    if (behind === undefined) break;
    const further = ranked ? { rank: ranked.at(count) } : { behind };
    last = placeRelations(builder, query.relations, { ...placing, ...further });
    next.push({ row: rowOf(builder, query, last, last.found).row, found: last.found });
  }
  const single = query.relations.every((each) => each.kind === "base") && isSingle(placed);
  return { ...outputs, found, size, next, whole: single || limit <= next.length + 1 };
}

/** The selected row, or NULLs without one: outputs of the last operation are NULL then anyway. */
function rowOf(
  builder: Builder,
  query: Query,
  { scope, found: joined, drafts }: RelationPlacement,
  found: Term,
): Pick<ResultTerms, "row" | "values"> {
  const { values } = askedWhere(
    builder,
    () => found,
    () => outputsOf(builder, query, scope),
  );
  const last = drafts.findLast(({ draft }) => asksFor(joined, draft.index));
  const whole = values.map((value) =>
    value.kind === "output" && value.operation === last?.draft.index
      ? value
      : conditional(found, value, NULL),
  );
  return namedOutputs(query, whole);
}

/** True if the condition implies that the operation found something. */
function asksFor(condition: Term, operation: number): boolean {
  const asked = condition.kind === "and" ? condition.operands : [condition];
  return asked.some((each) => each.kind === "found" && each.operation === operation);
}

/** True if there is at most one row, since every relation's key is known. */
function isSingle(placed: RelationPlacement): boolean {
  return placed.drafts.every(({ draft }) => draft.pick === "point");
}

/** LIMIT, if it is a number. */
export function limitOf(query: Query): number {
  const { limit } = query;
  return limit?.kind === "literal" && typeof limit.value === "number" ? limit.value : Infinity;
}

/** A query without relations has one row, unless its condition fails. */
function constantFound(builder: Builder, query: Query, outer: Scope): Term {
  return conjunctsOf(query.where).reduce<Term>((before, each) => {
    const ask = (): Term => isTrue(flattenExpression(builder, each, outer));
    return and(
      before,
      askedWhere(builder, () => before, ask),
    );
  }, TRUE);
}

function sizeOf(query: Query, found: Term, count: () => Term | undefined): Term {
  const limit = limitOf(query);
  const counted = limit <= 1 || query.distinct ? undefined : count();
  if (counted === undefined) return conditional(found, int(1), int(0));
  if (limit === Infinity) return counted;
  return conditional(compare("<", counted, int(limit)), counted, int(limit));
}

/** The number of rows, where it may exceed one. An outer join is assumed to give one row. */
function countOf(
  builder: Builder,
  query: Query,
  placed: RelationPlacement,
  outer: Scope,
): Term | undefined {
  const [only, further] = placed.drafts.filter(({ draft }) => draft.pick !== "point");
  if (only === undefined || query.relations.some((each) => each.kind !== "base")) return undefined;
  if (further === undefined || !canCombine(query.relations))
    return { kind: "count", operation: only.draft.index };
  return overAll(combinationsOf(builder, combinedIn(query), outer), "total", int(1));
}

/**
 * The ranking for orders over several columns, and for OFFSET: the row that has as many before it as OFFSET skips. Ties of ORDER BY are
 * broken by key.
 */
function rankOf(builder: Builder, query: Query, outer: Scope): Ranking | undefined {
  const { orderBy, offset } = query;
  const [relation] = query.relations;
  const plainOrder = orderBy.length < 2 && orderBy.every(({ value }) => value.kind === "column");
  if (plainOrder && offset === undefined) return undefined;
  if (query.relations.length !== 1 || relation?.kind !== "base") return undefined;
  const others = combinationsOf(builder, combinedIn(query), outer);
  const skipped = offset ? flattenExpression(builder, offset, outer) : int(0);
  if (mentionsRow(skipped)) return undefined;
  const here = atHand(relation.alias, outer);
  const keys = tableOf(builder.tables, relation.table).primaryKey.map((column) => ({
    value: { kind: "column" as const, relation: relation.alias, column },
    descending: false,
  }));
  const comesBefore = [...orderBy, ...keys].reduceRight<Term>((rest, { value, descending }) => {
    const own = flattenExpression(builder, value, here);
    const its = flattenExpression(builder, value, others.scope);
    const [low, high] = descending ? [own, its] : [its, own];
    return or(compare("<", low, high), and(compare("=", low, high), rest));
  }, FALSE);
  const rank = overAll(others, "total", int(1), comesBefore);
  const left: Term = {
    kind: "subtract",
    left: overAll(others, "total", int(1)),
    right: skipped,
  };
  return {
    at: (row) => compare("=", rank, calculate("add", skipped, int(row))),
    size: conditional(compare("<", int(0), left), left, int(0)),
  };
}

interface Ranking {
  /** True if the current row is the n-th, from 0, after the skipped ones. */
  readonly at: (row: number) => Term;
  /** The number of rows, without LIMIT. */
  readonly size: Term;
}

/** The query with INTERSECT and EXCEPT turned into conditions on the rows of its first part. */
function withoutOthers(query: Query): Query {
  const { setOperations } = query;
  const own = query.relations.map((each) => each.alias);
  const conditions = setOperations.flatMap(({ operator, query: other }): readonly Expression[] => {
    const plainRows =
      !isAggregate(other) && other.setOperations.length === 0 && !other.limit && !other.distinctOn;
    const apart = other.relations.every((each) => !own.includes(each.alias));
    const united = operator === "union" || operator === "union all";
    if (united || !plainRows || !apart || other.relations.length === 0) return [];
    const same = query.outputs.flatMap(({ value }, at): readonly Expression[] => {
      const theirs = other.outputs[at]?.value;
      return theirs ? [{ kind: "sameValue", left: theirs, right: value }] : [];
    });
    const where: Expression = { kind: "and", operands: [other.where, ...same] };
    const exists: Expression = { kind: "exists", query: { ...other, where } };
    return [operator === "intersect" ? exists : { kind: "not", operand: exists }];
  });
  const bounded = query.limit ?? query.distinctOn;
  const rows = !isAggregate(query) && !bounded && query.relations.length > 0;
  if (!rows || conditions.length === 0 || conditions.length < setOperations.length) return query;
  return {
    ...query,
    setOperations: [],
    distinct: true,
    where: { kind: "and", operands: [query.where, ...conditions] },
  };
}

function placingOf(builder: Builder, query: Query, outer: Scope): Placing {
  return {
    conjuncts: conjunctsOf(query.where),
    outer,
    lock: query.lock,
    isLimited: query.limit !== undefined,
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

/** UNION: rows of the first part that has any. INTERSECT and EXCEPT: those of the first part, or none. */
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
      ...namedOutputs(query, values),
      found: or(left.found, right.found),
      size: { kind: "add", left: left.size, right: right.size },
    };
  }, begin);
}
