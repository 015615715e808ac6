// CREATE DATABASE as test suites of applications use it: tables of their own, that nobody sees under another name.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import mysql from "mysql2/promise";
import pg from "pg";
import { openStore } from "../../../server/src/mock/openStore";

const schema = "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1);";

describe("a database of PostgreSQL that is made", () => {
  test("is empty, is listed, and goes with its rows; all other names are the first one's", async () => {
    const store = await openStore({ level: "postgres:read-committed", schema });
    const names = "SELECT datname FROM pg_database ORDER BY datname";
    const main = await connected(store.url, "app");
    try {
      await main.query("CREATE DATABASE test_app TEMPLATE template0 ENCODING 'UTF8'");
      assert.deepEqual(await main.query(names), [{ datname: "app" }, { datname: "test_app" }]);
      const own = await connected(store.url, "test_app");
      await assert.rejects(own.query("SELECT * FROM t"), { code: "42P01" });
      await own.query("CREATE TABLE t (id int PRIMARY KEY, name text)");
      await own.query("INSERT INTO t VALUES (7, 'ann')");
      assert.deepEqual(await main.query("SELECT * FROM t"), [{ id: 1 }]);
      await assert.rejects(main.query("DROP DATABASE test_app"), { code: "55006" });
      await own.end();
      const other = await connected(store.url, "any");
      assert.deepEqual(await other.query("SELECT * FROM t"), [{ id: 1 }]);
      await other.end();
      await main.query("DROP DATABASE test_app");
      await main.query("CREATE DATABASE test_app");
      const again = await connected(store.url, "test_app");
      await assert.rejects(again.query("SELECT * FROM t"), { code: "42P01" });
      await again.end();
      const keys = store
        .history()
        .sessions.flatMap((each) => each.flatMap(({ ops }) => ops))
        .flatMap((op) => ("w" in op ? [op.w[0]] : []));
      assert.deepEqual(keys, ["test_app.t/7"]);
      assert.equal(store.verdicts()["read-committed"], "ok");
    } finally {
      await main.end();
      await store.close();
    }
  });

  for (const [sql, code] of [
    ["CREATE DATABASE app", "42P04"],
    ["DROP DATABASE app", "55006"],
    ["DROP DATABASE none", "3D000"],
    ["CREATE DATABASE copy TEMPLATE app", "0A000"],
  ] as const)
    test(`${sql} fails with ${code}`, async () => {
      const store = await openStore({ level: "postgres:read-committed", schema });
      const main = await connected(store.url, "app");
      try {
        await assert.rejects(main.query(sql), { code });
        await main.query("DROP DATABASE IF EXISTS none");
        await main.query("BEGIN");
        await assert.rejects(main.query("CREATE DATABASE late"), { code: "25001" });
      } finally {
        await main.end();
        await store.close();
      }
    });
});

describe("a database of MySQL that is made", () => {
  test("is gone over to by USE, with the session's settings", async () => {
    const store = await openStore({ protocol: "mysql", level: "mysql:repeatable-read", schema });
    const client = await mysql.createConnection({ uri: store.url, multipleStatements: true });
    try {
      await client.query("SET SESSION innodb_lock_wait_timeout = 7");
      await client.query(
        "CREATE DATABASE IF NOT EXISTS `test_app` CHARACTER SET utf8mb4; USE `test_app`; CREATE TABLE t (name varchar(9)); INSERT INTO t VALUES ('ann')",
      );
      assert.deepEqual(await rowsOf(client, "SELECT DATABASE() AS d, name FROM t"), [
        { d: "test_app", name: "ann" },
      ]);
      assert.deepEqual(await rowsOf(client, "SELECT @@innodb_lock_wait_timeout AS w"), [{ w: 7 }]);
      assert.deepEqual(await rowsOf(client, "SHOW DATABASES"), [
        { Database: "test_app" },
        { Database: "information_schema" },
      ]);
      await client.changeUser({ database: "app" });
      assert.deepEqual(await rowsOf(client, "SELECT * FROM t"), [{ id: 1 }]);
      await assert.rejects(client.query("CREATE DATABASE test_app"), { errno: 1007 });
      await client.query("DROP DATABASE test_app");
      await assert.rejects(client.query("DROP DATABASE test_app"), { errno: 1008 });
      await client.query("DROP DATABASE IF EXISTS test_app");
    } finally {
      await client.end();
      await store.close();
    }
  });
});

async function rowsOf(client: mysql.Connection, sql: string): Promise<readonly unknown[]> {
  const [rows] = await client.query<mysql.RowDataPacket[]>(sql);
  return rows.map((row) => ({ ...row }));
}

async function connected(
  url: string,
  database: string,
): Promise<{
  readonly query: (sql: string) => Promise<readonly unknown[]>;
  readonly end: () => Promise<void>;
}> {
  const client = new pg.Client({ connectionString: url.replace(/\/app$/u, `/${database}`) });
  await client.connect();
  return {
    query: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    end: () => client.end(),
  };
}
