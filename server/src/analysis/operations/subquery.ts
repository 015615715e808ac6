// Subqueries in expressions: their reads belong to the statement at hand and share its snapshot.
import type { Expression } from "../../program/expression";
import type { Query } from "../../program/statement";
import type { Builder, ResultTerms, Scope } from "./builder";
import { unknownTerm } from "./builder";
import type { Term } from "./operation";
import { flattenQuery } from "./query";
import { HIDDEN } from "./operation";
import { NULL, and, compare, isTrue, mentionsRow } from "./terms";

/**
 * Adds the operations of a subquery. With `member`, `found` says whether the query has that value: exactly when the
 * value is known before any row, for one representative row otherwise. A name in the query that stands for the row
 * at hand of the statement around it makes the answer unknown.
 */
export function flattenSubquery(
  builder: Builder,
  query: Query,
  outer: Scope,
  member?: Term,
): ResultTerms {
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
  const early = member !== undefined && !mentionsRow(member) && output !== undefined;
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

/** The relation under which the value that is looked for goes by. */
const MEMBER = `${HIDDEN}member`;

/** The query restricted to rows whose output is the member. */
function withMember(query: Query, output: Expression): Query {
  const equality: Expression = {
    kind: "comparison",
    operator: "=",
    left: output,
    right: { kind: "column", relation: MEMBER, column: "value" },
  };
  return { ...query, where: { kind: "and", operands: [query.where, equality] } };
}
