// Parts of Drizzle's queries: columns, tables, conditions, SQL and other queries.
import { kindGuard } from "../kindGuard";
import { dictionary } from "../../../../protocol/dictionary";
import {
  type Connection,
  constantScalar,
  constantText,
  oneOfSeveral,
  type TextPart,
  UNDEFINED,
  type Value,
} from "../../values";
import type { Call, Template, Tools } from "../library";
import { quoteName } from "../orm/statements";
import {
  chooseFragment,
  flagOf,
  valueFragment,
  membershipText,
  quoteIdentifier,
  raw,
  joinFragments,
  sequence,
  textOf,
  type Draft,
  type Fragment,
} from "./draft";
import {
  isColumn,
  isTable,
  UNKNOWN_COLUMN,
  type DrizzleColumn,
  type DrizzleTable,
} from "./drizzleTables";

/** A condition or an expression. */
export interface Part {
  readonly kind: "part";
  readonly text: Fragment;
  /** Columns that are each equal to a value where it holds. */
  readonly equated?: readonly string[];
}

/** The columns that a condition equates with values. */
export function equatedIn(value: Value): readonly string[] {
  return value.kind === "handle" && isPart(value.data) ? (value.data.equated ?? []) : [];
}

export const isPart = kindGuard<Part>("part");

export interface Query {
  readonly kind: "query";
  readonly draft: Draft;
  /** The fields that were asked for by their names; absent: all of the table's. */
  readonly fields?: Value;
  readonly table?: DrizzleTable;
  readonly joined: readonly JoinedTable[];
  readonly returns: "rows" | "first" | "count" | "ids";
  readonly source: Call["source"];
  /** Columns beside those that are asked for, and what the code gets of the rows then. */
  readonly more?: readonly Fragment[];
  readonly after?: (rows: Value, connection: Connection | undefined) => Value;
}

/** A table that is joined to those before it. */
export interface JoinedTable {
  readonly table: DrizzleTable;
  readonly how: "inner" | "left" | "right" | "full" | "cross";
}

export const isQuery = kindGuard<Query>("query");

/** A value as a part of SQL text. */
export function fragment(value: Value, tools: Tools): Fragment {
  if (value.kind === "handle") {
    const { data } = value;
    if (isPart(data)) return data.text;
    if (isColumn(data)) return raw(columnName(data, tools));
    if (isTable(data)) return raw(quoteName(data.alias ?? data.name, tools));
    if (isQuery(data)) return sequence("(", textOf(withColumns(data, tools).draft, tools.dialect), ")"); // prettier-ignore
  }
  return valueFragment(value);
}

/** A table as it stands behind FROM and JOIN. */
export function tableText({ name, query, ...table }: DrizzleTable, tools: Tools): Fragment {
  // Columns are those of the table's name with its schema.
  const alias = table.alias ?? (name.includes(".") ? name : undefined);
  if (query) return sequence("(", query, `) AS ${quoteName(name, tools)}`);
  const own = quoteIdentifier(name, tools.dialect);
  return raw(alias === undefined ? own : `${own} AS ${quoteName(alias, tools)}`);
}

/** The side of a comparison: a column or SQL. Whatever else stands there may be any column. */
function operand(value: Value, tools: Tools): Fragment {
  const data = value.kind === "handle" ? value.data : undefined;
  const isKnown = isPart(data) || isColumn(data) || isQuery(data) || constantScalar(value) !== undefined; // prettier-ignore
  if (isKnown || value.kind === "choice") return fragment(value, tools);
  const reads = isTable(data) ? [] : [tools.expression(value)];
  return valueFragment(oneOfSeveral("which column is compared is not known", reads));
}

export function columnName(
  column: { readonly name: string | undefined; readonly table?: string },
  tools: Tools,
): string {
  const name = quoteIdentifier(column.name ?? "?", tools.dialect);
  return column.table === undefined ? name : `${quoteName(column.table, tools)}.${name}`;
}

const AGGREGATES = "sum max min avg".split(" ");

const COMPARISONS = dictionary<string | undefined>({
  eq: "=",
  ne: "<>",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<=",
  like: "LIKE",
  notLike: "NOT LIKE",
  ilike: "ILIKE",
  notIlike: "NOT ILIKE",
});

/** Functions of `drizzle-orm` that make conditions and expressions. */
export function operator(name: string, call: Call, tools: Tools): Value | undefined {
  const [first, second, third] = call.arguments;
  const part = (...parts: readonly (string | Fragment)[]): Value =>
    tools.handle("part", { kind: "part", text: sequence(...parts) } satisfies Part);
  const comparison = COMPARISONS[name];
  if (name === "eq" && first && second && second.kind !== "handle" && second.kind !== "choice") {
    const column = first.kind === "handle" && isColumn(first.data) ? first.data.name : undefined;
    const text = sequence(operand(first, tools), " = ", fragment(second, tools));
    return partValue(text, tools, column === undefined ? [] : [column]);
  }
  if (comparison !== undefined && first && second) {
    return part(operand(first, tools), ` ${comparison} `, fragment(second, tools));
  }
  switch (name) {
    case "and":
    case "or": {
      const parts = call.arguments.flatMap((each) => {
        const condition = conditionOf(each, tools);
        return condition ? [sequence("(", condition, ")")] : [];
      });
      const equated = name === "and" ? call.arguments.flatMap(equatedIn) : [];
      if (parts.length === 0) return UNDEFINED;
      return partValue(joinFragments(parts, ` ${name.toUpperCase()} `), tools, equated);
    }
    case "not":
      return first && part("NOT (", fragment(first, tools), ")");
    case "isNull":
      return first && part(operand(first, tools), " IS NULL");
    case "isNotNull":
      return first && part(operand(first, tools), " IS NOT NULL");
    case "between":
    case "notBetween": {
      const word = name === "between" ? " BETWEEN " : " NOT BETWEEN ";
      return first && second && third
        ? part(
            operand(first, tools),
            word,
            fragment(second, tools),
            " AND ",
            fragment(third, tools),
          )
        : undefined;
    }
    case "inArray":
    case "notInArray": {
      if (!first || !second) return undefined;
      const word = name === "inArray" ? "IN" : "NOT IN";
      if (second.kind === "handle") {
        return part(operand(first, tools), ` ${word} `, fragment(second, tools));
      }
      const items = tools.members(second);
      if (items?.length === 0) return part(name === "inArray" ? "FALSE" : "TRUE");
      return part(membershipText(operand(first, tools), word, second, items?.map(valueFragment)));
    }
    case "exists":
    case "notExists":
      return first && part(name === "exists" ? "EXISTS " : "NOT EXISTS ", fragment(first, tools));
    case "desc":
      return first && part(fragment(first, tools), " DESC");
    case "asc":
      return first && part(fragment(first, tools));
    case "count":
      return part("count(", first ? fragment(first, tools) : "*", ")");
    case "countDistinct":
      return first && part("count(DISTINCT ", fragment(first, tools), ")");
    case "sumDistinct":
    case "avgDistinct":
      return first && part(`${name.slice(0, 3)}(DISTINCT `, fragment(first, tools), ")");
    default:
      return first && AGGREGATES.includes(name)
        ? part(`${name}(`, fragment(first, tools), ")")
        : undefined;
  }
}

/** A condition as text; undefined where there is none. */
export function conditionOf(value: Value, tools: Tools): Fragment | undefined {
  if (value.kind === "choice") {
    const then = conditionOf(value.then, tools);
    return chooseFragment(flagOf(value), then, conditionOf(value.otherwise, tools));
  }
  return value.kind === "undefined" ? undefined : fragment(value, tools);
}

/** A part of SQL text as a value. */
export function partValue(text: Fragment, tools: Tools, equated: readonly string[] = []): Value {
  const part: Part = { kind: "part", text, ...(equated.length > 0 && { equated }) };
  return tools.handle("part", part);
}

/** `sql`...``: columns and tables by their names, all else as values. */
export function template({ text }: Template, tools: Tools): Value {
  const parts: readonly TextPart[] = text.kind === "text" ? text.parts : [];
  const own = parts.flatMap((part) =>
    part.kind === "hole" ? fragment(part.value, tools) : [part],
  );
  return partValue(own, tools);
}

/** Functions of `sql` (`sql.join`), and methods of what it makes (`part.as`). */
export function partCall(path: string, data: unknown, call: Call, tools: Tools): Value | undefined {
  const [first, second] = call.arguments;
  if (isPart(data)) return methodOfPart(data, path.split(".").at(-1), call, tools);
  switch (path) {
    case "sql.raw":
      return partValue(first?.kind === "text" ? first.parts : [], tools);
    case "sql.empty":
      return partValue([], tools);
    case "sql.param":
      return first && partValue(valueFragment(first), tools);
    case "sql.identifier": {
      const name = constantText(first);
      return name === undefined ? undefined : partValue(raw(quoteName(name, tools)), tools);
    }
    case "sql.join": {
      const items = first && tools.members(first);
      const between = second ? fragment(second, tools) : [];
      if (!items) return undefined;
      const parts = items.flatMap((each, at) => [
        ...(at > 0 ? between : []),
        ...fragment(each, tools),
      ]);
      return partValue(parts, tools);
    }
    default:
      return undefined;
  }
}

function methodOfPart(part: Part, method: string | undefined, call: Call, tools: Tools) {
  const [first] = call.arguments;
  switch (method) {
    // The record that it stands in says what it is called.
    case "as":
    case "getSQL":
    case "inlineParams":
      return partValue(part.text, tools);
    case "mapWith": {
      const isKept = (first?.kind === "builtin" && first.name === "Number") || (first?.kind === "handle" && isColumn(first.data)); // prettier-ignore
      return isKept ? partValue(part.text, tools) : undefined;
    }
    case "append":
      return first && partValue([...part.text, ...fragment(first, tools)], tools);
    default:
      return undefined;
  }
}

/** The rows' records under a name of their own: `{ user: { id } }`. */
export interface NestedFields {
  readonly property: string;
  /** The result's columns by what the code calls them. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Where this column is NULL, there is no such record. */
  readonly isThere?: string;
  readonly nested: readonly NestedFields[];
}

interface Selection {
  readonly columns: readonly Fragment[];
  readonly nested: readonly NestedFields[];
}

/** The query with its columns, called as the code reads them. Linear in the columns. */
export function withColumns(
  query: Query,
  tools: Tools,
): Query & { readonly nested: readonly NestedFields[] } {
  const { draft } = query;
  const isSelect = draft.verb === "select";
  if (!isSelect && query.returns !== "rows") return { ...query, nested: [] };
  const { columns, nested } = selectionOf(query, tools);
  const change = isSelect
    ? { columns: [...columns, ...(query.more ?? [])] }
    : { returning: columns };
  return { ...query, draft: { ...draft, ...change }, nested };
}

/** The query as a table that others read from, under a name. */
export function derivedTable(query: Query, name: string, tools: Tools): DrizzleTable {
  const { draft } = withColumns(query, tools);
  const known = query.fields && tools.fields(query.fields);
  const declared = (value: Value): DrizzleColumn =>
    value.kind === "handle" && isColumn(value.data) ? value.data : UNKNOWN_COLUMN;
  const fields = known
    ? [...known].map(([key, value]) => [key, declared(value)] as const)
    : [...(query.table?.columns ?? [])];
  return {
    kind: "table",
    name,
    query: textOf(draft, tools.dialect),
    columns: new Map(fields.map(([key, { type }]) => [key, { ...UNKNOWN_COLUMN, type, name: key, table: name }])), // prettier-ignore
    dialect: tools.dialect,
    primaryKey: [],
    uniqueKeys: [],
  };
}

function selectionOf(query: Query, tools: Tools): Selection {
  const { fields, table, joined } = query;
  const known = fields && tools.fields(fields);
  if (fields && fields.kind !== "undefined" && !known) {
    tools.lose("drizzle-orm: which columns are read is not known", query.source);
  }
  const tables = [...(table ? [table] : []), ...joined.map((each) => each.table)];
  const entries: readonly (readonly [string, Value])[] = known
    ? [...known]
    : joined.length > 0
      ? tables.map((each) => [each.alias ?? each.name, tools.handle("table", each)] as const)
      : columnsOf(table, tools);
  return {
    columns: outputs(query, entries, "", tools),
    nested: nestedIn(query, entries, "", tools),
  };
}

function columnsOf(table: DrizzleTable | undefined, tools: Tools): [string, Value][] {
  return [...(table?.columns ?? [])].map(([key, column]) => [key, tools.handle("column", column)]);
}

/** The entries of a record among what is asked for; undefined of a single column. */
function recordIn(value: Value, tools: Tools): readonly (readonly [string, Value])[] | undefined {
  if (value.kind === "handle") {
    return isTable(value.data) ? columnsOf(value.data, tools) : undefined;
  }
  const fields = value.kind === "object" ? tools.fields(value) : undefined;
  return fields && [...fields];
}

type Entries = readonly (readonly [string, Value])[];

function outputs(
  query: Query,
  entries: Entries,
  prefix: string,
  tools: Tools,
): readonly Fragment[] {
  return entries.flatMap(([key, value]) => {
    const inner = recordIn(value, tools);
    if (inner) return outputs(query, inner, `${prefix}${key}.`, tools);
    return [sequence(fragment(value, tools), ` AS ${quoteName(`${prefix}${key}`, tools)}`)];
  });
}

function nestedIn(
  query: Query,
  entries: Entries,
  prefix: string,
  tools: Tools,
): readonly NestedFields[] {
  return entries.flatMap(([key, value]): readonly NestedFields[] => {
    const inner = recordIn(value, tools);
    if (!inner) return [];
    const path = `${prefix}${key}.`;
    const single = inner.filter(([, each]) => recordIn(each, tools) === undefined);
    const isThere = prefix === "" ? presence(query, single, path) : undefined;
    const renamed = new Map(single.map(([name]) => [name, `${path}${name}`]));
    return [{ property: key, renamed, ...(isThere !== undefined && { isThere }), nested: nestedIn(query, inner, path, tools) }]; // prettier-ignore
  });
}

/** Records of columns of one table that may be missing are there where their first column is. */
function presence({ table, joined }: Query, entries: Entries, path: string): string | undefined {
  const columns = entries.flatMap(([name, value]) =>
    value.kind === "handle" && isColumn(value.data) ? [{ name, of: value.data.table }] : [],
  );
  const [first] = columns;
  if (!first || joined.length === 0 || columns.some(({ of }) => of !== first.of)) return undefined;
  const at = joined.findIndex((each) => (each.table.alias ?? each.table.name) === first.of);
  const own = at === -1 ? table && (table.alias ?? table.name) === first.of : true;
  const isLacking = joined.some(({ how }, place) => {
    if (place === at) return how === "left" || how === "full";
    return place > at && (how === "right" || how === "full");
  });
  return own && isLacking ? `${path}${first.name}` : undefined;
}
