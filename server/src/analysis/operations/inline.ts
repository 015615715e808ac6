// Inlining of derived tables that only select and rename rows.
import { mapColumns, mapQuery, prefixRelations, type Replace } from "../../program/mapColumns";
import { conjunctsOf, setCallsIn } from "../../program/operands";
import type { Query, Relation } from "../../program/expression";
import { isAggregate } from "./aggregatesIn";

/** The query without derived tables, where these return rows of other tables one to one. */
export function inlineQuery(query: Query): Query {
  const derived = query.relations.find(isPlain);
  if (derived?.query === undefined) return query;
  const inner = prefixRelations(inlineQuery(derived.query), derived.alias);
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
  return inlineQuery({
    ...around,
    relations: [
      ...around.relations.slice(0, place),
      ...relations,
      ...around.relations.slice(place),
    ],
    where: { kind: "and", operands: [around.where, ...conditions] },
  });
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
