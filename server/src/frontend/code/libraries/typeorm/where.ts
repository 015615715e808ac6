// TypeORM's conditions: `where` records with operators, lists of them, keys; orders and limits.
import { dictionary } from "../../../../protocol/dictionary";
import { constantScalar, constantText, unknown, type Value } from "../../values";
import {
  allOf,
  valueFragment,
  raw,
  joinFragments,
  sequence,
  type Fragment,
} from "../builders/draft";
import type { Call, Tools } from "../library";
import { columnOf, keysOf, roleOf, type ModelColumn } from "../orm/model";
import { withParameters } from "../orm/parameters";
import { unlessNothing } from "../orm/nullability";
import {
  byKey,
  columnText,
  equals,
  memberOfList,
  optionalCondition,
  type Place,
} from "../orm/statements";

/** `In([...])`, `MoreThan(1)`: a condition on a column that is named elsewhere. */
export interface Operator {
  readonly kind: "operator";
  readonly on: (column: string) => Fragment;
}

export const isOperator = (data: unknown): data is Operator =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === "operator";

const COMPARISONS = dictionary<string | undefined>({
  Equal: "=",
  MoreThan: ">",
  MoreThanOrEqual: ">=",
  LessThan: "<",
  LessThanOrEqual: "<=",
  Like: "LIKE",
  ILike: "ILIKE",
});

/** An operator's call; undefined for all others. */
export function operatorOf(name: string, call: Call, tools: Tools): Value | undefined {
  const [first, second] = call.arguments;
  const made = (on: Operator["on"]): Value =>
    tools.handle("operator", { kind: "operator", on } satisfies Operator);
  const symbol = COMPARISONS[name];
  if (symbol !== undefined && first) {
    return made((column) => sequence(`${column} ${symbol} `, valueFragment(first)));
  }
  switch (name) {
    case "In":
      return made((column) => memberOfList(column, first, tools));
    case "Not":
      if (!first) return undefined;
      return made((column) => sequence("NOT (", compared(column, first), ")"));
    case "IsNull":
      return made((column) => raw(`${column} IS NULL`));
    case "Between":
      if (!first || !second) return undefined;
      return made((column) =>
        sequence(`${column} BETWEEN `, valueFragment(first), " AND ", valueFragment(second)),
      );
    case "And":
    case "Or": {
      const word = name === "And" ? " AND " : " OR ";
      const parts = call.arguments;
      return made((column) =>
        joinFragments(
          parts.map((each) => sequence("(", compared(column, each), ")")),
          word,
        ),
      );
    }
    case "Any":
      return made((column) => memberOfList(column, first, tools));
    case "Raw":
      return made((column) => rawCondition(column, first, second, call, tools));
    default:
      return undefined;
  }
}

/** `Raw((alias) => `${alias} > :n`, { n })`. */
function rawCondition(
  column: string,
  text: Value | undefined,
  parameters: Value | undefined,
  call: Call,
  tools: Tools,
): Fragment {
  const alias: Value = { kind: "text", parts: raw(column) };
  const made = text?.kind === "function" ? tools.call(text, [alias], call.source) : text;
  if (made?.kind !== "text") return valueFragment(unknown("a condition that is made elsewhere"));
  return withParameters(made.parts, parameters ? tools.fields(parameters) : undefined, tools);
}

function compared(column: string, value: Value): Fragment {
  if (value.kind === "handle" && isOperator(value.data)) return value.data.on(column);
  return equals(column, value);
}

/**
 * The rows that a `where` asks for: a record, or a list of which one holds. Undefined: not known. `nothing`: what a value
 * does that is null or undefined: it is left out, or compared as NULL, which holds for no row.
 */
export function whereOf(
  place: Place,
  where: Value | undefined,
  nothing: "left out" | "compared" = "left out",
): readonly Fragment[] | undefined {
  if (where === undefined || where.kind === "undefined") return [];
  const items = place.tools.items(where);
  if (items) {
    const parts = items.map((item) => whereOf(place, item, nothing));
    if (!parts.every((each) => each !== undefined)) return undefined;
    if (parts.length === 0 || parts.some((each) => each.length === 0)) return [];
    return [
      joinFragments(
        parts.map((each) => sequence("(", allOf(each), ")")),
        " OR ",
      ),
    ];
  }
  const fields = place.tools.fields(where);
  if (!fields) return undefined;
  const parts = [...fields].map(([name, value]) =>
    nothing === "compared" ? criterion(place, name, value) : wherePart(place, name, value),
  );
  return parts.every((each) => each !== undefined) ? parts.flat() : undefined;
}

/** One property of what `update` and `delete` are given, or `where` of a builder. */
function criterion(place: Place, name: string, value: Value): readonly Fragment[] | undefined {
  const column = columnOf(place.model, name);
  if (!column || value.kind === "handle") return wherePart(place, name, value, false);
  return [sequence(`${columnText(place, column)} = `, valueFragment(value))];
}

/** One property of a `where`; `undefined` and `null` say nothing. */
function wherePart(
  place: Place,
  name: string,
  given: Value,
  mayBeLeftOut = true,
): readonly Fragment[] | undefined {
  const { model, tools } = place;
  const value = mayBeLeftOut ? unlessNothing(given, tools) : given;
  if (value.kind === "undefined" || constantScalar(value) === null) return [];
  const relation = model.relations.find(({ property }) => property === name);
  if (relation) {
    const other = relation.target();
    const [key] = other ? keysOf(other) : [];
    if (relation.column === undefined || !key) return undefined;
    const fields = value.kind === "object" || value.kind === "row" ? value : undefined;
    const keyName = key.property ?? key.column;
    const isKeyAlone =
      fields?.kind === "row" ||
      [...(tools.fields(value)?.keys() ?? [])].every((each) => each === keyName);
    if (fields && !isKeyAlone) return undefined;
    const isEntity = fields !== undefined || (value.kind === "input" && !isKey(value));
    const own = isEntity ? tools.member(value, keyName) : value;
    return [compared(columnText(place, { column: relation.column, type: key.type }), own)];
  }
  const column = columnOf(model, name);
  if (!column) return undefined;
  const part = optionalCondition(value, (each) => compared(columnText(place, column), each));
  return part ? [part] : [];
}

/** True if an argument is a key, and no entity: told by its type, or else by what it is called. */
export function isKey({ path, type }: Extract<Value, { kind: "input" }>): boolean {
  return type === undefined ? /id$/iu.test(path) : /^[\s|]*(?:string|number|bigint)\b/u.test(type);
}

/** The rows of `update` and `delete`: a key, keys, or what `where` has. */
export function criteriaOf(
  place: Place,
  given: Value | undefined,
): readonly Fragment[] | undefined {
  if (given === undefined) return undefined;
  const { model, tools } = place;
  const [key] = keysOf(model);
  if (given.kind === "object" || given.kind === "row") {
    if (given.kind === "row") return byKey(place, (name) => tools.member(given, name));
    return whereOf(place, given, "compared");
  }
  if (!key) return undefined;
  const column = columnText(place, key);
  const items = tools.items(given);
  const isKeys = items?.every((item) => item.kind !== "object") ?? false;
  if (items && !isKeys) return whereOf(place, given, "compared");
  if (items) return [memberOfList(column, given, tools)];
  if (given.kind === "input" && /Where|Criteria|Partial/u.test(given.type ?? "")) return undefined;
  if (given.kind === "list" || given.kind === "derived" || given.kind === "rows") {
    return [memberOfList(column, given, tools)];
  }
  return [compared(column, given)];
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
  const parts = [...fields].map(([name, direction]) => {
    const column = columnOf(place.model, name);
    return column && raw(ordered(place, column, constantText(direction) ?? ""));
  });
  return parts.every((each) => each !== undefined) ? parts : undefined;
}

function ordered(place: Place, column: ModelColumn, direction: string): string {
  return `${columnText(place, column)}${/^desc/iu.test(direction) ? " DESC" : ""}`;
}
