// Aggregates over the rows of one relation; joins and groups are reduced to that.
import { conjunctsOf } from "../../program/operands";
import type { Expression, Query, Relation } from "../../program/expression";
import { aggregatesIn, hasAggregate } from "./aggregatesIn";
import type { Aggregate } from "./aggregatesIn";
import type { Builder, ResultTerms, Scope } from "./builder";
import { addOperation, askedWhere, leaveOut, outputOf, unknownTerm } from "./builder";
import { aggregateOver, areLookedUp, canCombine, combinationsOf } from "./combinations";
import type { Combinations, Combination } from "./combinations";
import { flattenExpression, sameValue } from "./expression";
import type { Term } from "./operation";
import { outputsOf, namedOutputs } from "./outputs";
import type { Selection } from "./selection";
import { lockIn, placeRelations } from "./relations";
import { atHand, relationsIn } from "./selection";
import { setsOf } from "./sets";
import { tableOf } from "./tables";
import {
  NULL,
  TRUE,
  and,
  compare,
  conditional,
  int,
  isNull,
  isTrue,
  mentionsRow,
  not,
} from "./terms";

/**
 * Flattens a query with aggregates: one operation per aggregate over the relation that it ranges over. Other relations of a join are read
 * first, one row each. Groups that WHERE does not fix are represented by one group.
 */
export function aggregateTerms(builder: Builder, query: Query, outer: Scope): ResultTerms {
  const asked = withHavingInWhere(query);
  if (setsOf(query).length > 0)
    builder.losses.add("one row stands for those that a function gives");
  const relation = rangeOf(asked);
  if (asksForCombinations(builder, asked, relation))
    return overCombinations(
      builder,
      asked,
      combinationsOf(builder, combinedIn(asked), outer, lockIn(asked)),
      outer,
    );
  if (!relation) return unknownAggregates(builder, asked, outer);
  const others = asked.relations.filter((each) => each !== relation);
  const joined = others.filter(
    (each) => each.join === "inner" || each.join === "cross" || each === asked.relations[0],
  );
  if (joined.length < others.length)
    leaveOut(builder, "an outer join adds nothing to an aggregate");
  const placed = placeRelations(builder, joined, {
    conjuncts: [...conjunctsOf(asked.where), ...conjunctsOf(relation.on)],
    outer,
    target: relation,
    targetLast: true,
    lock: asked.lock,
  });
  const { target, found: guard } = placed;
  if (target === undefined) return unknownAggregates(builder, asked, outer);
  if (placed.drafts.some(({ draft }) => draft.pick !== "point"))
    builder.losses.add("an aggregate over a join follows one row of the other tables");
  const { column: joinedColumn } = placed.scope;
  const around: Scope = { ...outer, ...(joinedColumn && { column: joinedColumn }) };
  const rows = grouped(builder, asked, {
    relation,
    selection: target,
    guard,
    inner: atHand(relation.alias, around),
    lock: lockIn(asked),
  });
  const computed = new Map<string, Term>();
  const scope: Scope = {
    ...outer,
    // The group's key is the value that WHERE binds it to.
    column: (alias, column) => {
      const value = boundValue(asked, { kind: "column", relation: alias, column });
      if (value) return flattenExpression(builder, value, around);
      if (alias === relation.alias) return rows.group.get(column);
      return around.column?.(alias, column);
    },
    aggregate: (expression) => {
      const key = JSON.stringify(expression);
      const known = computed.get(key);
      if (known !== undefined) return known;
      const term = aggregateTerm(builder, rows, expression);
      computed.set(key, term);
      return term;
    },
  };
  const nonEmpty = asked.groupBy.length === 0 ? TRUE : hasRows(rows, relation, scope);
  const { having } = asked;
  const goesOn =
    having === undefined
      ? TRUE
      : askedWhere(
          builder,
          () => nonEmpty,
          () => isTrue(flattenExpression(builder, having, scope)),
        );
  const found = and(nonEmpty, goesOn);
  const outputs = askedWhere(
    builder,
    () => found,
    () => outputsOf(builder, asked, scope),
  );
  const values = outputs.values.map((term) => conditional(nonEmpty, term, NULL));
  return { ...namedOutputs(asked, values), found, size: conditional(found, int(1), int(0)) };
}

/** The relations of a query and its conditions. */
export function combinedIn(query: Query): Combination {
  const conditions = query.relations.flatMap((each) => conjunctsOf(each.on));
  return {
    relations: query.relations,
    conjuncts: [...conjunctsOf(query.where), ...conditions],
  };
}

/** One row of aggregates over all combinations of rows of the query's relations. */
export function overCombinations(
  builder: Builder,
  query: Query,
  combinations: Combinations,
  outer: Scope,
): ResultTerms {
  const computed = new Map<string, Term>();
  const scope: Scope = {
    ...outer,
    aggregate: (expression) => {
      const key = JSON.stringify(expression);
      const term =
        computed.get(key) ??
        aggregateOver(builder, combinations, expression, () =>
          combinationsOf(builder, combinedIn(query), outer),
        ) ??
        unknownTerm(
          builder,
          `aggregate:${String(combinations.members[0]?.draft.index)}:${key}`,
          "decimal",
          `${expression.function} is any number`,
        );
      computed.set(key, term);
      return term;
    },
  };
  const outputs = outputsOf(builder, query, scope);
  const found = query.having ? isTrue(flattenExpression(builder, query.having, scope)) : TRUE;
  return { ...outputs, found, size: conditional(found, int(1), int(0)) };
}

/** True if one counted row may have several rows of other relations, or if distinct values are counted. */
function asksForCombinations(builder: Builder, query: Query, range: Relation | undefined): boolean {
  if (query.groupBy.length > 0 || !canCombine(query.relations)) return false;
  const parts = [
    ...query.outputs.map(({ value }) => value),
    ...(query.having ? [query.having] : []),
  ];
  const aggregates = parts.flatMap(aggregatesIn);
  const distinct = aggregates.some(
    (each) => each.distinct && each.function !== "min" && each.function !== "max",
  );
  const others = query.relations.filter((each) => each !== range);
  return (
    distinct || !areLookedUp(builder, { relations: others, conjuncts: combinedIn(query).conjuncts })
  );
}

/** Conditions on grouping columns select rows as well as groups. */
function withHavingInWhere(query: Query): Query {
  if (query.having === undefined || query.groupBy.length === 0) return query;
  const conjuncts = conjunctsOf(query.having);
  const [first, ...rest] = conjuncts.filter(hasAggregate);
  const moved = conjuncts.filter((each) => !hasAggregate(each));
  const { having: _, ...plain } = query;
  return {
    ...plain,
    where: { kind: "and", operands: [query.where, ...moved] },
    ...(first ? { having: { kind: "and", operands: [first, ...rest] } } : {}),
  };
}

/** The relation that the aggregates range over: the one that they mention, else the one with many rows. */
function rangeOf(query: Query): Relation | undefined {
  const base = query.relations.filter((each) => each.kind === "base");
  const parts = [
    ...query.outputs.map(({ value }) => value),
    ...(query.having ? [query.having] : []),
  ];
  const mentioned = parts
    .flatMap(aggregatesIn)
    .flatMap((each) => (each.operand ? relationsIn(each.operand) : []));
  const known = new Set(
    conjunctsOf(query.where).flatMap((each) => {
      if (each.kind !== "comparison" || each.operator !== "=") return [];
      const aliases = relationsIn(each);
      return aliases.length === 1 ? aliases : [];
    }),
  );
  return (
    base.find((each) => mentioned.includes(each.alias)) ??
    base.find((each) => !known.has(each.alias)) ??
    base[0]
  );
}

/** The rows of one group: unbound columns have the values of one row. */
function grouped(
  builder: Builder,
  query: Query,
  rows: Rows,
): Rows & { readonly group: ReadonlyMap<string, Term> } {
  const { relation, selection, guard } = rows;
  const free = query.groupBy.flatMap((each) =>
    each.kind === "column" && each.relation === relation.alias && !boundValue(query, each)
      ? [each.column]
      : [],
  );
  const group = new Map<string, Term>();
  if (free.length === 0) return { ...rows, group };
  builder.losses.add("one group stands for all groups");
  const draft = addOperation(builder, {
    kind: "read",
    table: relation.table,
    guard,
    key: selection.key,
    where: selection.where,
    pick: selection.point ? "point" : "some",
  });
  const same = free.map((column) => {
    const value = outputOf(draft, column);
    group.set(column, value);
    const nullable = tableOf(builder.tables, relation.table).columns.some(
      (each) => each.name === column && each.nullable,
    );
    const own: Term = { kind: "column", column };
    return nullable ? sameValue(own, value) : compare("=", own, value);
  });
  return { ...rows, selection: { ...selection, where: and(selection.where, ...same) }, group };
}

/** True if the group exists: an outer-joined relation may be empty. */
function hasRows(rows: Rows, relation: Relation, scope: Scope): Term {
  if (relation.join === "left") return rows.guard;
  const counted = scope.aggregate?.({ kind: "aggregate", function: "count", distinct: false });
  if (counted === undefined) return TRUE;
  return { kind: "compare", operator: "<", left: int(0), right: counted };
}

function boundValue(query: Query, grouped: Expression): Expression | undefined {
  if (grouped.kind !== "column") return undefined;
  const same = (each: Expression): boolean =>
    each.kind === "column" && each.column === grouped.column && each.relation === grouped.relation;
  for (const conjunct of conjunctsOf(query.where)) {
    if (conjunct.kind !== "comparison" || conjunct.operator !== "=") continue;
    if (same(conjunct.left) && conjunct.right.kind !== "column") return conjunct.right;
    if (same(conjunct.right) && conjunct.left.kind !== "column") return conjunct.left;
  }
  return undefined;
}

interface Rows {
  readonly relation: Relation;
  readonly selection: Selection;
  /** True if each of the other relations has a row. */
  readonly guard: Term;
  /** The columns of the current row. */
  readonly inner: Scope;
  /** The lock of MySQL's `SELECT count(*) ... FOR UPDATE`, on all rows in the range. */
  readonly lock: ReturnType<typeof lockIn>;
}

function aggregateTerm(builder: Builder, rows: Rows, expression: Aggregate): Term {
  const { relation, selection, guard, inner, lock } = rows;
  const operand = expression.operand && flattenExpression(builder, expression.operand, inner);
  const name = expression.function;
  const present = operand === undefined ? TRUE : not(isNull(operand));
  const base = {
    kind: "read" as const,
    table: relation.table,
    guard,
    key: selection.key,
    where: and(selection.where, present),
    ...lock,
  };
  const unsupported = (): Term => {
    const draft = addOperation(builder, { ...base, pick: selection.point ? "point" : "some" });
    if (operand !== undefined) draft.outputs["operand"] = operand;
    return unknownTerm(
      builder,
      `aggregate:${String(draft.index)}`,
      "decimal",
      `${name} is any number`,
    );
  };
  if (expression.distinct && name !== "min" && name !== "max")
    builder.losses.add(`${name} of distinct values takes all for distinct`);
  switch (name) {
    case "count":
    case "sum": {
      const draft = addOperation(builder, {
        ...base,
        pick: "all",
        aggregate: { function: name, ...(operand ? { operand } : {}), output: name },
      });
      const none = name === "count" ? int(0) : NULL;
      return conditional(guard, { kind: "output", operation: draft.index, name }, none);
    }
    case "min":
    case "max": {
      if (operand !== undefined && !mentionsRow(operand)) {
        const draft = addOperation(builder, { ...base, pick: selection.point ? "point" : "some" });
        return conditional({ kind: "found", operation: draft.index }, operand, NULL);
      }
      const ordered = operand && monotoneIn(operand);
      if (operand === undefined || ordered === undefined) return unsupported();
      const draft = addOperation(builder, {
        ...base,
        pick: selection.point ? "point" : "first",
        ...(selection.point ? {} : { orderBy: { column: ordered, descending: name === "max" } }),
        locksChosen: true,
      });
      draft.outputs[name] = operand;
      return { kind: "output", operation: draft.index, name };
    }
    case "exists": {
      const draft = addOperation(builder, { ...base, pick: selection.point ? "point" : "some" });
      return { kind: "found", operation: draft.index };
    }
    case "avg": {
      builder.losses.add("an average is rounded");
      const of = (part: "sum" | "count"): Term =>
        aggregateTerm(builder, rows, { ...expression, function: part });
      return { kind: "divide", left: of("sum"), right: of("count") };
    }
    case "other":
      return unsupported();
  }
}

/** The column that a value is monotone in: the column itself, or its sum with something that is the same for all rows. */
function monotoneIn(operand: Term): string | undefined {
  if (operand.kind === "column") return operand.column;
  if (operand.kind !== "add" && operand.kind !== "subtract") return undefined;
  if (!mentionsRow(operand.right)) return monotoneIn(operand.left);
  return operand.kind === "add" && !mentionsRow(operand.left)
    ? monotoneIn(operand.right)
    : undefined;
}

/** Aggregates over no base table: the reads are kept, the values are unknown. */
function unknownAggregates(builder: Builder, query: Query, outer: Scope): ResultTerms {
  const why = "an aggregate over a derived table is any number";
  const placed = placeRelations(builder, query.relations, {
    conjuncts: conjunctsOf(query.where),
    outer,
    lock: query.lock,
  });
  const id = `group:${String(builder.operations.length)}`;
  const scope: Scope = {
    ...placed.scope,
    aggregate: (expression) => {
      if (expression.operand) flattenExpression(builder, expression.operand, placed.scope);
      return unknownTerm(builder, `${id}:${JSON.stringify(expression)}`, "decimal", why);
    },
  };
  const outputs = outputsOf(builder, query, scope);
  const found = query.groupBy.length === 0 ? TRUE : placed.found;
  return { ...outputs, found, size: conditional(found, int(1), int(0)) };
}
