// A statement that computes for long leaves others their turn, and ends in the middle when it is cancelled or takes too long.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import mysql from "mysql2/promise";
import pg from "pg";
import { openStore } from "../../../server/src/mock/openStore";

/** Nine million pairs, which take seconds. */
const LONG =
  "select count(*) from generate_series(1, 3000) a, generate_series(1, 3000) b where a * b = 7";

async function withClients(body: (one: pg.Client, other: pg.Client) => Promise<void>) {
  const store = await openStore({ protocol: "postgres", level: "postgres:read-committed" });
  const clients = [new pg.Client(store.url), new pg.Client(store.url)] as const;
  try {
    for (const client of clients) await client.connect();
    await body(...clients);
  } finally {
    for (const client of clients) await client.end();
    await store.close();
  }
}

const CANCELLED = { code: "57014" };

test("others are answered while a statement computes, and it is cancelled in the middle", () =>
  withClients(async (one, other) => {
    let isOver = false;
    const long = assert.rejects(one.query(LONG), CANCELLED).then(() => {
      isOver = true;
    });
    for (let round = 0; round < 5; round++) await other.query("select 1");
    assert.equal(isOver, false);
    cancel(one);
    await long;
    assert.equal((await one.query("select 1")).rowCount, 1);
  }));

for (const [what, long] of [
  ["inserts", "insert into t select g, -g from generate_series(20001, 50000) g"],
  ["changes", "update t set n = n + 1"],
  ["deletes", "delete from t where n < 5"],
  [
    "sorts",
    "select max(n) from (select n from t, generate_series(1, 5) order by n, id desc limit 100000) u",
  ],
] as const)
  test(`others are answered while a statement ${what} many rows`, () =>
    withClients(async (one, other) => {
      await one.query("create table t (id int primary key, n int)");
      await one.query("insert into t select g, -g from generate_series(1, 20000) g");
      let isOver = false;
      const ended = one.query(long).then(() => {
        isOver = true;
      });
      for (let round = 0; round < 3; round++) await other.query("select 1");
      assert.equal(isOver, false);
      await ended;
    }));

test("a statement that takes longer than statement_timeout ends in the middle", () =>
  withClients(async (one) => {
    await one.query("begin; set local statement_timeout = '200ms'; savepoint s");
    await assert.rejects(one.query(LONG), CANCELLED);
    await one.query("rollback to s");
    assert.equal((await one.query("select 1")).rowCount, 1);
  }));

test("a statement that waits for a lock is cancelled alone: its session keeps what it had", () =>
  withClients(async (one, other) => {
    await one.query("create table t (id int primary key, n int); insert into t values (1, 0)");
    await one.query("listen news; select pg_advisory_lock(7)");
    const heard = once(one, "notification");
    await other.query("begin; update t set n = 1");
    await one.query("begin; savepoint s");
    const waits = assert.rejects(one.query("update t set n = 2"), CANCELLED);
    await other.query("select 1");
    cancel(one);
    await waits;
    await one.query("rollback to s");
    assert.deepEqual((await one.query("select n from t")).rows, [{ n: 0 }]);
    await other.query("rollback; notify news");
    await one.query("commit");
    await heard;
    const free = await other.query("select pg_try_advisory_lock(7) as got");
    assert.deepEqual(free.rows, [{ got: false }]);
  }));

test("an advisory lock is waited for until its session gives it back, the time is over, or the wait is cancelled", () =>
  withClients(async (one, other) => {
    await one.query("select pg_advisory_lock(1)");
    await other.query("set lock_timeout = '20ms'");
    await assert.rejects(other.query("select pg_advisory_lock(1)"), { code: "55P03" });
    await other.query("set lock_timeout = 0");
    const cancelled = assert.rejects(other.query("select pg_advisory_lock(1)"), CANCELLED);
    await one.query("select 1");
    cancel(other);
    await cancelled;
    const taken = other.query("select pg_advisory_xact_lock(1)");
    await one.query("select pg_advisory_unlock(1)");
    assert.equal((await taken).rowCount, 1);
  }));

test("GET_LOCK of MySQL waits for its seconds alone", async () => {
  const store = await openStore({ protocol: "mysql", level: "mysql:repeatable-read" });
  const [one, other] = await Promise.all([1, 2].map(() => mysql.createConnection(store.url)));
  assert.ok(one && other);
  try {
    await one.query("select get_lock('a', 0)");
    const got = async (seconds: string): Promise<unknown> =>
      (await other.query<mysql.RowDataPacket[]>(`select get_lock('a', ${seconds}) as got`))[0];
    assert.deepEqual(await got("0"), [{ got: 0 }]);
    assert.deepEqual(await got("0.01"), [{ got: 0 }]);
    const waits = got("-1");
    await one.query("select release_lock('a')");
    assert.deepEqual(await waits, [{ got: 1 }]);
  } finally {
    await one.end();
    await other.end();
    await store.close();
  }
});

test("MySQL's time limit is for queries, not for the procedures that hold some", async () => {
  const store = await openStore({ protocol: "mysql", level: "mysql:repeatable-read" });
  const client = await mysql.createConnection(store.url);
  try {
    await client.query(
      "create procedure counted() begin declare i int default 0; while i < 3000 do set i = i + 1; end while; select i; end",
    );
    await client.query("set max_execution_time = 1");
    const [[rows]] = await client.query<mysql.RowDataPacket[][]>("call counted()");
    assert.deepEqual(rows, [{ i: 3000 }]);
  } finally {
    await client.end();
    await store.close();
  }
});

/** The message that psql sends for Ctrl-C, on a connection of its own. */
function cancel(client: pg.Client): void {
  const { port, host, processID, secretKey } = client as pg.Client & {
    readonly processID: number;
    readonly secretKey: number;
  };
  const message = Buffer.alloc(16);
  for (const [at, value] of [16, 80_877_102, processID, secretKey].entries())
    message.writeInt32BE(value, at * 4);
  const socket = connect(port, host);
  socket.end(message);
}
