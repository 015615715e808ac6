// SQLite's drivers: better-sqlite3, those of Bun and Node, sqlite3 and its promises, libSQL.
import { driver } from "./driver";
import type { DriverModel, Effect } from "./driverModel";

const CHANGED = { changes: "count", lastInsertRowid: "insertId" } as const;

const query = (result: "rows" | "row" | "value" | "values"): Effect => ({
  kind: "sql",
  result,
  parameters: "rest",
});

const STATEMENTS: DriverModel["methods"] = {
  "statement: get": query("row"),
  "statement: all iterate": query("rows"),
  "plucked: get": query("value"),
  "plucked: all iterate": query("values"),
  "statement|plucked: run": {
    kind: "sql",
    result: CHANGED,
    parameters: "rest",
  },
  // Values that `bind` keeps are not followed.
  "statement: safeIntegers setReadBigInts finalize": { kind: "itself" },
  "statement: pluck": { kind: "itself", client: "plucked" },
};

/** A database that is one connection, and prepares statements. */
const database = (name: string, made: readonly string[], more: DriverModel["methods"]) =>
  driver({
    name,
    modules: [name],
    clients: {
      db: { kind: "connection", made },
      // Who is passed one does not know whether a transaction is open on it.
      shared: {
        kind: "pool",
        isPerhapsOne: true,
        types: ["Database", "DatabaseSync", "BetterSqlite3Database"],
        as: "db",
      },
    },
    methods: {
      ...STATEMENTS,
      "db: prepare": { kind: "prepare", client: "statement" },
      "db: exec": { kind: "sql", result: "nothing" },
      "db: close on pragma open defaultSafeIntegers": { kind: "nothing" },
      ...more,
    },
  });

const WRAPPED: DriverModel["methods"] = {
  "db: transaction": { kind: "scope", client: "db", isTransaction: true, isWrapper: true },
};

export const BETTER_SQLITE3 = database("better-sqlite3", ["better-sqlite3"], WRAPPED);
export const NODE_SQLITE = database(
  "node:sqlite",
  ["DatabaseSync", "node:sqlite.DatabaseSync"],
  {},
);
export const BUN_SQLITE = database("bun:sqlite", ["Database", "bun:sqlite"], {
  ...WRAPPED,
  "db: query": { kind: "prepare", client: "statement" },
  "db: run": { kind: "sql", result: CHANGED, parameters: "rest" },
});

const ASKED: DriverModel["methods"] = {
  "db: get": query("row"),
  "db: all": query("rows"),
  "db: exec": { kind: "sql", result: "nothing" },
  "db: close configure on": { kind: "nothing" },
};

/** Results go to callbacks; the number of a new row is a field of their `this`, which is not read. */
export const SQLITE3 = driver({
  name: "sqlite3",
  modules: ["sqlite3"],
  callbacks: true,
  clients: {
    db: { kind: "connection", types: ["Database"], made: ["sqlite3.Database", "Database"] },
  },
  methods: {
    ...ASKED,
    "db: run": { kind: "sql", result: "nothing", parameters: "rest" },
    "db: serialize parallelize": { kind: "scope", client: "db", isTransaction: false },
  },
});

export const SQLITE = driver({
  name: "sqlite",
  modules: ["sqlite"],
  clients: { db: { kind: "connection", types: ["Database"], made: ["open", "sqlite.open"] } },
  methods: {
    ...ASKED,
    "db: run": {
      kind: "sql",
      result: { changes: "count", lastID: "insertId" },
      parameters: "rest",
    },
  },
});

/** sqlite3 with promises, and transactions around a function. */
export const SQLITE_ASYNC = driver({
  name: "sqlite-async",
  modules: ["sqlite-async"],
  clients: {
    db: {
      kind: "connection",
      types: ["Database"],
      made: ["Database.open", "sqlite-async.open"],
    },
  },
  methods: {
    ...STATEMENTS,
    ...ASKED,
    "db|statement: run": {
      kind: "sql",
      result: { changes: "count", lastID: "insertId" },
      parameters: "rest",
    },
    "db: prepare": { kind: "prepare", client: "statement" },
    "db: transaction": { kind: "scope", client: "db", isTransaction: true },
  },
});

const LIBSQL_RESULT = {
  rows: "rows",
  rowsAffected: "count",
  lastInsertRowid: "insertId",
} as const;

export const LIBSQL = driver({
  name: "@libsql/client",
  modules: ["@libsql/client", "@libsql/client/web", "@libsql/client/http"],
  clients: {
    client: { kind: "pool", types: ["Client"], made: ["createClient"] },
    transaction: { kind: "connection", types: ["Transaction"] },
  },
  methods: {
    "client|transaction: execute": { kind: "sql", result: LIBSQL_RESULT },
    "client|transaction: executeMultiple": { kind: "sql", result: "nothing" },
    "client|transaction: batch": { kind: "batch", result: LIBSQL_RESULT },
    "client: transaction": { kind: "open", client: "transaction" },
    "transaction: commit": { kind: "commit" },
    "transaction: rollback": { kind: "rollback" },
    // After a commit it does nothing, and before it undoes.
    "transaction: close": { kind: "rollback" },
    "client: close sync": { kind: "nothing" },
  },
});
