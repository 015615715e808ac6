// mysql2 (and mysql): pools, connections, transactions by method, `[rows, fields]`.
import { dictionary } from "../../../protocol/dictionary";
import { constantText, isArray, UNDEFINED, unknown, type HandleValue, type Value } from "../values";
import { given as hole, raw, separated, sequence, type Fragment } from "./builders/draft";
import type { Call, Library, SqlOutcome, Tools } from "./library";
import { calledBack, withoutCallback } from "./callback";
import { queryOf, rowsOf, asksConnection, shapedConnection } from "./rawSql";

const METHODS = new Set(["query", "execute"]);

const CALLS = dictionary<(handle: HandleValue, call: Call, tools: Tools) => Value | undefined>({
  createPool: (_handle, _call, tools) => tools.handle("pool", undefined, tools.connection(true)),
  createConnection: (_handle, _call, tools) =>
    tools.handle("connection", undefined, tools.connection(false)),
  "mysql2.createPool": (_handle, _call, tools) =>
    tools.handle("pool", undefined, tools.connection(true)),
  "mysql2.createConnection": (_handle, _call, tools) =>
    tools.handle("connection", undefined, tools.connection(false)),
  "pool.getConnection": (_handle, call, tools) => {
    const connection = tools.handle("connection", undefined, tools.connection(false));
    return calledBack(call, [connection], tools) ?? connection;
  },
  "pool.promise": (handle) => ({ ...handle, path: "pool" }),
  "connection.promise": (handle) => ({ ...handle, path: "connection" }),
  "pool.query": query,
  "pool.execute": query,
  "connection.query": query,
  "connection.execute": query,
  "connection.beginTransaction": (handle, call, tools) => {
    tools.begin(handle.connection, { source: call.source });
    return calledBack(call, [], tools) ?? UNDEFINED;
  },
  "connection.commit": (handle, call, tools) => {
    tools.commit(handle.connection, call.source);
    return calledBack(call, [], tools) ?? UNDEFINED;
  },
  "connection.rollback": (handle, call, tools) => {
    tools.rollback(handle.connection, call.source);
    return calledBack(call, [], tools) ?? UNDEFINED;
  },
  "connection.connect": (_handle, call, tools) => calledBack(call, [], tools) ?? UNDEFINED,
  "connection.ping": (_handle, call, tools) => calledBack(call, [], tools) ?? UNDEFINED,
  ...nothing("pool.end pool.on connection.release connection.end connection.destroy connection.on"),
});

function nothing(paths: string) {
  return Object.fromEntries(paths.split(" ").map((path) => [path, () => UNDEFINED]));
}

/** `[rows, fields]`, or of a change `[{ affectedRows, insertId }]`. */
function query(handle: HandleValue, call: Call, tools: Tools): Value {
  const own = withoutCallback(call);
  const { text, parameters } = written(handle, queryOf(own, tools), own, tools);
  const outcome = tools.sql(handle.connection, text, parameters, call.source);
  const result = [outcomeOf(outcome, tools), unknown("the fields of a result")];
  return calledBack(call, result, tools) ?? tools.list(result);
}

/**
 * The text and its parameters as the client sends them: `query` spells out records (`SET ?`) and lists (`IN (?)`), and
 * takes a single value for a list of one.
 */
function written(
  { path }: HandleValue,
  given: ReturnType<typeof queryOf>,
  { arguments: [, second] }: Call,
  tools: Tools,
): ReturnType<typeof queryOf> {
  if (second?.kind === "scalar" || second?.kind === "text") {
    return { ...given, parameters: { positional: [second] } };
  }
  const pieces = constantText(given.text)?.split("?");
  const isOne = second?.kind === "object" && pieces?.length === 2;
  const positional = isOne ? [second] : given.parameters.positional;
  const isSpelledOut =
    path.endsWith(".query") && pieces && positional?.length === pieces.length - 1;
  if (!isSpelledOut) return given;
  const texts = positional.map((value) => spelledOut(value, tools));
  if (texts.every((each) => each === undefined)) return given;
  const parts = pieces.flatMap((piece, at) => {
    const value = positional[at];
    return value ? sequence(piece, texts[at] ?? hole(value)) : raw(piece);
  });
  return { text: { kind: "text", parts }, parameters: {} };
}

/** A record or list as text; undefined of all else. */
function spelledOut(value: Value, tools: Tools): Fragment | undefined {
  const fields = value.kind === "object" ? tools.fields(value) : undefined;
  if (fields) {
    const set = [...fields].map(([name, each]) => sequence(`\`${name}\` = `, hole(each)));
    return separated(set, ", ");
  }
  if (value.kind !== "list" && !isArray(value)) return undefined;
  const items = tools.members(value);
  if (!items) return undefined;
  const inner = items.map((item) => {
    const own = tools.items(item);
    return own ? sequence("(", separated(own.map(hole), ", "), ")") : hole(item);
  });
  return separated(inner, ", ");
}

function outcomeOf(outcome: SqlOutcome, tools: Tools): Value {
  if (outcome.kind === "select") return rowsOf(outcome, tools);
  return tools.object({
    affectedRows: outcome.count,
    changedRows: outcome.count,
    insertId: outcome.insertId ?? unknown("the number that an INSERT made"),
  });
}

export const MYSQL2: Library = {
  name: "mysql2",
  modules: ["mysql2", "mysql2/promise", "mysql", "promise-mysql", "mariadb"],
  typed: (type, tools) => {
    switch (type.replace(/^mysql\./u, "")) {
      case "Pool":
        return tools.handle("pool", undefined, tools.connection(true));
      case "PoolConnection":
      case "Connection":
        return tools.handle("connection", undefined, tools.connection(false));
      default:
        return undefined;
    }
  },
  call: (handle, call, tools) => CALLS[handle.path]?.(handle, call, tools),
  asks: (call) => asksConnection(call, METHODS),
  shaped: (shape, tools) => {
    if (tools.dialect !== "mysql" && tools.dialect !== "mariadb") return undefined;
    const path = (isPool: boolean): string => (isPool ? "pool" : "connection");
    return shapedConnection(shape, { library: "mysql2", methods: METHODS, path }, tools);
  },
};
