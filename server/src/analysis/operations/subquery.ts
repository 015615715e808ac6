// Subqueries in expressions: their reads belong to the current statement and share its snapshot.
import type { Expression, Query } from "../../program/expression";
import type { Builder, ResultTerms, Scope } from "./builder";
import { combinedIn, overCombinations } from "./aggregates";
import { isAggregate } from "./aggregatesIn";
import { perhaps, unknownTerm } from "./builder";
import { canCombine, combinationsOf, overAll } from "./combinations";
import type { Combinations } from "./combinations";
import { freeColumns } from "./freeColumns";
import { outputsOf } from "./outputs";
import { setsOf } from "./sets";
import { tableOf } from "./tables";
import type { Term } from "./operation";
import { flattenQuery } from "./query";
import { HIDDEN } from "./operation";
import {
  FALSE,
  NULL,
  TRUE,
  and,
  compare,
  conditional,
  int,
  isNull,
  isTrue,
  mentionsRow,
  neverNull,
  or,
} from "./terms";

/**
 * Adds the operations of a subquery. With `member`, `found` says whether the query has that value: exact if the value is known before any
 * row, for one representative row otherwise. A correlated name makes the answer unknown.
 */
export function flattenSubquery(
  builder: Builder,
  query: Query,
  outer: Scope,
  member?: Term,
): ResultTerms {
  const ask = (): ResultTerms => subqueryTerms(builder, query, outer, member);
  return outer.perhaps ? perhaps(builder, ask) : ask();
}

function subqueryTerms(
  builder: Builder,
  query: Query,
  outer: Scope,
  member: Term | undefined,
): ResultTerms {
  const byRow = member !== undefined && mentionsRow(member);
  if (byRow || correlates(query, outer)) {
    const result = perRow(builder, query, outer, member);
    if (result) return result;
  }
  let correlated = false;
  const free: Scope = {
    ...outer,
    column: (relation, column) => {
      if (relation === MEMBER) return member;
      const term = outer.column?.(relation, column);
      if (term === undefined || !mentionsRow(term)) return term;
      correlated = true;
      return undefined;
    },
  };
  const [output] = query.outputs;
  const early =
    member !== undefined &&
    !mentionsRow(member) &&
    output !== undefined &&
    query.distinctOn === undefined &&
    setsOf(query).length === 0;
  const asked = early ? withMember(query, output.value) : query;
  const result = flattenQuery(builder, asked, free);
  if (correlated) {
    const why = "a subquery that depends on the row at hand has any answer";
    const id = `subquery:${String(builder.operations.length)}`;
    const values = result.values.map((_, at) =>
      unknownTerm(builder, `${id}:${String(at)}`, "other", why),
    );
    return {
      row: Object.fromEntries(query.outputs.map(({ name }, at) => [name, values[at] ?? NULL])),
      values,
      found: isTrue(unknownTerm(builder, `${id}:found`, "bool", why)),
      size: unknownTerm(builder, `${id}:size`, "int", why),
    };
  }
  if (member === undefined || early) return result;
  builder.losses.add("IN with a subquery is decided by one row of it");
  const [value] = result.values;
  const found = value === undefined ? result.found : and(result.found, compare("=", member, value));
  return { ...result, found };
}

/** True if the query names the current row of the enclosing statement. */
function correlates(query: Query, outer: Scope): boolean {
  return freeColumns(query).some(({ relation, column }) => {
    const term = outer.column?.(relation, column);
    return term !== undefined && mentionsRow(term);
  });
}

/** The subquery as terms for each current row; undefined if a part cannot be evaluated per row. */
function perRow(
  builder: Builder,
  query: Query,
  outer: Scope,
  member: Term | undefined,
): ResultTerms | undefined {
  const plain =
    query.lock?.wait !== "skip-locked" &&
    query.setOperations.length + query.groupBy.length + query.orderBy.length === 0 &&
    query.distinctOn === undefined &&
    setsOf(query).length === 0 &&
    query.offset === undefined;
  if (!plain || !canCombine(query.relations)) return undefined;
  const first = query.limit === undefined || isOne(query.limit);
  const combinations = combinationsOf(builder, combinedIn(query), outer);
  if (isAggregate(query)) {
    const result = overCombinations(builder, query, combinations, outer);
    const [value] = result.values;
    if (member === undefined || value === undefined) return result;
    return { ...result, found: and(result.found, compare("=", member, value)) };
  }
  if (member === undefined && !first) return undefined;
  const { values, row } = outputsOf(builder, query, combinations.scope);
  const each = (value: Term): Term => overAll(combinations, "first", value);
  const some = overAll(combinations, "exists");
  const [value] = values;
  const found = member && value ? isMember(builder, query, combinations, member, value) : some;
  return {
    row: Object.fromEntries(Object.entries(row).map(([name, term]) => [name, each(term)])),
    values: values.map(each),
    found,
    size: query.limit ? conditional(some, int(1), int(0)) : overAll(combinations, "total", int(1)),
  };
}

function isOne(limit: Expression): boolean {
  return limit.kind === "literal" && limit.value === 1;
}

/** IN: true for an equal value, else NULL if a comparison with one of them is unknown. */
function isMember(
  builder: Builder,
  query: Query,
  combinations: Combinations,
  member: Term,
  value: Term,
): Term {
  const equal = compare("=", member, value);
  const among = overAll(combinations, "exists", TRUE, equal);
  const [output] = query.outputs;
  if (output && neverNull(member) && isNeverNull(builder, query, output.value)) return among;
  const open = overAll(combinations, "exists", TRUE, isNull(equal));
  return or(among, conditional(open, NULL, FALSE));
}

function isNeverNull(builder: Builder, query: Query, value: Expression): boolean {
  if (value.kind !== "column") return false;
  const table = query.relations.find((each) => each.alias === value.relation)?.table;
  const columns = table === undefined ? [] : tableOf(builder.tables, table).columns;
  return columns.some((each) => each.name === value.column && !each.nullable);
}

/** The alias of the sought value. */
const MEMBER = `${HIDDEN}member`;

/** The query restricted to rows with the member as output. */
function withMember(query: Query, output: Expression): Query {
  const equality: Expression = {
    kind: "comparison",
    operator: "=",
    left: output,
    right: { kind: "column", relation: MEMBER, column: "value" },
  };
  return { ...query, where: { kind: "and", operands: [query.where, equality] } };
}
