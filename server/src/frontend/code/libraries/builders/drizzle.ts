// Drizzle: builders over declared tables, relational queries, transactions.
import {
  constantScalar,
  constantText,
  UNDEFINED,
  unknown,
  type HandleValue,
  type TextPart,
  type Value,
} from "../../values";
import { levelOf } from "../levels";
import type { Call, Library, SqlOutcome, Template, Tools } from "../library";
import { rowsOf } from "../rawSql";
import { ownConnection } from "../ownConnection";
import {
  chosen,
  draftOf,
  flagOf,
  given,
  quoted,
  oneQuery,
  raw,
  rowsGiven,
  runDraft,
  runUnread,
  separated,
  sequence,
  textOf,
  type Draft,
  type Fragment,
} from "./draft";
import {
  COLUMN_TYPES,
  declaration,
  filledIn,
  isColumn,
  isTable,
  keyDeclaration,
  schemaTable,
  type DrizzleTable,
} from "./drizzleTables";
import { tableCalled } from "./drizzleSchemas";
import { asksBuilder, drizzleShape } from "./shapes";

/** A condition or an expression. */
interface Part {
  readonly kind: "part";
  readonly text: Fragment;
}

const isPart = (data: unknown): data is Part =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === "part";

interface Query {
  readonly kind: "query";
  readonly draft: Draft;
  /** The fields that were asked for by their names; absent: all of the table's. */
  readonly fields?: Value;
  readonly table?: DrizzleTable;
  readonly returns: "rows" | "first" | "count" | "ids";
  readonly source: Call["source"];
}

const isQuery = (data: unknown): data is Query =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === "query";

/** A value as a part of SQL text. */
function fragment(value: Value, tools: Tools): Fragment {
  if (value.kind === "handle") {
    const { data } = value;
    if (isPart(data)) return data.text;
    if (isColumn(data)) return raw(columnName(data, tools));
    if (isTable(data)) return raw(quoted(data.name, tools.dialect));
    if (isQuery(data))
      return sequence("(", textOf(complete(data, tools).draft, tools.dialect), ")");
  }
  return given(value);
}

/** What is compared: a column or SQL. Whatever else stands there may be any column. */
function operand(value: Value, tools: Tools): Fragment {
  const data = value.kind === "handle" ? value.data : undefined;
  const isKnown = isPart(data) || isColumn(data) || isQuery(data) || constantScalar(value) !== undefined; // prettier-ignore
  if (isKnown || value.kind === "choice") return fragment(value, tools);
  const reads = isTable(data) ? [] : [tools.expression(value)];
  return given(unknown("which column is compared is not known", reads));
}

function columnName(
  column: { readonly name: string | undefined; readonly table?: string },
  tools: Tools,
): string {
  const name = quoted(column.name ?? "?", tools.dialect);
  return column.table === undefined ? name : `${quoted(column.table, tools.dialect)}.${name}`;
}

const COMPARISONS: Readonly<Record<string, string | undefined>> = {
  eq: "=",
  ne: "<>",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<=",
  like: "LIKE",
  ilike: "ILIKE",
};

/** Functions of `drizzle-orm` that make conditions and expressions. */
function operator(name: string, call: Call, tools: Tools): Value | undefined {
  const [first, second, third] = call.arguments;
  const part = (...parts: readonly (string | Fragment)[]): Value =>
    tools.handle("part", { kind: "part", text: sequence(...parts) } satisfies Part);
  const comparison = COMPARISONS[name];
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
      return parts.length === 0 ? UNDEFINED : part(separated(parts, ` ${name.toUpperCase()} `));
    }
    case "not":
      return first && part("NOT (", fragment(first, tools), ")");
    case "isNull":
      return first && part(operand(first, tools), " IS NULL");
    case "isNotNull":
      return first && part(operand(first, tools), " IS NOT NULL");
    case "between":
      return first && second && third
        ? part(operand(first, tools), " BETWEEN ", given(second), " AND ", given(third))
        : undefined;
    case "inArray":
    case "notInArray": {
      if (!first || !second) return undefined;
      const word = name === "inArray" ? " IN (" : " NOT IN (";
      if (second.kind === "handle") {
        return part(operand(first, tools), word.replace("(", ""), fragment(second, tools));
      }
      const items = tools.members(second);
      if (items?.length === 0) return part(name === "inArray" ? "FALSE" : "TRUE");
      const list = items ? separated(items.map(given), ", ") : given(second);
      return part(operand(first, tools), word, list, ")");
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
    case "sum":
    case "max":
    case "min":
    case "avg":
      return first && part(`${name}(`, fragment(first, tools), ")");
    default:
      return undefined;
  }
}

/** A condition as text; undefined where there is none. */
function conditionOf(value: Value, tools: Tools): Fragment | undefined {
  if (value.kind === "choice") {
    const then = conditionOf(value.then, tools);
    return chosen(flagOf(value), then, conditionOf(value.otherwise, tools));
  }
  return value.kind === "undefined" ? undefined : fragment(value, tools);
}

/** A method of a query: the query with what the call adds; undefined where it is not known. */
function extended(query: Query, method: string, call: Call, tools: Tools): Query | undefined {
  const { draft } = query;
  const [first, second] = call.arguments;
  const { dialect } = tools;
  const put = (change: Partial<Draft>, more: Partial<Query> = {}): Query => ({
    ...query,
    ...more,
    draft: { ...draft, ...change },
  });
  const target = first?.kind === "handle" && isTable(first.data) ? first.data : undefined;
  switch (method) {
    case "from":
      return target && put({ table: raw(quoted(target.name, dialect)) }, { table: target });
    case "innerJoin":
    case "leftJoin": {
      const on = second && conditionOf(second, tools);
      if (!target || !on) return undefined;
      const word = method === "leftJoin" ? "LEFT JOIN" : "JOIN";
      const join = sequence(`${word} ${quoted(target.name, dialect)} ON `, on);
      return put({ joins: [...draft.joins, join] });
    }
    case "where": {
      const condition = first && conditionOf(first, tools);
      return condition ? put({ where: [...draft.where, condition] }) : query;
    }
    case "having": {
      const condition = first && conditionOf(first, tools);
      return condition ? put({ having: [condition] }) : query;
    }
    case "groupBy":
      return put({ groupBy: call.arguments.map((each) => fragment(each, tools)) });
    case "orderBy":
      return put({ orderBy: call.arguments.map((each) => fragment(each, tools)) });
    case "limit":
      return first && put({ limit: given(first) });
    case "offset":
      return first && put({ offset: given(first) });
    case "for": {
      const strength = constantText(first)?.toUpperCase() ?? "UPDATE";
      const options = second && tools.fields(second);
      const wait = options?.has("skipLocked")
        ? " SKIP LOCKED"
        : options?.has("noWait")
          ? " NOWAIT"
          : "";
      return put({ lock: `FOR ${strength}${wait}` });
    }
    case "values": {
      const rows = first && rowsIn(first, query, call.source, tools);
      return rows && put(rows);
    }
    case "set": {
      const set = first && setIn(first, query, "update", call.source, tools);
      return set && put({ set });
    }
    case "returning":
      return { ...query, returns: "rows", ...(first && { fields: first }) };
    case "onConflictDoNothing": {
      const target = conflictTarget(first, tools);
      return put({ conflict: raw(` ON CONFLICT${target} DO NOTHING`) });
    }
    case "onConflictDoUpdate": {
      const options = first && tools.fields(first);
      const set = options?.get("set");
      const values = set && setIn(set, query, "update", call.source, tools);
      if (!values) return undefined;
      const list = values.map(([name, value]) => sequence(`${quoted(name, dialect)} = `, value));
      const where = options?.get("where") ?? options?.get("setWhere");
      const condition = where && conditionOf(where, tools);
      return put({
        conflict: sequence(
          ` ON CONFLICT${conflictTarget(first, tools)} DO UPDATE SET `,
          separated(list, ", "),
          condition ? sequence(" WHERE ", condition) : "",
        ),
      });
    }
    case "$returningId":
      return { ...query, returns: "ids" };
    case "onDuplicateKeyUpdate": {
      const set = first && tools.fields(first)?.get("set");
      const values = set && setIn(set, query, "update", call.source, tools);
      if (!values) return undefined;
      const list = values.map(([name, value]) => sequence(`${quoted(name, dialect)} = `, value));
      return put({ conflict: sequence(" ON DUPLICATE KEY UPDATE ", separated(list, ", ")) });
    }
    case "$dynamic":
    case "prepare":
    case "as":
      return query;
    default:
      return undefined;
  }
}

function conflictTarget(options: Value | undefined, tools: Tools): string {
  const target = options && tools.fields(options)?.get("target");
  if (!target) return "";
  const columns = (tools.items(target) ?? [target]).flatMap((each) =>
    each.kind === "handle" && isColumn(each.data) ? (each.data.name ?? []) : [],
  );
  return ` (${columns.map((each) => quoted(each, tools.dialect)).join(", ")})`;
}

/** What a record sets, and what the table's columns set by themselves. */
function setIn(
  value: Value,
  { table }: Query,
  verb: "insert" | "update",
  source: Call["source"],
  tools: Tools,
): Draft["set"] | undefined {
  const fields = tools.fields(value);
  if (!fields || !table) return undefined;
  const named = new Map([...fields].filter(([, each]) => each.kind !== "undefined"));
  for (const [key, column] of table.columns) {
    const filled = named.has(key) ? undefined : filledIn(column, verb, source, tools);
    if (filled) named.set(key, filled);
  }
  return [...named].map(
    ([key, each]) => [table.columns.get(key)?.name ?? key, fragment(each, tools)] as const,
  );
}

function rowsIn(
  value: Value,
  query: Query,
  source: Call["source"],
  tools: Tools,
): ReturnType<typeof rowsGiven> {
  const row = (item: Value): ReadonlyMap<string, Fragment> | undefined => {
    const set = setIn(item, query, "insert", source, tools);
    return set && new Map(set);
  };
  return rowsGiven(value, row, tools);
}

/** The query with its columns, named as the code reads them. */
function complete(query: Query, tools: Tools): Query {
  const { draft, table, fields } = query;
  const isSelect = draft.verb === "select";
  if (!isSelect && query.returns !== "rows") return query;
  const known = fields && tools.fields(fields);
  const columns = known
    ? [...known].map(([key, value]) =>
        sequence(fragment(value, tools), ` AS ${quoted(key, tools.dialect)}`),
      )
    : [...(table?.columns ?? [])].map(([key, column]) =>
        raw(`${columnName(column, tools)} AS ${quoted(key, tools.dialect)}`),
      );
  const change = isSelect ? { columns } : { returning: columns };
  return { ...query, draft: { ...draft, ...change } };
}

function run(handle: HandleValue, query: Query, tools: Tools): Value {
  const outcome = runDraft(complete(query, tools).draft, handle.connection, query.source, tools);
  return resultOf(query, outcome, tools);
}

function resultOf(query: Query, outcome: SqlOutcome, tools: Tools): Value {
  if (query.returns === "count") {
    if (tools.dialect === "postgres") return tools.object({ rowCount: outcome.count });
    const insertId = outcome.insertId ?? unknown("the number that an INSERT made");
    return tools.list([tools.object({ affectedRows: outcome.count, insertId })]);
  }
  if (query.returns === "ids") {
    const id = outcome.insertId ?? unknown("the number that an INSERT made");
    const key = [...(query.table?.columns ?? [])].find(([, { isKey }]) => isKey)?.[0];
    return tools.list([tools.object({ [key ?? "id"]: id })]);
  }
  const rows = rowsOf(outcome, tools);
  return query.returns === "first" ? tools.firstRow(rows) : rows;
}

/** `db.query.users.findFirst({ where, orderBy, columns })`. */
function relational(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [, , key = "", method] = handle.path.split(".");
  const schema = isClient(handle.data) ? handle.data.schema : undefined;
  const table = schema ? tools.member(schema, key) : tableCalled(key, tools);
  if (table?.kind !== "handle" || !isTable(table.data)) return undefined;
  const { source } = call;
  const [first] = call.arguments;
  const options = first && tools.fields(first);
  const base: Query = {
    kind: "query",
    draft: draftOf("select", raw(quoted(table.data.name, tools.dialect))),
    table: table.data,
    returns: method === "findFirst" ? "first" : "rows",
    source,
  };
  const helpers = tools.object(
    Object.fromEntries(
      "eq ne gt gte lt lte like ilike and or not isNull isNotNull inArray notInArray between desc asc sql"
        .split(" ")
        .map((name) => [name, tools.handle(name)]),
    ),
  );
  const made = (value: Value): Value =>
    value.kind === "function" ? tools.call(value, [table, helpers], source) : value;
  const where = options?.get("where");
  const order = options?.get("orderBy");
  const limit = method === "findFirst" ? raw("1") : undefined;
  const asked = options?.get("limit");
  const condition = where && conditionOf(made(where), tools);
  const orders = order ? made(order) : undefined;
  if (options?.has("with") === true) {
    tools.lose("the relations that are loaded with it are not followed", source);
  }
  const draft: Draft = {
    ...base.draft,
    where: condition ? [condition] : [],
    orderBy: orders ? (tools.items(orders) ?? [orders]).map((each) => fragment(each, tools)) : [],
    ...(limit ? { limit } : asked && { limit: given(asked) }),
  };
  const fields = columnsAsked(options?.get("columns"), table, table.data, tools);
  return { ...handle, path: "query", data: { ...base, draft, ...(fields && { fields }) } };
}

/** `columns: { id: true }`, or those that are left with `{ secret: false }`. */
function columnsAsked(
  columns: Value | undefined,
  table: Value,
  { columns: all }: DrizzleTable,
  tools: Tools,
): Value | undefined {
  const asked = columns && tools.fields(columns);
  if (!asked) return undefined;
  const wanted = [...asked].filter(([, each]) => constantScalar(each) === true);
  const isGiven = ([name]: readonly [string, unknown]): boolean =>
    wanted.length > 0 ? wanted.some(([each]) => each === name) : !asked.has(name);
  const kept = [...all].filter(isGiven).map(([name]) => [name, tools.member(table, name)] as const);
  return tools.object(Object.fromEntries(kept));
}

/** `db.$count(table, condition)`. */
function counted(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [first, second] = call.arguments;
  if (first?.kind !== "handle" || !isTable(first.data)) return undefined;
  const condition = second && conditionOf(second, tools);
  const draft: Draft = {
    ...draftOf("select", raw(quoted(first.data.name, tools.dialect))),
    columns: [raw("count(*) AS value")],
    where: condition ? [condition] : [],
  };
  const run = (): Value => {
    const rows = rowsOf(runDraft(draft, handle.connection, call.source, tools), tools);
    return tools.member(tools.firstRow(rows), "value");
  };
  return { kind: "deferred", run };
}

interface Client {
  readonly kind: "client";
  readonly schema?: Value;
}

const isClient = (data: unknown): data is Client =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === "client";

function client(call: Call, tools: Tools): HandleValue {
  const schema = call.arguments
    .map((each) => tools.fields(each)?.get("schema"))
    .find((each) => each !== undefined);
  const data: Client = { kind: "client", ...(schema && { schema }) };
  return tools.handle("db", data, tools.connection(true));
}

function transaction(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [callback, options] = call.arguments;
  if (!callback) return undefined;
  const fields = options && tools.fields(options);
  const connection = ownConnection(handle.connection, tools);
  const inner = tools.handle("db", handle.data, connection);
  const { source } = call;
  const own = { source, isNested: true, ...levelOf(fields?.get("isolationLevel")) };
  return tools.inTransaction(connection, own, () =>
    tools.settle(tools.call(callback, [inner], source)),
  );
}

/** `sql`...``: columns and tables by their names, all else as values. */
function template({ text }: Template, tools: Tools): Value {
  const parts: readonly TextPart[] = text.kind === "text" ? text.parts : [];
  const own = parts.flatMap((part) =>
    part.kind === "hole" ? fragment(part.value, tools) : [part],
  );
  return tools.handle("part", { kind: "part", text: own } satisfies Part);
}

const STARTS: Readonly<Record<string, Draft["verb"] | undefined>> = {
  "db.select": "select",
  "db.selectDistinct": "select",
  "db.insert": "insert",
  "db.update": "update",
  "db.delete": "delete",
};

function start(handle: HandleValue, verb: Draft["verb"], call: Call, tools: Tools): Value {
  const [first] = call.arguments;
  const table = first?.kind === "handle" && isTable(first.data) ? first.data : undefined;
  const name = table === undefined ? raw("?") : raw(quoted(table.name, tools.dialect));
  const query: Query = {
    kind: "query",
    draft: { ...draftOf(verb, name), isDistinct: handle.path === "db.selectDistinct" },
    ...(table && { table }),
    ...(verb === "select" && first && { fields: first }),
    returns: verb === "select" ? "rows" : "count",
    source: call.source,
  };
  return { ...handle, path: "query", data: query };
}

export const DRIZZLE: Library = {
  name: "drizzle-orm",
  modules: [
    "drizzle-orm",
    ..."sql sql/expressions expressions pg-core mysql-core sqlite-core node-postgres postgres-js mysql2 neon-http neon-serverless vercel-postgres planetscale-serverless better-sqlite3 libsql libsql/http libsql/web pglite d1 bun-sql bun-sqlite xata-http aws-data-api/pg tidb-serverless pg-proxy mysql-proxy sqlite-proxy expo-sqlite op-sqlite durable-sqlite sql-js"
      .split(" ")
      .map((name) => `drizzle-orm/${name}`),
  ],
  imported: (name, _module, tools) => (name === "*" ? undefined : tools.handle(name)),
  typed: (type, tools) => {
    if (/^(?:NodePg|PostgresJs|MySql2|Neon\w*|Vercel\w*|Pg)Database$/u.test(type)) {
      return tools.handle("db", { kind: "client" }, tools.connection(true));
    }
    return /Transaction$/u.test(type)
      ? tools.handle("db", { kind: "client" }, tools.connection(false))
      : undefined;
  },
  member: (handle, property, tools) => {
    const { data, path } = handle;
    if (path === COLUMN_TYPES) return tools.handle(property);
    if (!isTable(data)) return undefined;
    const column = data.columns.get(property);
    return column && tools.handle("column", column);
  },
  asks: (call, { used }) => asksBuilder(call, "drizzle-orm", used),
  isTable,
  shaped: drizzleShape,
  joined: oneQuery(isQuery),
  tagged: (handle, made, tools) => (handle.path === "sql" ? template(made, tools) : undefined),
  awaited: (handle, tools) => {
    if (isQuery(handle.data)) return run(handle, handle.data, tools);
    return undefined;
  },
  declares: (declared, tools) =>
    declared.kind === "handle" && isTable(declared.data)
      ? schemaTable(declared.data, tools)
      : undefined,
  call: (handle, call, tools) => {
    const { path, data } = handle;
    if (isQuery(data)) {
      const method = path.split(".").at(-1) ?? "";
      if (method === "execute" || method === "then" || method === "all" || method === "get") {
        const value = run(handle, data, tools);
        const [first] = call.arguments;
        return first && method === "then" ? tools.call(first, [value], call.source) : value;
      }
      const next = extended(data, method, call, tools);
      if (next) return { ...handle, path: "query", data: next };
      const why = `drizzle-orm: ${method}() of a query is not known`;
      return runUnread(data.draft, why, handle.connection, data.source, tools);
    }
    const verb = STARTS[path];
    if (verb !== undefined) return start(handle, verb, call, tools);
    switch (path) {
      case "drizzle":
        return client(call, tools);
      case "db.transaction":
        return transaction(handle, call, tools);
      case "db.execute": {
        const [first] = call.arguments;
        if (!first) return undefined;
        const text: Value = { kind: "text", parts: fragment(first, tools) };
        const outcome = tools.sql(handle.connection, text, {}, call.source);
        return tools.object({ rows: rowsOf(outcome, tools), rowCount: outcome.count });
      }
      case "db.$count":
        return counted(handle, call, tools);
      case "db.rollback":
        tools.require({ kind: "literal", value: false, type: "bool" }, "ROLLBACK", call.source);
        return UNDEFINED;
      case "relations":
        return tools.handle(path);
      case "sql.raw": {
        const [first] = call.arguments;
        return tools.handle("part", {
          kind: "part",
          text: first?.kind === "text" ? first.parts : [],
        } satisfies Part);
      }
      default:
    }
    if (path.startsWith("db.query.")) return relational(handle, call, tools);
    return (
      keyDeclaration(handle, call, tools) ??
      declaration(handle, call, tools) ??
      operator(path, call, tools)
    );
  },
};
