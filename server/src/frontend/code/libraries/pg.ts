// node-postgres: pools, clients, and the rows of `query`.
import { UNDEFINED, type HandleValue, type Value } from "../values";
import type { Call, Library, Tools } from "./library";
import { queryOf, rowsOf, shapedConnection } from "./rawSql";

const METHODS = new Set(["query"]);

/** What a path of the library does when it is called. */
const CALLS: Readonly<
  Record<string, (handle: HandleValue, call: Call, tools: Tools) => Value | undefined>
> = {
  Pool: (_handle, _call, tools) => tools.handle("pool", undefined, tools.connection(true)),
  Client: (_handle, _call, tools) => tools.handle("client", undefined, tools.connection(false)),
  "pg.Pool": (_handle, _call, tools) => tools.handle("pool", undefined, tools.connection(true)),
  "pg.Client": (_handle, _call, tools) =>
    tools.handle("client", undefined, tools.connection(false)),
  "pool.connect": (_handle, _call, tools) =>
    tools.handle("client", undefined, tools.connection(false)),
  "pool.query": query,
  "client.query": query,
  ...nothing("pool.on pool.end client.connect client.release client.end client.on"),
};

function nothing(paths: string) {
  return Object.fromEntries(paths.split(" ").map((path) => [path, () => UNDEFINED]));
}

/** `{ rows, rowCount }`; a pool runs each query on a connection of its own. */
function query(handle: HandleValue, call: Call, tools: Tools): Value {
  const { text, parameters } = queryOf(call, tools);
  const outcome = tools.sql(handle.connection, text, parameters, call.source);
  return tools.object({ rows: rowsOf(outcome, tools), rowCount: outcome.count });
}

export const PG: Library = {
  name: "pg",
  modules: ["pg", "pg-pool", "@neondatabase/serverless", "@vercel/postgres"],
  typed: (type, tools) => {
    switch (type.replace(/^pg\./u, "")) {
      case "Pool":
        return tools.handle("pool", undefined, tools.connection(true));
      case "PoolClient":
      case "Client":
      case "ClientBase":
        return tools.handle("client", undefined, tools.connection(false));
      default:
        return undefined;
    }
  },
  extended: (superclass, tools) =>
    superclass === "Pool" || superclass === "pg.Pool"
      ? tools.handle("pool", undefined, tools.connection(true))
      : undefined,
  call: (handle, call, tools) => CALLS[handle.path]?.(handle, call, tools),
  shaped: (shape, tools) => {
    if (tools.dialect !== "postgres") return undefined;
    const path = (isPool: boolean): string => (isPool ? "pool" : "client");
    return shapedConnection(shape, { library: "pg", methods: METHODS, path }, tools);
  },
};
