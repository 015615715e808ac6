// TypeORM's filters: `where` records with operators, lists of them, keys; orders.
import { kindGuard } from "../kindGuard";
import { dictionary } from "../../../../protocol/dictionary";
import { constantText, unknown, type Value } from "../../values";
import { valueFragment, raw, type Fragment } from "../builders/draft";
import type { Call, Tools } from "../library";
import { comparison, filterOf, keyFilter, operationOn, type FilterLanguage, type Operation } from "../orm/filter"; // prettier-ignore
import { columnOf, keysOf, roleOf, type ModelColumn } from "../orm/model";
import { withParameters } from "../orm/parameters";
import { byKey, columnText, type Place } from "../orm/statements";
import { traverse } from "../../traverse";

/** `In([...])`, `MoreThan(1)`, `Raw(...)`: a condition on a column that is named elsewhere. */
export interface Operator {
  readonly kind: "operator";
  readonly operation: Operation | "raw";
  readonly operands: readonly Value[];
}

export const isOperator = kindGuard<Operator>("operator");

const OPERATIONS = dictionary<Operator["operation"] | undefined>({
  Equal: "=",
  MoreThan: ">",
  MoreThanOrEqual: ">=",
  LessThan: "<",
  LessThanOrEqual: "<=",
  Like: "LIKE",
  ILike: "ILIKE",
  In: "IN",
  Any: "IN",
  Not: "NOT",
  IsNull: "IS NULL",
  Between: "BETWEEN",
  And: "AND",
  Or: "OR",
  Raw: "raw",
});

/** An operator's call; undefined for all others. */
export function operatorOf(name: string, call: Call, tools: Tools): Value | undefined {
  const operation = OPERATIONS[name];
  if (operation === undefined) return undefined;
  const operands = call.arguments;
  return tools.handle("operator", { kind: "operator", operation, operands } satisfies Operator);
}

const LANGUAGE: FilterLanguage = {
  operation: () => undefined,
  list: "OR",
  skips: "null",
  nulls: "compared",
  hasLists: false,
  dropsEmpty: false,
  condition: (column, value) => {
    if (value.kind !== "handle" || !isOperator(value.data)) return undefined;
    const { operation, operands } = value.data;
    if (operation === "raw") return rawCondition(column.text, operands, column.place);
    return operationOn(column, operation, operands, LANGUAGE);
  },
};

/** The language of `update` and `delete`: NULL and nothing are compared, which holds for no row. */
const CRITERIA: FilterLanguage = { ...LANGUAGE, skips: "nothing" };

/** `Raw((alias) => `${alias} > :n`, { n })`. */
function rawCondition(
  column: string,
  [text, parameters]: readonly Value[],
  { tools, source }: Place,
): Fragment {
  const alias: Value = { kind: "text", parts: raw(column) };
  const made = text?.kind === "function" ? tools.call(text, [alias], source) : text;
  if (made?.kind !== "text") return valueFragment(unknown("a condition that is made elsewhere"));
  return withParameters(made.parts, parameters ? tools.fields(parameters) : undefined, tools);
}

/** The rows of a filter: a record, or a list of which one holds. Undefined: not known. */
export function whereOf(
  place: Place,
  where: Value | undefined,
  nothing: "left out" | "compared" = "left out",
): readonly Fragment[] | undefined {
  return filterOf(place, where, nothing === "compared" ? CRITERIA : LANGUAGE);
}

/** The rows of `update` and `delete`: a key, keys, or a filter. */
export function criteriaOf(
  place: Place,
  criteria: Value | undefined,
): readonly Fragment[] | undefined {
  if (criteria === undefined) return undefined;
  const { model, tools } = place;
  if (criteria.kind === "row") return byKey(place, (name) => tools.member(criteria, name));
  const isFilter = tools.items(criteria)?.some((item) => item.kind === "object") === true;
  if (criteria.kind === "object" || isFilter) return filterOf(place, criteria, CRITERIA);
  if (criteria.kind === "input" && /Where|Criteria|Partial/u.test(criteria.type ?? "")) return undefined; // prettier-ignore
  const [key] = keysOf(model);
  if (criteria.kind !== "handle" || !key) return keyFilter(place, criteria);
  const own = comparison({ place, text: columnText(place, key), isRequired: true }, criteria, CRITERIA); // prettier-ignore
  return own && [own];
}

/** That a row was not deleted softly. */
export function softDeletion(place: Place): readonly Fragment[] {
  const column = roleOf(place.model, "deleted");
  return column ? [raw(`${columnText(place, column)} IS NULL`)] : [];
}

/** `order: { a: "DESC" }`. */
export function orderOf(place: Place, order: Value | undefined): readonly Fragment[] | undefined {
  const fields = order && place.tools.fields(order);
  if (!fields) return order === undefined || order.kind === "undefined" ? [] : undefined;
  return traverse(fields, ([name, direction]) => {
    const column = columnOf(place.model, name);
    return column && raw(ordered(place, column, constantText(direction) ?? ""));
  });
}

function ordered(place: Place, column: ModelColumn, direction: string): string {
  return `${columnText(place, column)}${/^desc/iu.test(direction) ? " DESC" : ""}`;
}
