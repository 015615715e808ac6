// mssql (SQL Server): pools, transactions that are objects, and requests that collect their parameters by name.
import { constantText, UNDEFINED, type HandleValue, type Value } from "../values";
import { driver } from "./driver";
import { levelOf } from "./levels";
import type { Call, Tools } from "./library";
import { rowsOf } from "./rawSql";

export const MSSQL = driver(
  {
    name: "mssql",
    modules: ["mssql", "mssql/msnodesqlv8"],
    callbacks: true,
    clients: {
      pool: {
        kind: "pool",
        types: ["ConnectionPool"],
        made: ["mssql.connect", "connect", "mssql.ConnectionPool", "ConnectionPool"],
      },
      transaction: {
        kind: "connection",
        types: ["Transaction"],
        made: ["mssql.Transaction", "Transaction"],
      },
      request: { kind: "connection", types: ["Request"] },
    },
    methods: {
      "pool: connect": { kind: "itself" },
      "pool: transaction": { kind: "client", client: "transaction" },
      "transaction: commit": { kind: "commit" },
      "transaction: rollback": { kind: "rollback" },
      "pool|transaction|request: query batch": {
        kind: "sql",
        result: { recordset: "rows", recordsets: ["rows"], rowsAffected: ["count"] },
      },
      "mssql|pool|transaction|request: close on cancel": { kind: "nothing" },
    },
  },
  {
    query: ({ path, data }, { arguments: [text = UNDEFINED] }, tools) => {
      const inputs = path.startsWith("request.") ? inputsIn(data) : undefined;
      return {
        text,
        parameters: inputs ? { named: (name) => tools.fields(inputs)?.get(name) } : {},
      };
    },
    call: (handle, call, tools) => {
      const { path } = handle;
      if (/^(?:mssql\.|(?:pool|transaction)\.)?request$/iu.test(path)) {
        return request(handle, call, tools);
      }
      if (path === "request.input") return input(handle, call, tools);
      if (path === "request.output") return { ...handle, path: "request" };
      if (path !== "transaction.begin") return undefined;
      const [level] = call.arguments;
      const asked = level?.kind === "function" ? {} : levelOf(level);
      tools.begin(handle.connection, { source: call.source, ...asked });
      return UNDEFINED;
    },
    // A query whose text is a template, on the pool of the module or of a client.
    tagged: ({ path, connection }, { text, source }, tools) => {
      if (!/(?:^|\.)query$/u.test(path)) return undefined;
      const outcome = tools.sql(connection ?? tools.connection(true), text, {}, source);
      const rows = rowsOf(outcome, tools);
      return tools.object({ recordset: rows, rowsAffected: tools.list([outcome.count]) });
    },
  },
);

/** `new Request(transaction)`, `pool.request()`: its parameters are a record of the code, which branches may fill. */
function request({ connection }: HandleValue, call: Call, tools: Tools): HandleValue {
  const [on] = call.arguments;
  const given = on?.kind === "handle" ? on.connection : undefined;
  return tools.handle("request", tools.object({}), given ?? connection ?? tools.connection(true));
}

/** `request.input(name, [type,] value)`. */
function input(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const name = constantText(call.arguments[0]);
  const value = call.arguments.at(-1);
  const inputs = inputsIn(handle.data);
  if (name === undefined || !value || !inputs) return undefined;
  tools.assign(inputs, name, value);
  return { ...handle, path: "request" };
}

function inputsIn(data: unknown): Value | undefined {
  const isRecord = typeof data === "object" && data !== null && "kind" in data;
  // Only `request` gives handles data, and that is a record of the code.
  return isRecord && data.kind === "object" ? (data as Value) : undefined;
}
