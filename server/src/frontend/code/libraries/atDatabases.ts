// @databases: queries are made by one tag, `tx` and `task` run functions on a connection of their own.
import { driver } from "./driver";
import { tagHooks } from "./tags";

export const AT_DATABASES = driver(
  {
    name: "@databases",
    modules: ["@databases/pg", "@databases/mysql", "@databases/sqlite", "@databases/sqlite-sync"],
    clients: {
      db: {
        kind: "pool",
        isPerhapsOne: true,
        types: ["ConnectionPool", "Queryable", "DatabaseConnection"],
        made: ["@databases", "createConnectionPool", "connect"],
      },
      connection: { kind: "connection", as: "db", types: ["Connection", "Transaction"] },
    },
    methods: {
      "db: query": { kind: "sql", result: "rows" },
      "db: task": { kind: "scope", client: "db", isTransaction: false },
      "db: tx": {
        kind: "scope",
        client: "db",
        isTransaction: true,
        isNested: true,
        level: "isolationLevel",
      },
      "db: dispose addPostCommitStep": { kind: "nothing" },
    },
  },
  tagHooks({
    tags: ["sql", "@databases.sql", "db.sql"],
    identifiers: ["sql.ident", "db.sql.ident"],
    joins: ["sql.join", "db.sql.join"],
    values: ["sql.value", "db.sql.value"],
  }),
);
