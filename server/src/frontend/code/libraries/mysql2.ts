// mysql2 (and mysql): pools, connections, transactions by method, `[rows, fields]`.
import { UNDEFINED, unknown, type HandleValue, type Value } from "../values";
import type { Call, Library, SqlOutcome, Tools } from "./library";
import { queryOf, rowsOf, shapedConnection } from "./rawSql";

const METHODS = new Set(["query", "execute"]);

const CALLS: Readonly<
  Record<string, (handle: HandleValue, call: Call, tools: Tools) => Value | undefined>
> = {
  createPool: (_handle, _call, tools) => tools.handle("pool", undefined, tools.connection(true)),
  createConnection: (_handle, _call, tools) =>
    tools.handle("connection", undefined, tools.connection(false)),
  "mysql2.createPool": (_handle, _call, tools) =>
    tools.handle("pool", undefined, tools.connection(true)),
  "mysql2.createConnection": (_handle, _call, tools) =>
    tools.handle("connection", undefined, tools.connection(false)),
  "pool.getConnection": (_handle, _call, tools) =>
    tools.handle("connection", undefined, tools.connection(false)),
  "pool.promise": (handle) => ({ ...handle, path: "pool" }),
  "connection.promise": (handle) => ({ ...handle, path: "connection" }),
  "pool.query": query,
  "pool.execute": query,
  "connection.query": query,
  "connection.execute": query,
  "connection.beginTransaction": (handle, { source }, tools) => {
    tools.begin(handle.connection, { source });
    return UNDEFINED;
  },
  "connection.commit": (handle, { source }, tools) => {
    tools.commit(handle.connection, source);
    return UNDEFINED;
  },
  "connection.rollback": (handle, { source }, tools) => {
    tools.rollback(handle.connection, source);
    return UNDEFINED;
  },
  ...nothing(
    "pool.end pool.on connection.release connection.end connection.destroy connection.connect connection.on",
  ),
};

function nothing(paths: string) {
  return Object.fromEntries(paths.split(" ").map((path) => [path, () => UNDEFINED]));
}

/** `[rows, fields]`, or of a change `[{ affectedRows, insertId }]`. */
function query(handle: HandleValue, call: Call, tools: Tools): Value {
  const { text, parameters } = queryOf(call, tools);
  const outcome = tools.sql(handle.connection, text, parameters, call.source);
  return tools.list([outcomeOf(outcome, tools), unknown("the fields of a result")]);
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
  shaped: (shape, tools) => {
    if (tools.dialect !== "mysql" && tools.dialect !== "mariadb") return undefined;
    const path = (isPool: boolean): string => (isPool ? "pool" : "connection");
    return shapedConnection(shape, { library: "mysql2", methods: METHODS, path }, tools);
  },
};
