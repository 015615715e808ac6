// MikroORM's conditions: records with operators (`{ balance: { $gte: 5 } }`), lists of keys, a key.
import { dictionary } from "../../../../protocol/dictionary";
import { constantScalar, type Value } from "../../values";
import {
  allOf,
  valueFragment,
  raw,
  joinFragments,
  sequence,
  type Fragment,
} from "../builders/draft";
import { columnOf, keysOf, type ModelColumn } from "../orm/model";
import { columnText, equals, memberOfList, type Place } from "../orm/statements";
import { columnValue } from "../orm/entityColumns";

const OPERATORS = dictionary<string | undefined>({
  $eq: "=",
  $ne: "<>",
  $gt: ">",
  $gte: ">=",
  $lt: "<",
  $lte: "<=",
  $like: "LIKE",
  $ilike: "ILIKE",
});

/** The conditions of a `where`; undefined where they are not understood. */
export function whereOf(place: Place, where: Value | undefined): readonly Fragment[] | undefined {
  const { tools, model } = place;
  if (where === undefined || where.kind === "undefined") return [];
  const [key] = keysOf(model);
  const fields = where.kind === "row" ? undefined : tools.fields(where);
  if (!fields) {
    const text = key && columnText(place, key);
    if (text === undefined) return undefined;
    if (where.kind === "list") return [memberOfList(text, where, tools)];
    return [equals(text, where.kind === "row" ? tools.field(where, key?.property ?? "id") : where)];
  }
  const parts = [...fields].map(([name, value]) => conditionOf(place, name, value));
  return parts.every((each) => each !== undefined) ? parts : undefined;
}

function conditionOf(place: Place, name: string, value: Value): Fragment | undefined {
  const { tools, model } = place;
  if (name === "$and" || name === "$or") {
    const parts = (tools.items(value) ?? [undefined]).map((each) => each && whereOf(place, each));
    if (!parts.every((each) => each !== undefined)) return undefined;
    return joinFragments(parts.map((each) => sequence("(", each.length === 0 ? raw("TRUE") : allOf(each), ")")), name === "$or" ? " OR " : " AND "); // prettier-ignore
  }
  if (name === "$not") {
    const inner = whereOf(place, value);
    return inner && inner.length > 0 ? sequence("NOT (", allOf(inner), ")") : undefined;
  }
  const relation = model.relations.find(({ property }) => property === name);
  const known: Pick<ModelColumn, "column" | "type"> | undefined =
    relation?.column === undefined ? columnOf(model, name) : { column: relation.column, type: "other" }; // prettier-ignore
  if (!known) return undefined;
  const text = columnText(place, known);
  const operators = value.kind === "object" && !value.class ? tools.fields(value) : undefined;
  const isOfOperators = operators && [...operators.keys()].every((each) => each.startsWith("$"));
  if (!operators || !isOfOperators) {
    if (value.kind === "list") return memberOfList(text, value, tools);
    return equals(text, relation ? columnValue(model, name, value, tools) : value);
  }
  const parts = [...operators].map(([operator, operand]): Fragment | undefined => {
    if (operator === "$in") return memberOfList(text, operand, tools);
    if (operator === "$nin") return sequence("NOT (", memberOfList(text, operand, tools), ")");
    const isNull = constantScalar(operand) === null;
    if (isNull && operator === "$ne") return raw(`${text} IS NOT NULL`);
    if (isNull && operator === "$eq") return raw(`${text} IS NULL`);
    const symbol = OPERATORS[operator];
    return symbol === undefined
      ? undefined
      : sequence(`${text} ${symbol} `, valueFragment(operand));
  });
  return parts.every((each) => each !== undefined) ? allOf(parts) : undefined;
}
