// When reads are weak: after a loading phase, for some connections alone, and at the level that a transaction asks for.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { openStore, type OpenedStore, type StoreOptions } from "../../../server/src/mock/openStore";

const SCHEMA = "CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 0), (2, 0);";

async function withStore(
  options: StoreOptions,
  body: (
    store: OpenedStore,
    connect: (options?: pg.ClientConfig) => Promise<pg.Client>,
  ) => Promise<void>,
): Promise<void> {
  const store = await openStore({ schema: SCHEMA, ...options });
  const clients: pg.Client[] = [];
  try {
    await body(store, async (more = {}) => {
      const { host, port } = store;
      const client = new pg.Client({ host, port, user: "app", database: "app", ...more });
      await client.connect();
      clients.push(client);
      return client;
    });
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await store.close();
  }
}

async function valueOf(client: pg.Client, query = "SELECT v FROM t WHERE id = 1"): Promise<number> {
  const { rows } = await client.query<{ v: number }>(query);
  return rows[0]?.v ?? -1;
}

describe("a loading phase", () => {
  for (const [until, end] of [
    ["insert into ready", "INSERT INTO ready VALUES (1)"],
    ["0.5 seconds", "SELECT 1"],
    ["nothing", "SELECT isolens_start()"],
  ] as const)
    test(`until "${until}" hides nothing, and is the start`, () =>
      withStore(
        { level: "causal", strategy: "stale", strongUntil: until },
        async (store, connect) => {
          const loader = await connect();
          await loader.query("CREATE TABLE ready (id int)");
          await loader.query("INSERT INTO t VALUES (3, 7)");
          const other = await connect();
          assert.equal(await valueOf(other, "SELECT v FROM t WHERE id = 3"), 7);
          await loader.query(end);
          await new Promise((resolve) => setTimeout(resolve, 600));
          await loader.query("UPDATE t SET v = 8 WHERE id = 3");
          const late = await connect();
          assert.equal(await valueOf(late, "SELECT v FROM t WHERE id = 3"), 7);
          const written = JSON.stringify(store.history()).match(/"w":/gu)?.length;
          assert.equal(written, 1);
          store.reset();
          assert.equal(await valueOf(late, "SELECT v FROM t WHERE id = 3"), 7);
        },
      ));
});

test("a loading phase at a product's level is no part of the history, and what it left is", () =>
  withStore({ level: "postgres:serializable", strongUntil: "nothing" }, async (store, connect) => {
    const client = await connect();
    await client.query("INSERT INTO t VALUES (3, 7)");
    await client.query("UPDATE t SET v = 9 WHERE id = 1");
    assert.deepEqual(store.history().sessions, []);
    await client.query("SELECT isolens_start()");
    assert.equal(await valueOf(client), 9);
    await client.query("UPDATE t SET v = 10 WHERE id = 3");
    assert.equal(JSON.stringify(store.history()).match(/"w":/gu)?.length, 1);
    assert.equal(store.verdicts()["serializable"], "ok");
    assert.deepEqual(store.rows("SELECT v FROM t ORDER BY id"), [
      { v: "9" },
      { v: "0" },
      { v: "10" },
    ]);
  }));

describe("weak reads for some alone", () => {
  for (const [who, config, text] of [
    ["application_name=weak", { application_name: "weak" }, ""],
    ["user=weak", { user: "weak" }, ""],
    ["comment=weak", {}, "/* weak */ "],
  ] as const)
    test(who, () =>
      withStore({ level: "causal", strategy: "stale", weakFor: [who] }, async (_store, connect) => {
        const writer = await connect();
        await writer.query("UPDATE t SET v = 1 WHERE id = 1");
        const query = `${text}SELECT v FROM t WHERE id = 1`;
        assert.equal(await valueOf(await connect(config), query), 0);
        assert.equal(await valueOf(await connect()), 1);
      }),
    );

  test("others fail where what they have read has changed", () =>
    withStore({ level: "read-committed", weakFor: ["user=weak"] }, async (_store, connect) => {
      const [one, other] = [await connect(), await connect()];
      for (const client of [one, other]) {
        await client.query("BEGIN");
        await valueOf(client);
        await client.query("UPDATE t SET v = v + 1 WHERE id = 1");
      }
      await one.query("COMMIT");
      await assert.rejects(other.query("COMMIT"), { code: "40001" });
    }));
});

describe("the level that a transaction asks for, at a product's level", () => {
  const level = "postgres:read-committed";
  /** True if a second read in a transaction sees what was committed in between. */
  async function sees(
    start: readonly string[],
    connect: (options?: pg.ClientConfig) => Promise<pg.Client>,
  ): Promise<boolean> {
    const [reader, writer] = [await connect(), await connect()];
    for (const sql of start) await reader.query(sql);
    const before = await valueOf(reader);
    await writer.query("UPDATE t SET v = v + 1 WHERE id = 1");
    const after = await valueOf(reader);
    await reader.query("COMMIT");
    return after > before;
  }

  const repeatable = "ISOLATION LEVEL REPEATABLE READ";
  for (const [start, isSeen] of [
    [["BEGIN"], true],
    [[`BEGIN ${repeatable}`], false],
    [["BEGIN", `SET TRANSACTION ${repeatable}`], false],
    [[`SET SESSION CHARACTERISTICS AS TRANSACTION ${repeatable}`, "BEGIN"], false],
    [["SET default_transaction_isolation = 'repeatable read'", "BEGIN"], false],
    [[`SET TRANSACTION ${repeatable}`, "BEGIN"], true],
    [[`BEGIN ${repeatable}`, "COMMIT", "BEGIN"], true],
  ] as const)
    test(start.join("; "), () =>
      withStore({ level, strategy: "latest" }, async (_store, connect) => {
        assert.equal(await sees(start, connect), isSeen);
      }),
    );

  test("is asked for too late", () =>
    withStore({ level }, async (_store, connect) => {
      const client = await connect();
      await client.query("BEGIN");
      await valueOf(client);
      await assert.rejects(client.query(`SET TRANSACTION ${repeatable}`), { code: "25001" });
    }));
});
