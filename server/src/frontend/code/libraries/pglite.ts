// PGlite: PostgreSQL as WASM, one connection, transactions by callback.
import { driver } from "./driver";
import { rowsOf } from "./rawSql";

export const PGLITE = driver(
  {
    name: "@electric-sql/pglite",
    modules: ["@electric-sql/pglite"],
    clients: {
      db: {
        kind: "pool",
        isPerhapsOne: true,
        types: ["PGlite", "PGliteInterface"],
        made: ["PGlite", "PGlite.create"],
      },
      tx: { kind: "connection", types: ["Transaction"] },
    },
    methods: {
      "db|tx: query": { kind: "sql", result: { rows: "rows", affectedRows: "count" } },
      "db|tx: exec": { kind: "sql", result: "nothing" },
      "db: transaction": { kind: "scope", client: "tx", isTransaction: true },
      "tx: rollback": { kind: "rollback" },
      "db: close listen unlisten waitReady": { kind: "nothing" },
    },
  },
  {
    tagged: ({ path, connection }, { text, source }, tools) => {
      if (path !== "db.sql" && path !== "tx.sql") return undefined;
      const outcome = tools.sql(connection, text, {}, source);
      return tools.object({ rows: rowsOf(outcome, tools), affectedRows: outcome.count });
    },
  },
);
