// Filters of mappers: records of conditions on properties, with operators and connectives, as conditions of SQL. A mapper says
// in a `FilterLanguage` what its words are and how it treats NULL.
import { constantScalar, isArray, unknown, type Value } from "../../values";
import {
  allOf,
  joinFragments,
  raw,
  sequence,
  valueFragment,
  type Fragment,
} from "../builders/draft";
import type { Tools } from "../library";
import { columnValue } from "./entityColumns";
import { columnOf, keysOf, type Model, type ModelColumn } from "./model";
import { mayBeNull, otherThan, sameAs, unlessNothing } from "./nullability";
import { columnText, equals, isNothing, memberOfList, optionalCondition, type Place } from "./statements"; // prettier-ignore

/** Operators in SQL. `NOT` negates a value or a condition; `AND` and `OR` join filters or conditions. */
export type Operation =
  | "=" | "<>" | ">" | ">=" | "<" | "<=" | "LIKE" | "NOT LIKE" | "ILIKE" | "IS" | "IS NULL"
  | "IN" | "NOT IN" | "BETWEEN" | "NOT BETWEEN" | "NOT" | "AND" | "OR"; // prettier-ignore

export interface FilterLanguage {
  /** The operation that a key of a record is; undefined of properties, "unknown" of operators that are not understood. */
  readonly operation: (key: string) => Operation | "unknown" | undefined;
  /** The property that a key names, where the operator stands in the key as well (`"balance >"`). */
  readonly keyed?: (key: string) => KeyedOperation;
  /** How a list of filters is joined; a list of `keys` names rows, as a single value does. */
  readonly list: "AND" | "OR" | "keys";
  /** Properties with such a value are no condition. */
  readonly skips: "undefined" | "null" | "nothing";
  /** `tested`: a NULL that is written means IS NULL; `same`: any value that may be NULL is compared so that NULLs are equal. */
  readonly nulls: "compared" | "tested" | "same";
  /** A list is the members of an IN. */
  readonly hasLists: boolean;
  /** An alternative that says nothing is dropped; else it holds for all rows. */
  readonly dropsEmpty: boolean;
  /** SQL text that stands for a value. */
  readonly text?: (value: Value) => Fragment | undefined;
  /** The condition that a value of the mapper's own says of a column. */
  readonly condition?: (column: FilterColumn, value: Value) => Fragment | undefined;
}

export interface KeyedOperation {
  readonly property: string;
  readonly operation: Operation | "unknown";
}

/** A column in a filter; one that is required is never NULL. */
export interface FilterColumn {
  readonly place: Place;
  readonly text: string;
  readonly isRequired: boolean;
}

/** The conditions of a filter, all of which hold; undefined where they are not understood. Linear in the filter. */
export function filterOf(
  place: Place,
  filter: Value | undefined,
  language: FilterLanguage,
): readonly Fragment[] | undefined {
  if (filter === undefined || filter.kind === "undefined") return [];
  const text = language.text?.(filter);
  if (text) return [text];
  const { tools } = place;
  const items = language.list === "keys" ? undefined : tools.items(filter);
  if (items && language.list !== "keys") {
    const parts = items.map((item) => filterOf(place, item, language));
    return connected(language.list, parts, language);
  }
  const fields = filter.kind === "row" ? undefined : tools.fields(filter);
  if (!fields) return language.list === "keys" ? keyFilter(place, filter) : undefined;
  return conjunction([...fields].map(([name, value]) => fieldFilter(place, name, value, language)));
}

/** The rows of a key, of a list of keys, or a row itself. */
export function keyFilter(place: Place, value: Value): readonly Fragment[] | undefined {
  const [key, ...more] = keysOf(place.model);
  if (!key || more.length > 0) return undefined;
  const column = columnText(place, key);
  if (isListed(value)) return [memberOfList(column, value, place.tools)];
  const isRow = value.kind === "row";
  return [equals(column, isRow ? place.tools.field(value, key.property ?? key.column) : value)];
}

function isListed(value: Value): boolean {
  return value.kind === "list" || value.kind === "derived" || isArray(value);
}

function conjunction(
  parts: readonly (readonly Fragment[] | undefined)[],
): readonly Fragment[] | undefined {
  return parts.every((each) => each !== undefined) ? parts.flat() : undefined;
}

/** A connective of filters. */
function connected(
  operation: "AND" | "OR" | "NOT",
  parts: readonly (readonly Fragment[] | undefined)[],
  { dropsEmpty }: FilterLanguage,
): readonly Fragment[] | undefined {
  if (!parts.every((each) => each !== undefined)) return undefined;
  const all = parts.filter((each) => each.length > 0).map(allOf);
  if (operation === "AND") return all;
  if (all.length === 0 && dropsEmpty) return [raw("FALSE")];
  if (operation === "NOT") return all.length === 0 ? undefined : [sequence("NOT (", allOf(all), ")")]; // prettier-ignore
  if (all.length === 0 || (all.length < parts.length && !dropsEmpty)) return [];
  return [joinFragments(all.map((each) => sequence("(", each, ")")), " OR ")]; // prettier-ignore
}

/** One entry of a filter: a connective of others, or a condition on a property. */
function fieldFilter(
  place: Place,
  name: string,
  value: Value,
  language: FilterLanguage,
): readonly Fragment[] | undefined {
  const { tools } = place;
  const operation = language.operation(name);
  if (operation === "AND" || operation === "OR" || operation === "NOT") {
    const items = tools.items(value);
    const fields = items ? undefined : tools.fields(value);
    if (!items && !fields) return undefined;
    const parts = items
      ? items.map((item) => filterOf(place, item, language))
      : [...(fields ?? [])].map(([key, each]) => fieldFilter(place, key, each, language));
    return connected(operation, parts, language);
  }
  if (operation !== undefined) return undefined;
  const own = language.skips === "null" ? unlessNothing(value, tools) : value;
  if (language.skips === "null" && isNothing(own)) return [];
  return propertyFilter(place, name, own, language);
}

function propertyFilter(
  place: Place,
  key: string,
  value: Value,
  language: FilterLanguage,
): readonly Fragment[] | undefined {
  const { model } = place;
  const keyed = language.keyed?.(key);
  const name = keyed?.property ?? key;
  const relation = model.relations.find(({ property }) => property === name);
  const column = relation?.column === undefined ? columnOf(model, name) : columnOfKey(model, relation.column); // prettier-ignore
  if (!column) return undefined;
  const { isKey, isRequired } = column;
  const own = { place, text: columnText(place, column), isRequired: isKey === true || isRequired === true }; // prettier-ignore
  let isKnown = true;
  const condition = (each: Value): Fragment | undefined => {
    const asked = relation ? keyOfRelated(place, name, each, language) : each;
    const made = asked && (keyed ? keyedComparison(own, keyed.operation, asked, language) : comparison(own, asked, language)); // prettier-ignore
    if (made === undefined) isKnown = false;
    return made;
  };
  const made = language.skips === "nothing" ? condition(value) : optionalCondition(value, condition); // prettier-ignore
  if (!isKnown && (relation || !isData(value, place.tools))) return undefined;
  // Which rows it takes is not known; that it reads no other table is.
  if (!isKnown) return [valueFragment(unknown(`how ${name} is compared is not understood`, [place.tools.expression(value)]))]; // prettier-ignore
  return made ? [made] : [];
}

/** True if a value is made of scalars alone: nothing in it reads a table. Linear in it. */
function isData(value: Value, tools: Tools): boolean {
  switch (value.kind) {
    case "scalar":
    case "text":
    case "input":
    case "undefined":
      return true;
    case "list":
      return tools.items(value)?.every((each) => isData(each, tools)) === true;
    case "object": {
      const fields = value.class ? undefined : tools.fields(value);
      return fields !== undefined && [...fields.values()].every((each) => isData(each, tools));
    }
    default:
      return false;
  }
}

/** A condition whose operator the key says: equality of a list is membership. */
function keyedComparison(
  column: FilterColumn,
  operation: KeyedOperation["operation"],
  value: Value,
  language: FilterLanguage,
): Fragment | undefined {
  if (operation === "unknown") return undefined;
  if (operation === "=") return comparison(column, value, language);
  const isMembership = operation === "<>" && language.hasLists && isListed(value);
  return operationOn(column, isMembership ? "NOT IN" : operation, [value], language);
}

function columnOfKey(model: Model, column: string): ModelColumn {
  return model.columns.find((each) => each.column === column) ?? { column, type: "other" };
}

/** The key of what stands for a related row; undefined where a record asks for more than its key. */
function keyOfRelated(
  { model, tools }: Place,
  name: string,
  value: Value,
  language: FilterLanguage,
): Value | undefined {
  const isPlain = value.kind === "object" && !value.class;
  const names = isPlain ? [...(tools.fields(value)?.keys() ?? [""])] : [];
  if (names.length > 0 && names.every((each) => language.operation(each) !== undefined)) return value; // prettier-ignore
  const target = model.relations.find(({ property }) => property === name)?.target();
  const [key] = target ? keysOf(target) : [];
  if (!key || !names.every((each) => each === (key.property ?? key.column))) return undefined;
  return isListed(value) || value.kind === "handle"
    ? value
    : columnValue(model, name, value, tools);
}

/** A condition on a column: a value, a list of which it is one, or a record of operators. */
export function comparison(
  column: FilterColumn,
  value: Value,
  language: FilterLanguage,
): Fragment | undefined {
  const { tools } = column.place;
  const own = language.condition?.(column, value);
  if (own) return own;
  if (language.hasLists && isListed(value)) return memberOfList(column.text, value, tools);
  if (value.kind === "rows" || value.kind === "row") return undefined;
  if (value.kind !== "object" || value.class) return equality(column, value, language);
  const fields = tools.fields(value);
  if (!fields || fields.size === 0) return undefined;
  return joined("AND", [...fields].map(([name, each]) => operatorOf(column, name, each, language))); // prettier-ignore
}

function operatorOf(
  column: FilterColumn,
  name: string,
  operand: Value,
  language: FilterLanguage,
): Fragment | undefined {
  const operation = language.operation(name);
  if (operation === undefined || operation === "unknown") return undefined;
  return operationOn(column, operation, [operand], language);
}

function joined(word: "AND" | "OR", parts: readonly (Fragment | undefined)[]) {
  if (!parts.every((each) => each !== undefined)) return undefined;
  return joinFragments(parts.map((each) => sequence("(", each, ")")), ` ${word} `); // prettier-ignore
}

function equality(column: FilterColumn, value: Value, { nulls }: FilterLanguage): Fragment {
  const { text, isRequired, place } = column;
  if (nulls === "compared") return sequence(`${text} = `, valueFragment(value));
  const isPlain = nulls === "tested" || isRequired || constantScalar(value) === null;
  return isPlain || !mayBeNull(value) ? equals(text, value) : sameAs(text, value, place.tools);
}

/** An operation on a column; undefined where its operands do not fit. */
export function operationOn(
  column: FilterColumn,
  operation: Operation,
  operands: readonly Value[],
  language: FilterLanguage,
): Fragment | undefined {
  const { tools } = column.place;
  const { text } = column;
  const [first] = operands;
  if (operation === "IS NULL") return raw(`${text} IS NULL`);
  if (!first) return undefined;
  const written = language.text?.(first);
  const isNull = constantScalar(first) === null && language.nulls !== "compared";
  switch (operation) {
    case "=":
      return written ? sequence(`${text} = `, written) : equality(column, first, language);
    case "<>":
      return differing(column, first, written, language);
    case "IS":
      return isNull ? raw(`${text} IS NULL`) : sequence(`${text} IS `, written ?? valueFragment(first)); // prettier-ignore
    case "IN":
      return memberOfList(text, first, tools);
    case "NOT IN":
      return sequence("NOT (", memberOfList(text, first, tools), ")");
    case "BETWEEN":
    case "NOT BETWEEN": {
      const [low, high] = operands.length > 1 ? operands : (tools.items(first) ?? []);
      if (!low || !high) return undefined;
      return sequence(`${text} ${operation} `, valueFragment(low), " AND ", valueFragment(high));
    }
    case "NOT":
      return negated(column, first, written, language);
    case "AND":
    case "OR": {
      const fields = operands.length > 1 ? undefined : tools.fields(first);
      const items = operands.length > 1 ? operands : tools.items(first);
      const parts = fields
        ? [...fields].map(([name, each]) => operatorOf(column, name, each, language))
        : items?.map((each) => comparison(column, each, language));
      const whole = parts && joined(operation, parts);
      return whole && sequence("(", whole, ")");
    }
    default:
      return sequence(`${text} ${operation} `, written ?? valueFragment(first));
  }
}

function differing(
  { text, place }: FilterColumn,
  value: Value,
  written: Fragment | undefined,
  { nulls }: FilterLanguage,
): Fragment {
  if (constantScalar(value) === null && nulls !== "compared") return raw(`${text} IS NOT NULL`);
  if (nulls === "same" && !written && mayBeNull(value)) return otherThan(text, value, place.tools);
  return sequence(`${text} <> `, written ?? valueFragment(value));
}

/** `NOT` before a value or a condition: where NULLs are equal, as `IS NOT` of a constant. */
function negated(
  column: FilterColumn,
  value: Value,
  written: Fragment | undefined,
  language: FilterLanguage,
): Fragment | undefined {
  const one = constantScalar(value);
  if (language.nulls === "same" && typeof one === "boolean") {
    return raw(`${column.text} IS NOT ${one ? "TRUE" : "FALSE"}`);
  }
  const isValue = /^(?:scalar|text|input|handle)$/u.test(value.kind);
  if (language.nulls === "same" && isValue) return differing(column, value, written, language);
  const inner = comparison(column, value, language);
  return inner && sequence("NOT (", inner, ")");
}
