// Queries in FROM that only choose and rename rows, as a part of the query around them.
import type { Expression } from "../../program/expression";
import { mapParts, setCallsIn } from "../../program/operands";
import type { Query, Relation } from "../../program/statement";
import { isAggregate } from "./aggregatesIn";
import type { ColumnName } from "./freeColumns";
import { conjunctsOf } from "./selection";

type Replace = (name: ColumnName) => Expression | undefined;

/** The query without derived tables, as far as they return rows of other tables one for one. */
export function inlined(query: Query): Query {
  const derived = query.relations.find(isPlain);
  if (derived?.query === undefined) return query;
  const inner = prefixed(inlined(derived.query), derived.alias);
  const outputs = new Map(inner.outputs.map(({ name, value }) => [name, value]));
  const replace: Replace = ({ relation, column }) =>
    relation === derived.alias
      ? (outputs.get(column) ?? { kind: "literal", value: null, type: "other" })
      : undefined;
  const { on, join } = derived;
  const around = mapQuery(
    { ...query, relations: query.relations.filter((each) => each !== derived) },
    replace,
  );
  const place = query.relations.indexOf(derived);
  const relations = inner.relations.map((each, at): Relation =>
    at === 0 ? { ...each, join } : each,
  );
  const conditions = [
    ...conjunctsOf(inner.where),
    ...conjunctsOf(on).map((each) => mapColumns(each, replace)),
  ];
  return inlined({
    ...around,
    relations: [
      ...around.relations.slice(0, place),
      ...relations,
      ...around.relations.slice(place),
    ],
    where: { kind: "and", operands: [around.where, ...conditions] },
  });
}

/** The query with the columns that it takes from around it replaced. */
function mapQuery(query: Query, replace: Replace): Query {
  const own = new Set(query.relations.map((each) => each.alias));
  const inside: Replace = (name) => (own.has(name.relation) ? undefined : replace(name));
  return mapAll(query, inside);
}

function isPlain({ kind, join, query }: Relation): boolean {
  if (kind !== "derived" || query === undefined || isAggregate(query)) return false;
  const { relations, setOperations, distinct, limit, offset, lock } = query;
  return (
    (join === "inner" || join === "cross") &&
    relations.length > 0 &&
    relations.every((each) => each.join === "inner" || each.join === "cross") &&
    setOperations.length === 0 &&
    !distinct &&
    !query.outputs.some(({ value }) => setCallsIn(value).length > 0) &&
    [limit, offset, lock].every((each) => each === undefined)
  );
}

/** The query with its relations under names that no other query uses. */
function prefixed(query: Query, prefix: string): Query {
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
    setOperations: query.setOperations.map((each) => ({
      ...each,
      query: mapQuery(each.query, replace),
    })),
  };
}

function mapColumns(expression: Expression, replace: Replace): Expression {
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
