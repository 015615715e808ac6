// `neon(url)` of @neondatabase/serverless, whose pools are those of `pg`: it sends each statement, or a list of them in
// one transaction, by HTTP.
import { UNDEFINED, unknown, type Connection, type HandleValue, type Value } from "../values";
import { levelOf } from "./levels";
import type { Call, Library, Tools } from "./library";
import { parametersIn, rowsOf } from "./rawSql";
import { splicedText } from "./splices";

/** A statement that waits to be awaited, to be a part of another one, or to run in a transaction. */
interface Waiting {
  readonly text: Value;
  readonly runOn: (connection: Connection | undefined) => Value;
}

function waitingOf(value: Value): Waiting | undefined {
  const data = value.kind === "deferred" ? value.data : undefined;
  const isOne = typeof data === "object" && data !== null && "runOn" in data && "text" in data;
  // `waiting` is what makes values with these.
  return isOne ? (data as Waiting) : undefined;
}

function waiting(
  handle: HandleValue,
  text: Value,
  parameters: Value | undefined,
  source: Call["source"],
  tools: Tools,
): Value {
  const whole = splicedText(text, (value) => waitingOf(value)?.text);
  const runOn = (connection: Connection | undefined): Value => {
    const outcome = tools.sql(connection, whole, parametersIn(parameters, tools), source);
    const rows = rowsOf(outcome, tools);
    return handle.data === FULL ? tools.object({ rows, rowCount: outcome.count }) : rows;
  };
  const data: Waiting = { text: whole, runOn };
  return { kind: "deferred", data, run: () => runOn(handle.connection) };
}

/** The mark of clients whose results are more than rows. */
const FULL = "full";

export const NEON: Library = {
  name: "neon",
  modules: [],
  tagged: (handle, { text, source }, tools) =>
    handle.path === "sql" ? waiting(handle, text, undefined, source, tools) : undefined,
  call: (handle, call, tools) => {
    const [first = UNDEFINED, second] = call.arguments;
    switch (handle.path) {
      case "neon": {
        const isFull = second && tools.fields(second)?.has("fullResults") === true;
        return tools.handle("sql", isFull ? FULL : undefined, tools.connection(true));
      }
      case "sql":
      case "sql.query":
        return waiting(handle, first, second, call.source, tools);
      case "sql.unsafe":
        return {
          kind: "deferred",
          run: () => UNDEFINED,
          data: { text: first, runOn: () => UNDEFINED },
        };
      case "sql.transaction":
        return transaction(handle, first, second, call, tools);
      default:
        return undefined;
    }
  },
};

/** Its statements are made before any of them is sent. */
function transaction(
  handle: HandleValue,
  given: Value,
  options: Value | undefined,
  { source }: Call,
  tools: Tools,
): Value {
  const connection = tools.connection(false);
  const level = levelOf(options && tools.fields(options)?.get("isolationLevel"));
  const client: HandleValue = { ...handle, path: "sql", connection };
  const one = (item: Value): Value => waitingOf(item)?.runOn(connection) ?? tools.settle(item);
  return tools.inTransaction(connection, { source, ...level }, () => {
    if (given.kind === "function") return tools.settle(tools.call(given, [client], source));
    const items = tools.items(given);
    if (items) return tools.list(items.map(one));
    tools.each(given, source, one);
    return unknown("what the statements of a list give");
  });
}
