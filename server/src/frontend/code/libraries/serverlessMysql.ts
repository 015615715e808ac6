// serverless-mysql: one connection of mysql2, and transactions whose statements are collected and sent by `commit()`.
import { isNull, UNDEFINED, unknown, type HandleValue, type Value } from "../values";
import { kindGuard } from "./kindGuard";
import { isMutable, mutableQuery, onEach, setQuery, type QueryKind } from "./builders/mutableQuery";
import { driver } from "./driver";
import type { Call, Tools } from "./library";
import { mysqlQuery } from "./mysql2";

/** The statements of a transaction so far: the arguments of each, or a function that gives them. */
interface Collected {
  readonly kind: "collected";
  readonly calls: readonly Call[];
}

const COLLECTED: QueryKind<Collected> = {
  isQuery: kindGuard<Collected>("collected"),
  phi: () => undefined,
};

export const SERVERLESS_MYSQL = driver(
  {
    name: "serverless-mysql",
    modules: ["serverless-mysql"],
    clients: {
      db: { kind: "connection", types: ["ServerlessMysql"], made: ["serverless-mysql"] },
    },
    methods: {
      "db: query": {
        kind: "sql",
        result: "rows",
        changed: { affectedRows: "count", changedRows: "count", insertId: "insertId" },
      },
      "db: connect config end quit changeUser": { kind: "nothing" },
      "transaction: rollback": { kind: "itself" },
    },
    duckTyped: {
      methods: ["query"],
      dialects: ["mysql", "mariadb"],
      pool: "db",
      connection: "db",
    },
  },
  {
    query: mysqlQuery,
    call: (handle, call, tools) => {
      const { path, data, connection } = handle;
      if (path === "db.transaction") {
        const none: Collected = { kind: "collected", calls: [] };
        return tools.handle("transaction", mutableQuery(none, tools), connection);
      }
      if (!isMutable(data)) return undefined;
      const self: HandleValue = { ...handle, path: "transaction" };
      return onEach(data, COLLECTED, tools, (collected) => {
        if (path === "transaction.commit") return commit(handle, collected, call, tools);
        setQuery(data, { ...collected, calls: [...collected.calls, call] }, tools);
        return self;
      });
    },
  },
);

/** `commit()`: begins, sends what was collected, and commits. A function gets the last result and all of them. */
function commit(handle: HandleValue, { calls }: Collected, { source }: Call, tools: Tools): Value {
  const connection = handle.connection ?? tools.connection(false);
  const query: HandleValue = { ...handle, path: "db.query" };
  return tools.inTransaction(connection, { source }, () => {
    const results: Value[] = [];
    for (const { arguments: args, ...call } of calls) {
      const [first] = args;
      const inputs = [results.at(-1) ?? UNDEFINED, tools.list(results)];
      const given = first?.kind === "function" ? tools.settle(tools.call(first, inputs, call.source)) : tools.list(args); // prettier-ignore
      results.push(sent(given, query, call, tools));
    }
    return tools.list(results);
  });
}

/** The result of a statement by the list of its arguments; nothing is sent where a function gives none. */
function sent(given: Value, query: HandleValue, of: Omit<Call, "arguments">, tools: Tools): Value {
  if (given.kind === "choice") {
    const way = (each: Value) => (): Value => sent(each, query, of, tools);
    return tools.either(given.condition, way(given.then), way(given.otherwise));
  }
  if (given.kind === "undefined" || isNull(given)) return tools.list([]);
  const own = tools.items(given);
  const result = own && SERVERLESS_MYSQL.call(query, { ...of, arguments: own }, tools);
  if (!result) tools.lose("the arguments of a statement are not known", of.source, "opaque");
  return result ?? unknown("what a statement of a transaction gives");
}
