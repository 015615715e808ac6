// Parts of knex' statements: conditions, columns, tables, and parts that the code writes in SQL.
import { constantScalar, constantText, unknown, type HandleValue, type Value } from "../../values";
import type { Call, Tools } from "../library";
import { parametersIn, rowsOf } from "../rawSql";
import { traverse } from "../../traverse";
import { allOf, draftOf, valueFragment, membershipText, quoteIdentifier, raw, insertRows, joinFragments, sequence, textOf, type Draft, type Fragment } from "./draft"; // prettier-ignore
import { draftPhi, isMutable, mutableQuery, queryIn, type QueryKind } from "./mutableQuery";
import { columnValue } from "./columnWrites";

export interface Query {
  readonly draft: Draft;
  /** Only the first row is asked for. */
  readonly isFirst: boolean;
  /** Only the values of that column are asked for. */
  readonly plucked?: string;
  /** The conditions that hold instead of those of the draft: `where(a).orWhere(b)`. */
  readonly otherwise?: readonly Fragment[];
  /** Its name as a part of another one. */
  readonly alias?: string;
  /** The part of it that is not known. */
  readonly unread?: string;
  /** The statement as it is written: what the code reads first. */
  readonly source: Call["source"];
}

const isQuery = (data: unknown): data is Query =>
  typeof data === "object" && data !== null && "draft" in data;

export const KNEX_QUERIES: QueryKind<Query> = { isQuery, phi: draftPhi };

/** The statement with all of its conditions. */
export function whole({ draft, otherwise }: Query): Draft {
  const where = otherwise
    ? [
        joinFragments(
          [...otherwise, ...(draft.where.length > 0 ? [allOf(draft.where)] : [])],
          " OR ",
        ),
      ]
    : draft.where;
  if (draft.verb !== "insert" || where.length === 0) return { ...draft, where };
  return { ...draft, where: [], guard: allOf(where) };
}

/** The query behind a callback that gets it, as its argument and as `this`; undefined where that is not known. */
export function filledBy(
  callback: Extract<Value, { kind: "function" }>,
  tools: Tools,
  connection?: HandleValue["connection"],
): Query | undefined {
  const start = { line: 0, character: 0 };
  const source = { file: callback.scope.module.file, range: { start, end: start } };
  const inner = mutableQuery({ draft: draftOf("select", []), isFirst: false, source }, tools);
  const builder = tools.handle("query", inner, connection);
  const made = tools.call({ ...callback, self: builder }, [builder], source);
  const own = made.kind === "handle" && isMutable(made.data) ? made.data : inner;
  const query = queryIn(own, KNEX_QUERIES, tools);
  return query?.unread === undefined ? query : undefined;
}

/** A query as a part of another one, in brackets. */
export function subquery(value: Value, tools: Tools): Fragment | undefined {
  const query = partQuery(value, tools);
  if (!query) return undefined;
  const as = query.alias === undefined ? "" : ` AS ${quoteIdentifier(query.alias, tools.dialect)}`;
  return sequence("(", textOf(whole(query), tools.dialect), `)${as}`);
}

/** The query that a value is, or that a callback fills. */
export function partQuery(value: Value, tools: Tools): Query | undefined {
  if (value.kind === "function") {
    const query = filledBy(value, tools);
    return query && query.draft.table.length > 0 ? query : undefined;
  }
  if (value.kind !== "handle" || !isMutable(value.data)) return undefined;
  const query = queryIn(value.data, KNEX_QUERIES, tools);
  return query?.unread === undefined ? query : undefined;
}

/** A value, a query, or a part that the code writes in SQL. */
export function part(value: Value, tools: Tools): Fragment | undefined {
  if (value.kind === "deferred" && isRaw(value.data)) return value.data.text;
  if (value.kind === "function" || value.kind === "handle") return subquery(value, tools);
  return valueFragment(value);
}

/** A column by its name, or a part of SQL. */
export function columnOf(value: Value | undefined, tools: Tools): Fragment | undefined {
  const name = constantText(value);
  if (name !== undefined) return raw(quoteIdentifier(name, tools.dialect));
  const isPart = value?.kind === "deferred" || value?.kind === "handle";
  return isPart ? part(value, tools) : undefined;
}

/** `where({ a: 1 })`, `where("a", 1)`, `where("a", ">", 1)`, `where((q) => ...)`. */
export function condition(
  [first, second, third]: readonly (Value | undefined)[],
  tools: Tools,
): Fragment | undefined {
  if (!first) return undefined;
  const isColumn = constantText(first) !== undefined || first.kind === "deferred";
  if (isColumn && second) {
    const own = columnOf(first, tools);
    const operator = third ? constantText(second)?.toLowerCase() : "=";
    if (!own || operator === undefined) return undefined;
    if (operator === "in" || operator === "not in") {
      return membership(first, third, operator === "in" ? "IN" : "NOT IN", tools);
    }
    return compared(own, operator, third ?? second, tools);
  }
  if (first.kind === "deferred" && isRaw(first.data)) return first.data.text;
  if (first.kind === "function") {
    const query = filledBy(first, tools);
    const { where = [] } = query ? whole(query) : {};
    return query && (where.length === 0 ? raw("TRUE") : allOf(where));
  }
  const known = constantScalar(first);
  if (typeof known === "boolean") return raw(known ? "TRUE" : "FALSE");
  const fields = tools.fields(first);
  if (!fields) return undefined;
  const parts = traverse(fields, ([column, value]) =>
    compared(raw(quoteIdentifier(column, tools.dialect)), "=", value, tools),
  );
  return parts?.length === 0 ? raw("TRUE") : parts && joinFragments(parts, " AND ");
}

function compared(
  column: Fragment,
  operator: string,
  value: Value,
  tools: Tools,
): Fragment | undefined {
  const isNull = value.kind === "undefined" || constantScalar(value) === null;
  if (isNull && /^(?:=|is)$/u.test(operator)) return sequence(column, " IS NULL");
  if (isNull && /^(?:!=|<>|is not)$/u.test(operator)) return sequence(column, " IS NOT NULL");
  const right = part(value, tools);
  return right && sequence(column, ` ${operator === "!=" ? "<>" : operator} `, right);
}

/** `whereIn("a", [1, 2])`, `whereIn("a", query)`. */
export function membership(
  first: Value | undefined,
  second: Value | undefined,
  operator: "IN" | "NOT IN",
  tools: Tools,
): Fragment | undefined {
  const own = columnOf(first, tools);
  if (!own || !second) return undefined;
  if (/^(?:handle|function|deferred)$/u.test(second.kind)) {
    const query = part(second, tools);
    const isBare = second.kind === "deferred" && query !== undefined;
    return query && sequence(own, ` ${operator} `, isBare ? sequence("(", query, ")") : query);
  }
  const items = tools.members(second);
  if (items?.length === 0) return raw(operator === "IN" ? "FALSE" : "TRUE");
  const parts = items && traverse(items, (item) => part(item, tools));
  return items && !parts ? undefined : membershipText(own, operator, second, parts);
}

/** `"a as b"`, `{ b: "a" }`, raw text, a query, or a list of these; undefined where not all are known. */
export function columnsIn(value: Value, tools: Tools): readonly Fragment[] | undefined {
  const name = constantText(value);
  if (name !== undefined) return [raw(namedAs(name, tools))];
  const items = tools.items(value);
  if (items) return columnsOf(items, tools);
  if (value.kind === "object") {
    const each = traverse(tools.fields(value) ?? [], ([alias, column]) => {
      const own = columnOf(column, tools);
      return own && sequence(own, ` AS ${quoteIdentifier(alias, tools.dialect)}`);
    });
    return each && each.length > 0 ? each : undefined;
  }
  const own = value.kind === "function" ? subquery(value, tools) : columnOf(value, tools);
  return own && [own];
}

/** All columns that are named by the arguments of a call. */
export function columnsOf(values: readonly Value[], tools: Tools): readonly Fragment[] | undefined {
  return traverse(values, (value) => columnsIn(value, tools))?.flat();
}

/** `a as b` in the dialect's quotes. */
export function namedAs(written: string, { dialect }: Tools): string {
  const [name = written, alias] = written.split(/\s+as\s+/iu);
  const as = alias === undefined ? "" : ` AS ${quoteIdentifier(alias.trim(), dialect)}`;
  return `${quoteIdentifier(name.trim(), dialect)}${as}`;
}

/** A table: `"a as b"`, `{ b: "a" }`, a query with an alias, SQL. */
export function tableOf(value: Value | undefined, tools: Tools): Fragment | undefined {
  const tables = value && columnsIn(value, tools);
  return tables && tables.length > 0 ? joinFragments(tables, ", ") : undefined;
}

/** `sum("a as b")`, `sum({ b: "a" })`, `count()`. */
export function aggregate(
  method: string,
  [value, options]: readonly (Value | undefined)[],
  tools: Tools,
): Fragment | undefined {
  const { dialect } = tools;
  const [, word = method, isDistinct] = /^(.*?)(Distinct)?$/u.exec(method) ?? [];
  const [named] = value?.kind === "object" ? [...(tools.fields(value) ?? [])] : [];
  const written = named ? constantText(named[1]) : constantText(value);
  if (value && written === undefined) {
    const own = columnOf(value, tools);
    return own && sequence(`${word}(${isDistinct ? "DISTINCT " : ""}`, own, ")");
  }
  const [column = "*", after = word] = (written ?? "*").split(/\s+as\s+/iu);
  const said =
    options?.kind === "object" ? constantText(tools.fields(options)?.get("as")) : undefined;
  const inner = column === "*" ? "*" : quoteIdentifier(column.trim(), dialect);
  const alias = quoteIdentifier(named?.[0] ?? said ?? after.trim(), dialect);
  return raw(`${word}(${isDistinct ? "DISTINCT " : ""}${inner}) AS ${alias}`);
}

/** The rows of an INSERT. */
export function rowsIn(value: Value, draft: Draft, tools: Tools): ReturnType<typeof insertRows> {
  return insertRows(value, (item) => setIn(item, { ...draft, verb: "insert" }, tools), tools);
}

/** The columns that a record sets. */
export function setIn(
  value: Value,
  { verb, table }: Draft,
  tools: Tools,
): Draft["set"] | undefined {
  const fields = tools.fields(value);
  const written = (each: Value): Fragment =>
    part(each, tools) ?? valueFragment(unknown("a query that is not known"));
  const name = constantText({ kind: "text", parts: table })?.replaceAll(/["`]/gu, "") ?? "";
  const set = [...(fields ?? [])].flatMap(([column, each]) => {
    const text = columnValue(column, each, { verb, table: name, written, tools });
    return text ? [[column, text] as const] : [];
  });
  return fields && set;
}

/** `raw(...)`: a part of another query, or a query of its own once it is awaited. */
interface Raw {
  readonly text: Fragment;
  readonly value: Value;
}

export const isRaw = (data: unknown): data is Raw =>
  typeof data === "object" && data !== null && "text" in data && "value" in data;

/** SQL that the code writes. */
export function rawPart(
  { connection }: HandleValue,
  text: Value,
  bindings: Value | undefined,
  { source }: Call,
  tools: Tools,
): Value {
  const own = rawText(text, bindings, tools);
  const data: Raw = { text: own, value: text };
  const run = (): Value => {
    const isBound = bindings !== undefined && constantText(text) !== undefined;
    const outcome = isBound
      ? tools.sql(connection, { kind: "text", parts: own }, {}, source)
      : tools.sql(connection, text, bindings ? parametersIn(bindings, tools) : {}, source);
    const rows = rowsOf(outcome, tools);
    if (tools.dialect !== "postgres")
      return tools.list([rows, unknown("what a driver says of columns")]);
    return tools.object({ rows, rowCount: outcome.count });
  };
  return { kind: "deferred", data, run };
}

const BINDING = /\\\?|\?\??|::\w+|:(\w+)(:?)/gu;

/** Text with `?` and `:name` for its bindings, `??` and `:name:` for names. */
export function rawText(text: Value, bindings: Value | undefined, tools: Tools): Fragment {
  const written = constantText(text);
  if (written === undefined) return text.kind === "text" ? text.parts : valueFragment(text);
  if (!bindings) return raw(written);
  const named = bindings.kind === "object" ? tools.fields(bindings) : undefined;
  const items = tools.items(bindings) ?? [bindings];
  const parts: Fragment[] = [];
  let [end, count] = [0, 0];
  for (const { 0: mark, 1: name, 2: isName, index } of written.matchAll(BINDING)) {
    const isListed = !named && mark.startsWith("?");
    const item = isListed ? items[count] : name === undefined ? undefined : named?.get(name);
    if (isListed) count += 1;
    if (!item) continue;
    const isIdentifier = mark === "??" || isName === ":";
    const own = isIdentifier ? columnOf(item, tools) : bound(item, tools);
    parts.push(
      raw(written.slice(end, index)),
      own ?? valueFragment(unknown("a name that is not known")),
    );
    end = index + mark.length;
  }
  return sequence(...parts, raw(written.slice(end).replaceAll(String.raw`\?`, "?")));
}

/** A list stands for its items. */
function bound(item: Value, tools: Tools): Fragment | undefined {
  const items = tools.items(item);
  if (!items) return part(item, tools);
  const parts = traverse(items, (each) => part(each, tools));
  return parts && joinFragments(parts, ", ");
}
