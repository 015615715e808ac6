// postgres.js: the tagged template that is the connection, and `sql.begin`.
import { constantText, UNDEFINED, type HandleValue, type Value } from "../values";
import type { Call, Library, Template, Tools } from "./library";
import { parametersIn, rowsOf } from "./rawSql";

/** A query that runs when it is awaited. */
function query(handle: HandleValue, { text, source }: Template, tools: Tools): Value {
  return {
    kind: "deferred",
    run: () => {
      const outcome = tools.sql(handle.connection, text, {}, source);
      return rowsOf(outcome, tools);
    },
  };
}

/** `sql.begin([options,] async (sql) => ...)`. */
function begin(call: Call, tools: Tools): Value {
  const [first, second] = call.arguments;
  const callback = second ?? first;
  if (!callback) return UNDEFINED;
  const options = second ? constantText(first) : undefined;
  const level = /isolation\s+level\s+(.+)$/iu.exec(options ?? "")?.[1];
  const connection = tools.connection(false);
  const inner = tools.handle("sql", undefined, connection);
  const { source } = call;
  return tools.inTransaction(connection, { source, ...(level !== undefined && { level }) }, () =>
    tools.settle(tools.call(callback, [inner], source)),
  );
}

export const POSTGRES_JS: Library = {
  name: "postgres",
  modules: ["postgres"],
  imported: (name) => (name === "default" ? undefined : UNDEFINED),
  typed: (type, tools) => {
    switch (type.replace(/^postgres\./u, "")) {
      case "Sql":
        return tools.handle("sql", undefined, tools.connection(true));
      case "TransactionSql":
        return tools.handle("sql", undefined, tools.connection(false));
      default:
        return undefined;
    }
  },
  tagged: (handle, template, tools) =>
    handle.path === "sql" ? query(handle, template, tools) : undefined,
  call: (handle, call, tools) => {
    switch (handle.path) {
      case "postgres":
        return tools.handle("sql", undefined, tools.connection(true));
      case "sql.begin":
        return begin(call, tools);
      case "sql.unsafe": {
        const [text, values] = call.arguments;
        const outcome = tools.sql(
          handle.connection,
          text ?? UNDEFINED,
          parametersIn(values, tools),
          call.source,
        );
        return rowsOf(outcome, tools);
      }
      case "sql.end":
        return UNDEFINED;
      case "sql.json":
        return call.arguments[0] ?? UNDEFINED;
      default:
        return undefined;
    }
  },
};
