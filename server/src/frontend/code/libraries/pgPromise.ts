// pg-promise: methods that say how many rows they expect, and functions that run in tasks and transactions.
import { literal } from "../../sql/expressions";
import { compare } from "../../sql/terms";
import { UNDEFINED, type HandleValue, type Value } from "../values";
import type { Call, Library, SqlOutcome, Tools } from "./library";
import { parametersIn, rowsOf } from "./rawSql";

const QUERIES = /^(?:none|one|oneOrNone|many|manyOrNone|any|query|result)$/u;

export const PG_PROMISE: Library = {
  name: "pg-promise",
  modules: ["pg-promise"],
  typed: (type, tools) => {
    if (/(?:^|\.)IDatabase$/u.test(type)) return database(tools);
    return /(?:^|\.)ITask$/u.test(type)
      ? tools.handle("db", undefined, tools.connection(false))
      : undefined;
  },
  call: (handle, call, tools) => {
    if (handle.path === "pg-promise") return tools.handle("pgp");
    if (handle.path === "pgp") return database(tools);
    const method = /^db\.(\w+)$/u.exec(handle.path)?.[1];
    if (method === undefined) return undefined;
    if (QUERIES.test(method)) return query(handle, method, call, tools);
    return /^(?:tx|txIf|task|taskIf)$/u.test(method)
      ? inside(handle, method, call, tools)
      : undefined;
  },
};

function database(tools: Tools): HandleValue {
  return tools.handle("db", undefined, tools.connection(true));
}

function query(handle: HandleValue, method: string, call: Call, tools: Tools): Value {
  const [text = UNDEFINED, values] = call.arguments;
  // One value may stand for a list of one.
  const isOne = values !== undefined && (values.kind === "scalar" || values.kind === "text");
  const parameters =
    isOne ||
    (values?.kind === "input" &&
      !/\[\]|Array</u.test(values.type ?? "") &&
      !/\$2|\$[({<[/]/u.test(textIn(text)))
      ? { positional: [values] }
      : parametersIn(values, tools);
  const outcome = tools.sql(handle.connection, text, parameters, call.source);
  return expected(method, outcome, call, tools);
}

function textIn(value: Value): string {
  if (value.kind !== "text") return "";
  return value.parts.map((part) => (part.kind === "run" ? part.run.text : "")).join("");
}

function expected(method: string, outcome: SqlOutcome, call: Call, tools: Tools): Value {
  const rows = rowsOf(outcome, tools);
  if (method === "result") return tools.object({ rows, rowCount: outcome.count });
  if (method === "none") return UNDEFINED;
  if (outcome.rows && (method === "one" || method === "many")) {
    const size = { kind: "size", result: outcome.rows.result } as const;
    tools.require(compare(">", size, literal(0)), `${method}() found no row`, call.source);
  }
  return outcome.rows && method.startsWith("one") ? tools.firstRow(rows) : rows;
}

/** `db.tx([options,] async (t) => ...)`: on a connection of its own, in a transaction or not. */
function inside(handle: HandleValue, method: string, call: Call, tools: Tools): Value | undefined {
  const work = call.arguments.at(-1);
  if (work?.kind !== "function") return undefined;
  const { source } = call;
  const outer = handle.connection;
  const isOpen = outer?.isPool === false;
  const connection = isOpen ? outer : tools.connection(false);
  const run = (): Value =>
    tools.settle(tools.call(work, [tools.handle("db", undefined, connection)], source));
  if (method.endsWith("If")) tools.lose(`${method}() opens a transaction or not`, source, "opaque");
  if (method.startsWith("task")) return run();
  if (call.arguments.length > 1) {
    tools.lose(
      "the mode of this transaction is not read: its level may be another",
      source,
      "opaque",
    );
  }
  return tools.inTransaction(connection, { source, ...(isOpen && { isNested: true }) }, run);
}
