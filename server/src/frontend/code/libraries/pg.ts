// node-postgres: pools, clients, and the rows of `query`.
import { UNDEFINED, type HandleValue, type Value } from "../values";
import type { Call, Library, Template, Tools } from "./library";
import { NEON } from "./neon";
import { calledBack, withoutCallback } from "./callback";
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
  "pool.connect": connected,
  "client.connect": (_handle, call, tools) => calledBack(call, [], tools) ?? UNDEFINED,
  createPool: (_handle, _call, tools) => tools.handle("pool", undefined, tools.connection(true)),
  createClient: (_handle, _call, tools) =>
    tools.handle("client", undefined, tools.connection(false)),
  "pool.query": query,
  "client.query": query,
  ...nothing("pool.on pool.end client.release client.end client.on"),
};

function nothing(paths: string) {
  return Object.fromEntries(paths.split(" ").map((path) => [path, () => UNDEFINED]));
}

/** `{ rows, rowCount }`; a pool runs each query on a connection of its own. */
function query(handle: HandleValue, call: Call, tools: Tools): Value {
  const { text, parameters } = queryOf(withoutCallback(call), tools);
  const outcome = tools.sql(handle.connection, text, parameters, call.source);
  const result = tools.object({ rows: rowsOf(outcome, tools), rowCount: outcome.count });
  return calledBack(call, [result], tools) ?? result;
}

function connected(_handle: HandleValue, call: Call, tools: Tools): Value {
  const client = tools.handle("client", undefined, tools.connection(false));
  const release: Value = { kind: "external", name: "release" };
  return calledBack(call, [client, release], tools) ?? client;
}

/** `sql` of @vercel/postgres, and of its clients and pools: a query whose text is a template. */
function tagged(handle: HandleValue, { text, source }: Template, tools: Tools): Value | undefined {
  if (!/^(?:pool|(?:pool|client)\.sql)$/u.test(handle.path)) return undefined;
  const outcome = tools.sql(handle.connection, text, {}, source);
  return tools.object({ rows: rowsOf(outcome, tools), rowCount: outcome.count });
}

function imported(name: string, module: string, tools: Tools): Value | undefined {
  if (name === "neon") return { kind: "handle", library: NEON, path: name };
  if (module !== "@vercel/postgres" || (name !== "sql" && name !== "db")) return undefined;
  return tools.handle("pool", undefined, tools.connection(true));
}

export const PG: Library = {
  name: "pg",
  modules: ["pg", "pg-pool", "@neondatabase/serverless", "@vercel/postgres"],
  imported,
  tagged,
  typed: (type, tools) => {
    switch (type.replace(/^pg\./u, "")) {
      case "Pool":
      case "VercelPool":
        return tools.handle("pool", undefined, tools.connection(true));
      case "PoolClient":
      case "Client":
      case "ClientBase":
      case "VercelClient":
      case "VercelPoolClient":
        return tools.handle("client", undefined, tools.connection(false));
      case "NeonQueryFunction":
        return { kind: "handle", library: NEON, path: "sql", connection: tools.connection(true) };
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
