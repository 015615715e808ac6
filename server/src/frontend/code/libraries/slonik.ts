// Slonik: queries are made by tags (`sql.type(t)`, `sql.unsafe`) and run by methods that say how many rows they expect.
import { literal } from "../../sql/expressions";
import { compare } from "../../sql/terms";
import {
  constantText,
  scalar,
  textOf,
  UNDEFINED,
  unknown,
  type HandleValue,
  type Value,
} from "../values";
import { quoted } from "./builders/draft";
import type { Call, Library, SqlOutcome, Tools } from "./library";
import { rowsOf } from "./rawSql";
import { joinedText, splicedText } from "./splices";
import { ownConnection } from "./ownConnection";

const POOLS = /^DatabasePool$/u;
const CONNECTIONS =
  /^(?:CommonQueryMethods|DatabaseConnection|DatabasePoolConnection|DatabaseTransactionConnection)$/u;
const TAGS = /^sql\.(?:unsafe|fragment|type|typeAlias)$/u;
const QUERIES =
  /^db\.(query|any|many|one|maybeOne|anyFirst|manyFirst|oneFirst|maybeOneFirst|exists)$/u;

export const SLONIK: Library = {
  name: "slonik",
  modules: ["slonik"],
  typed: (type, tools) => {
    if (POOLS.test(type)) return database(tools, true);
    return CONNECTIONS.test(type) ? database(tools, false) : undefined;
  },
  tagged: ({ path }, { text }, tools) =>
    TAGS.test(path) || path === "sql"
      ? tools.handle("text", splicedText(text, innerText))
      : undefined,
  call: (handle, call, tools) => {
    const { path } = handle;
    if (path === "createPool") return database(tools, true);
    if (path === "createSqlTag") return tools.handle("sql");
    if (path === "sql.type" || path === "sql.typeAlias") return tools.handle(path);
    if (path.startsWith("sql.")) return made(path, call, tools);
    if (QUERIES.test(path)) return query(handle, call, tools);
    if (path === "db.connect" || path === "db.transaction") return inside(handle, call, tools);
    return path === "db.end" ? UNDEFINED : undefined;
  },
};

function database(tools: Tools, isPool: boolean): HandleValue {
  return tools.handle("db", undefined, tools.connection(isPool));
}

/** The text that a tag made. */
function innerText(value: Value): Value | undefined {
  // Only tags and `made` make handles of this path, and their data is a text's value.
  return isText(value) ? (value.data as Value) : undefined;
}

function isText(value: Value): value is HandleValue {
  return value.kind === "handle" && value.library === SLONIK && value.path === "text";
}

/** Parts of texts that functions make. */
function made(path: string, { arguments: [first, second] }: Call, tools: Tools): Value | undefined {
  if (first === undefined) return undefined;
  const items = tools.items(first);
  switch (path) {
    case "sql.identifier": {
      const names = items?.map(constantText);
      if (!names?.every((each) => each !== undefined)) return undefined;
      const name = names.map((each) => quoted(each, tools.dialect)).join(".");
      return tools.handle("text", textOf(name));
    }
    case "sql.join":
      return items && second && tools.handle("text", joinedText(items, second, innerText));
    case "sql.array":
    case "sql.json":
    case "sql.jsonb":
    case "sql.literalValue":
    case "sql.date":
    case "sql.timestamp":
    case "sql.uuid":
      return first;
    default:
      return undefined;
  }
}

function query(handle: HandleValue, call: Call, tools: Tools): Value {
  const [given = UNDEFINED] = call.arguments;
  const text = splicedText(given, innerText);
  const method = handle.path.slice("db.".length);
  const outcome = tools.sql(handle.connection, text, {}, call.source);
  return expected(method, outcome, call, tools);
}

function expected(method: string, outcome: SqlOutcome, call: Call, tools: Tools): Value {
  const rows = rowsOf(outcome, tools);
  if (method === "query") return tools.object({ rows, rowCount: outcome.count });
  if (!outcome.rows) return rows;
  const found = compare(">", { kind: "size", result: outcome.rows.result }, literal(0));
  if (method === "exists") return scalar(found, "bool");
  if (/^(?:one|many)/u.test(method)) {
    tools.require(found, `${method}() found no row`, call.source);
  }
  if (/^(?:any|many)First$/u.test(method))
    return unknown("one column of rows", [tools.expression(rows)]);
  const isOne = /^(?:one|maybeOne)/u.test(method);
  const row = isOne ? tools.firstRow(rows) : rows;
  if (!method.endsWith("First")) return row;
  const [only, ...others] = outcome.rows.columns.order;
  if (only !== undefined && others.length === 0) return tools.member(row, only);
  return unknown("the only column of a row", [tools.expression(row)]);
}

/** `connect` and `transaction` run a function on a connection of its own, the second one in a transaction. */
function inside(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [work] = call.arguments;
  if (work?.kind !== "function") return undefined;
  const { source } = call;
  const connection = ownConnection(handle.connection, tools);
  const run = (): Value =>
    tools.settle(tools.call(work, [tools.handle("db", undefined, connection)], source));
  if (handle.path === "db.connect") return run();
  return tools.inTransaction(connection, { source, isNested: true }, run);
}
