// Related rows that are read along with rows: joined where one row or the rows of one belong to it, else read by a
// statement of their own.
import type { Expression } from "../../../../program/expression";
import { compare } from "../../../sql/terms";
import { constantScalar, constantText, fieldExpression, UNDEFINED, type RowValue, type RowsValue, type Value } from "../../values"; // prettier-ignore
import { allOf, namesIn, quoteIdentifier, raw, sequence, type Fragment } from "../builders/draft";
import type { Tools } from "../library";
import { columnOf, keysOf, roleOf, type Model, type ModelColumn, type ModelRelation } from "../orm/model"; // prettier-ignore
import { readAccessors, columnText, equals, memberOfList, quoteName, type Place, type RowData, isGiven } from "../orm/statements"; // prettier-ignore
import { columnsOfPart, partOfRow, type RowPart } from "../orm/rowParts";
import { traverse } from "../../traverse";
import { modelOfValue } from "./models";
import { withoutScope, withScope } from "./scopes";
import { whereOf, type Fields } from "./where";

/** The sort of a reading beside its options. */
export interface Reading {
  readonly isFirst?: boolean;
  /** Conditions of who asks; at most one row fulfils them where `isOne`. */
  readonly where?: (place: Place) => readonly Fragment[] | undefined;
  readonly isOne?: boolean;
  readonly joins?: (place: Place) => readonly Fragment[];
  readonly more?: readonly Fragment[];
}

type Find = (place: Place, options: Fields, reading?: Reading) => Value | undefined;

interface Include {
  readonly relation: ModelRelation;
  readonly target: Model;
  /** Only rows that have one. */
  readonly isRequired: boolean;
  readonly options: Fields;
  readonly nested: readonly Include[];
}

/** The relations that `include` asks for; what is not understood is said. */
export function includesOf(place: Place, value: Value | undefined): readonly Include[] {
  const { tools, source } = place;
  if (!isGiven(value)) return [];
  return (tools.items(value) ?? [value]).flatMap((each) => {
    const made = includeOf(place, each);
    if (!made) tools.lose("what is included is not followed", source);
    return made ?? [];
  });
}

function includeOf(place: Place, value: Value): Include | undefined {
  const { tools, model } = place;
  const fields = value.kind === "object" ? tools.fields(value) : undefined;
  if (value.kind === "object" && !fields) return undefined;
  const given: Fields = fields ?? new Map<string, Value>();
  const association = constantText(given.get("association") ?? value);
  const as = constantText(given.get("as")) ?? association;
  const wanted = modelOfValue(given.get("model") ?? value, tools);
  const candidates = model.relations.filter(
    ({ property, target }) =>
      !property.includes(" ") &&
      (as === undefined || property === as) &&
      (wanted === undefined || target()?.name === wanted.name),
  );
  const [relation, ...more] = candidates;
  const related = relation?.target();
  if (!relation || !related || more.length > 0) return undefined;
  if (wanted === undefined && association === undefined) return undefined;
  const scoped = wanted?.scoped ? { ...related, scoped: wanted.scoped } : related;
  const options = withScope({ ...place, model: scoped }, given);
  const target = withoutScope(scoped, tools);
  const required = constantScalar(options.get("required"));
  const nested = includesOf({ ...place, model: target }, options.get("include"));
  const isRequired = required === true || (required !== false && isGiven(options.get("where")));
  return { relation, target, isRequired, options, nested };
}

/** How rows that were asked for with others are found among what was read. */
interface Joined {
  readonly joins: readonly Fragment[];
  readonly columns: readonly Fragment[];
  /** Rows are there once for each of the rows that belong to them. */
  readonly isMany: boolean;
  readonly parts: readonly Part[];
  /** Those that a statement of their own reads. */
  readonly apart: readonly Include[];
}

interface Part {
  readonly include: Include;
  readonly path: string;
  /** The columns by properties as they are called in the result. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly key: string;
  readonly nested: readonly Part[];
}

/** The joined rows: what belongs to each row, and the rows that belong to a row that is asked for by its key. */
export function joinsOf(place: Place, includes: readonly Include[], isOne: boolean): Joined {
  const joins: Fragment[] = [];
  const columns: Fragment[] = [];
  const apart: Include[] = [];
  let isMany = false;
  const go = (outer: Place, each: Include, path: string): Part | undefined => {
    const { relation, target, options } = each;
    const isPart = ["limit", "offset", "separate", "order", "through"].some((name) => isGiven(options.get(name))); // prettier-ignore
    const isFitting = !relation.isMany || (isOne && !isMany && path === relation.property);
    if (relation.between || isPart || !isFitting) return undefined;
    const inner: Place = { ...place, model: target, alias: path.replaceAll(".", "->") };
    const on = joinedBy(outer, inner, relation);
    const where = whereOf(inner, options.get("where"));
    const names = attributesOf(target, options.get("attributes"), place.tools);
    const [key] = keysOf(target);
    if (!on || !where || !names || !key) return undefined;
    const { tools } = place;
    isMany ||= relation.isMany;
    const kind = each.isRequired ? "INNER" : "LEFT OUTER";
    const table = `${quoteIdentifier(target.table, tools.dialect)} AS ${quoteName(inner.alias ?? "", tools)}`;
    joins.push(sequence(`${kind} JOIN ${table} ON `, allOf([raw(on), ...where, ...notDeleted(inner, options)]))); // prettier-ignore
    const taken = [...new Set([key, ...names, ...keysNeeded(target, each.nested)])];
    const nameOf = ({ column }: ModelColumn): string => `${path}.${column}`;
    columns.push(...taken.map((column) => raw(`${columnText(inner, column)} AS ${quoteName(nameOf(column), tools)}`))); // prettier-ignore
    const nested = each.nested.flatMap((one) => {
      if (one.isRequired && !each.isRequired) {
        tools.lose("rows that have to have others are included in rows that need not be there", place.source); // prettier-ignore
      }
      const made = go(inner, one, `${path}.${one.relation.property}`);
      if (!made) tools.lose(`what is included in ${path} is not followed`, place.source);
      return made ?? [];
    });
    const renamed = new Map(taken.map((each) => [each.property ?? each.column, nameOf(each)]));
    return { include: each, path, renamed, key: nameOf(key), nested };
  };
  const outer: Place = { ...place, alias: place.model.name };
  const parts = includes.flatMap((each) => {
    const made = go(outer, each, each.relation.property);
    if (!made) apart.push(each);
    return made ?? [];
  });
  return { joins, columns, isMany, parts, apart };
}

/** The columns of a model that its own relations start from. */
function keysNeeded(model: Model, nested: readonly Include[]): readonly ModelColumn[] {
  return nested.flatMap(({ relation }) => {
    const column = ownColumn(model, relation);
    return column === undefined ? [] : (columnOf(model, column) ?? []);
  });
}

function ownColumn(model: Model, relation: ModelRelation): string | undefined {
  return relation.column ?? relation.referenced ?? keysOf(model)[0]?.column;
}

function theirColumn(
  { target }: Pick<Include, "target">,
  relation: ModelRelation,
): string | undefined {
  // prettier-ignore
  if (relation.column === undefined) return relation.theirs;
  return relation.referenced ?? keysOf(target)[0]?.column;
}

function joinedBy(outer: Place, inner: Place, relation: ModelRelation): string | undefined {
  const own = ownColumn(outer.model, relation);
  const theirs = theirColumn({ target: inner.model }, relation);
  if (own === undefined || theirs === undefined) return undefined;
  const text = (place: Place, column: string): string => columnText(place, { column, type: "other" }); // prettier-ignore
  return `${text(outer, own)} = ${text(inner, theirs)}`;
}

function notDeleted(place: Place, options: Fields): readonly Fragment[] {
  const column = roleOf(place.model, "deleted");
  if (!column || constantScalar(options.get("paranoid")) === false) return [];
  return [raw(`${columnText(place, column)} IS NULL`)];
}

/** The columns that `attributes` names; undefined where it says more than names. */
function attributesOf(
  model: Model,
  value: Value | undefined,
  tools: Tools,
): readonly ModelColumn[] | undefined {
  if (!isGiven(value)) return model.columns;
  const items = tools.items(value);
  const fields = items ? undefined : tools.fields(value);
  if (fields && fields.has("include")) return undefined;
  if (fields) {
    const left = namesIn(fields.get("exclude"), tools);
    return model.columns.filter(({ property }) => property === undefined || !left.includes(property)); // prettier-ignore
  }
  return items && traverse(items, (each) => columnOf(model, constantText(each) ?? ""));
}

interface Asked {
  readonly isOfOne: boolean;
  readonly options: Fields;
  readonly find: Find;
}

/** Rows with what was read along with them, and with what is read by statements of their own. */
export function withRelations(place: Place, rows: Value, asked: Joined & Asked): Value {
  const { parts, apart } = asked;
  if (rows.kind !== "rows" || (parts.length === 0 && apart.length === 0)) return rows;
  const relatedTo = new Map(rows.columns.relatedTo);
  for (const part of parts) {
    relatedTo.set(part.include.relation.property, (row) => joinedRow(place, row, part));
  }
  for (const each of apart) {
    const of = readApart(place, rows, each, asked);
    if (of) relatedTo.set(each.relation.property, of);
  }
  return { ...rows, columns: { ...rows.columns, relatedTo } };
}

function joinedRow(place: Place, row: RowValue, part: Part): Value {
  const { tools, connection } = place;
  const { include, path, renamed, key } = part;
  const { relation, target, isRequired } = include;
  const data: RowData = { kind: "modelRow", model: target, connection };
  const own: RowPart = {
    property: relation.property,
    prefix: `${path}.`,
    renamed,
    data,
    relatedTo: new Map([
      ...(readAccessors(target, { order: row.columns.order, renamed }) ?? []),
      ...part.nested.map((each) => [each.include.relation.property, (inner: RowValue) => joinedRow(place, inner, each)] as const), // prettier-ignore
    ]),
    ...(!isRequired && { isThere: key }),
  };
  if (!relation.isMany) return partOfRow(row, own);
  const all = tools.rows(row.result, columnsOfPart(row.columns, own), data);
  if (all.kind !== "rows" || isRequired) return all;
  return tools.those(all, (of) => ({
    kind: "not",
    operand: { kind: "isNull", operand: fieldExpression(of, key) },
  }));
}

/** Reads related rows by the keys of all rows at once; what of them belongs to each. */
function readApart(
  place: Place,
  rows: RowsValue,
  include: Include,
  { isOfOne, options: outer, find }: Asked,
): ((row: RowValue) => Value) | undefined {
  const { tools, source, model } = place;
  const { relation, target, options, isRequired } = include;
  const own = ownColumn(model, relation);
  const column = own === undefined ? undefined : columnOf(model, own);
  const isSection = isGiven(options.get("limit")) || isGiven(options.get("offset"));
  if (!column || isRequired || (isSection && !isOfOne) || isGiven(options.get("through"))) {
    tools.lose(`what is included as ${relation.property} is not followed`, source);
    return undefined;
  }
  const isSeparate = constantScalar(options.get("separate")) === true;
  if (!isSeparate) {
    tools.lose(`${relation.property} are read by a statement of their own, which joins them in truth`, source); // prettier-ignore
  }
  const property = column.property ?? column.column;
  const key = isOfOne
    ? tools.member(tools.firstRow(rows), property)
    : fieldsOf(rows, property, tools);
  const lock = outer.get("lock");
  const all: Fields =
    lock && !options.has("lock") ? new Map([...options, ["lock", lock]]) : options;
  const related = readRelation({ ...place, model: target }, relation, key, all, find);
  if (related?.rows.kind !== "rows") return undefined;
  const { rows: found, owner } = related;
  const mine = (row: RowValue): Expression => tools.expression(tools.field(row, property));
  const belongs =
    (row: RowValue) =>
    (other: RowValue): Expression =>
      compare("=", fieldExpression(other, owner), mine(row));
  if (!relation.isMany) return (row) => tools.firstOf(found, belongs(row));
  return (row) => (isOfOne ? found : tools.those(found, belongs(row)));
}

/** The rows that belong to a key, or to one of a list of keys, and the output that holds it. */
export function readRelation(
  place: Place,
  relation: ModelRelation,
  key: Value,
  options: Fields,
  find: Find,
): { readonly rows: Value; readonly owner: string } | undefined {
  const { tools } = place;
  const isList = key.kind === "derived" || key.kind === "list";
  const among = (column: string): Fragment =>
    isList ? memberOfList(column, key, tools) : equals(column, key);
  if (relation.between) {
    const { model, own, other } = relation.between;
    const between: Place = { ...place, model: model(), alias: "between" };
    const text = (at: Place, column: string): string => columnText(at, { column, type: "other" });
    const [target] = keysOf(place.model);
    if (!target) return undefined;
    const rows = find(place, options, {
      where: () => [among(text(between, own))],
      joins: (at) => [
        raw(`INNER JOIN ${quoteIdentifier(between.model.table, tools.dialect)} AS ${quoteName("between", tools)} ON ${text(between, other)} = ${columnText(at, target)}`), // prettier-ignore
      ],
      more: [raw(`${text(between, own)} AS ${quoteName(OWNER, tools)}`)],
    });
    return rows && { rows, owner: OWNER };
  }
  const theirs = theirColumn({ target: place.model }, relation);
  const column = theirs === undefined ? undefined : columnOf(place.model, theirs);
  if (!column) return undefined;
  const rows = find(place, options, { where: (at) => [among(columnText(at, column))] });
  return rows && { rows, owner: column.column };
}

/** The owner's key in the table between. */
const OWNER = "_owner";

/** A property of each of the rows. */
function fieldsOf(rows: RowsValue, property: string, tools: Tools): Value {
  const by = tools.handle(FIELD, { kind: "field", property });
  return { kind: "derived", from: rows, how: "map", by };
}

/** The path of handles that take a property of a row. */
export const FIELD = "field";

export function fieldHandle(data: unknown, row: Value | undefined, tools: Tools): Value {
  const isOne = typeof data === "object" && data !== null && "property" in data;
  const property = isOne && typeof data.property === "string" ? data.property : "";
  return row ? tools.member(row, property) : UNDEFINED;
}
