// Queries as operations of the statement at hand: joins, aggregates, order and limit.
import type { Expression } from "../../program/expression";
import type { Query, Relation } from "../../program/statement";
import type { Builder, ResultTerms, Scope } from "./builder";
import { addOperation, outputOf, unknownTerm } from "./builder";
import { flattenExpression } from "./expression";
import type { Operation, Term } from "./operation";
import type { Placing, Selection } from "./relations";
import { atHand, conjunctsOf, placeRelations } from "./relations";
import { NULL, TRUE, and, conditional, int, isNull, isTrue, not } from "./terms";

/**
 * Adds the operations of a query and returns what its first row stands for. Columns of `outer` that are at hand
 * only row by row (a correlated subquery) are unknown, with a loss.
 */
export function flattenQuery(builder: Builder, query: Query, outer: Scope): ResultTerms {
  if (query.setOperations.length > 0) return unionOf(builder, query, outer);
  return isAggregate(query) ? aggregated(builder, query, outer) : plain(builder, query, outer);
}

function plain(builder: Builder, query: Query, outer: Scope): ResultTerms {
  if (query.offset !== undefined) builder.losses.add("OFFSET is ignored");
  if (query.lock?.wait === "skip-locked") builder.losses.add("SKIP LOCKED waits like any lock");
  const placed = placeRelations(builder, query.relations, placingOf(builder, query, outer));
  const found = query.relations.length === 0 ? constantFound(builder, query, outer) : placed.found;
  const outputs = outputsOf(builder, query, placed.scope);
  return { ...outputs, found, size: sizeOf(builder, query, found) };
}

/** A query without relations has one row, unless its condition fails. */
function constantFound(builder: Builder, query: Query, outer: Scope): Term {
  return and(
    ...conjunctsOf(query.where).map((each) => isTrue(flattenExpression(builder, each, outer))),
  );
}

function outputsOf(
  builder: Builder,
  query: Query,
  scope: Scope,
): Pick<ResultTerms, "row" | "values"> {
  const values = query.outputs.map(({ value }) => flattenExpression(builder, value, scope));
  return named(query, values);
}

function named(query: Query, values: readonly Term[]): Pick<ResultTerms, "row" | "values"> {
  const row = query.outputs.map(({ name }, at): [string, Term] => [name, values[at] ?? NULL]);
  return { row: Object.fromEntries(row), values };
}

function sizeOf(builder: Builder, query: Query, found: Term): Term {
  const one = conditional(found, int(1), int(0));
  const [only, ...others] = query.relations;
  const last = builder.operations.at(-1);
  const limited = query.limit?.kind === "literal" && query.limit.value === 1;
  if (!only || others.length > 0 || !last || last.pick === "point" || limited || query.distinct)
    return one;
  return { kind: "count", operation: last.index };
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

function unionOf(builder: Builder, query: Query, outer: Scope): ResultTerms {
  const { setOperations, ...first } = query;
  const all = [{ ...first, setOperations: [] }, ...setOperations.map((each) => each.query)];
  all.forEach((each) => flattenQuery(builder, each, outer));
  const why = "the result of UNION, INTERSECT or EXCEPT is any row";
  const id = `set:${JSON.stringify(query.outputs)}`;
  return {
    ...named(
      query,
      query.outputs.map((_, at) => unknownTerm(builder, `${id}:${String(at)}`, "other", why)),
    ),
    found: isTrue(unknownTerm(builder, `${id}:found`, "bool", why)),
    size: unknownTerm(builder, `${id}:size`, "int", why),
  };
}

function isAggregate(query: Query): boolean {
  const parts = [...query.outputs.map((output) => output.value), query.having];
  return query.groupBy.length > 0 || parts.some((each) => each !== undefined && hasAggregate(each));
}

function hasAggregate(expression: Expression): boolean {
  return aggregatesIn(expression).length > 0;
}

type Aggregate = Extract<Expression, { kind: "aggregate" }>;

/** The aggregates of an expression, not those of its subqueries. */
function aggregatesIn(expression: Expression): readonly Aggregate[] {
  switch (expression.kind) {
    case "aggregate":
      return [expression];
    case "arithmetic":
    case "comparison":
    case "sameValue":
      return [...aggregatesIn(expression.left), ...aggregatesIn(expression.right)];
    case "negate":
    case "not":
    case "isNull":
    case "inQuery":
      return aggregatesIn(expression.operand);
    case "and":
    case "or":
    case "coalesce":
      return expression.operands.flatMap(aggregatesIn);
    case "in":
      return [expression.operand, ...expression.values].flatMap(aggregatesIn);
    case "conditional":
      return [expression.condition, expression.then, expression.otherwise].flatMap(aggregatesIn);
    case "call":
      return expression.arguments.flatMap(aggregatesIn);
    default:
      return [];
  }
}

function aggregated(builder: Builder, query: Query, outer: Scope): ResultTerms {
  const [relation, ...others] = query.relations;
  const bound = query.groupBy.every((each) => isBound(query, each));
  if (!relation || others.length > 0 || relation.kind !== "base" || !bound)
    return unknownAggregates(builder, query, outer);
  const placed = placeRelations(builder, [], {
    conjuncts: conjunctsOf(query.where),
    outer,
    target: relation,
  });
  const selection = placed.target;
  if (selection === undefined) return unknownAggregates(builder, query, outer);
  const computed = new Map<string, Term>();
  const inner = atHand(relation.alias, outer);
  const scope: Scope = {
    ...outer,
    // What is grouped by is the value that it is bound to.
    column: (alias, column) => groupedColumn(builder, query, outer, alias, column),
    aggregate: (expression) => {
      const key = JSON.stringify(expression);
      const known = computed.get(key);
      if (known !== undefined) return known;
      const term = aggregateTerm(builder, { relation, selection, inner }, expression);
      computed.set(key, term);
      return term;
    },
  };
  const outputs = outputsOf(builder, query, scope);
  const having = query.having ? isTrue(flattenExpression(builder, query.having, scope)) : TRUE;
  if (query.groupBy.length === 0) {
    return { ...outputs, found: having, size: conditional(having, int(1), int(0)) };
  }
  const counted = aggregateTerm(
    builder,
    { relation, selection, inner },
    { kind: "aggregate", function: "count", distinct: false },
  );
  const nonEmpty: Term = { kind: "compare", operator: "<", left: int(0), right: counted };
  const found = and(nonEmpty, having);
  return {
    ...named(
      query,
      outputs.values.map((term) => conditional(found, term, NULL)),
    ),
    found,
    size: conditional(found, int(1), int(0)),
  };
}

/** Whether WHERE fixes the value of what is grouped by. */
function isBound(query: Query, grouped: Expression): boolean {
  return boundValue(query, grouped) !== undefined;
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

function groupedColumn(
  builder: Builder,
  query: Query,
  outer: Scope,
  relation: string,
  column: string,
): Term | undefined {
  const value = boundValue(query, { kind: "column", relation, column });
  return value ? flattenExpression(builder, value, outer) : outer.column?.(relation, column);
}

interface Rows {
  readonly relation: Relation;
  readonly selection: Selection;
  /** The columns of the row at hand. */
  readonly inner: Scope;
}

function aggregateTerm(builder: Builder, rows: Rows, expression: Aggregate): Term {
  const { relation, selection, inner } = rows;
  const operand = expression.operand && flattenExpression(builder, expression.operand, inner);
  const name = expression.function;
  const present = operand === undefined ? TRUE : not(isNull(operand));
  const base = {
    kind: "read" as const,
    table: relation.table,
    key: selection.key,
    where: and(selection.where, present),
  };
  const unsupported = (): Term => {
    const draft = addOperation(builder, { ...base, pick: selection.point ? "point" : "some" });
    if (operand !== undefined) draft.outputs["operand"] = operand;
    return unknownTerm(
      builder,
      `aggregate:${String(draft.index)}`,
      "decimal",
      `${name}${expression.distinct ? " of distinct values" : ""} is any number`,
    );
  };
  if (expression.distinct && name !== "min" && name !== "max") return unsupported();
  switch (name) {
    case "count":
    case "sum": {
      const draft = addOperation(builder, {
        ...base,
        pick: "all",
        aggregate: { function: name, ...(operand ? { operand } : {}), output: name },
      });
      return { kind: "output", operation: draft.index, name };
    }
    case "min":
    case "max": {
      if (operand?.kind !== "column") return unsupported();
      const draft = addOperation(builder, {
        ...base,
        pick: selection.point ? "point" : "first",
        ...(selection.point
          ? {}
          : { orderBy: { column: operand.column, descending: name === "max" } }),
      });
      return outputOf(draft, operand.column);
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

/** Groups and aggregates over joins: what is read is kept, the values are unknown. */
function unknownAggregates(builder: Builder, query: Query, outer: Scope): ResultTerms {
  const why = "an aggregate over a join or over groups is any number";
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
