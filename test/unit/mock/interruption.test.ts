// Sessions that end what others run, or end others: cancel and terminate of PostgreSQL, KILL of MySQL.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import mysql from "mysql2/promise";
import pg from "pg";
import { openStore } from "../../../server/src/mock/openStore";

/** Longer than any test waits. */
const SLEEP = 600;

test("pg_cancel_backend ends what a session runs, and pg_terminate_backend the session", async () => {
  const store = await openStore({ protocol: "postgres", level: "postgres:read-committed" });
  const [one, other] = [new pg.Client(store.url), new pg.Client(store.url)];
  one.on("error", () => undefined);
  try {
    for (const client of [one, other]) await client.connect();
    const { rows } = await one.query<{ pid: number }>("select pg_backend_pid() as pid");
    const pid = rows[0]?.pid;
    const sleeping = assert.rejects(one.query(`select pg_sleep(${String(SLEEP)})`), {
      code: "57014",
    });
    await other.query("select pg_sleep(0.02)");
    await other.query("select pg_cancel_backend($1)", [pid]);
    await sleeping;
    const ended = new Promise((resolve) => one.once("end", resolve));
    await other.query("select pg_terminate_backend($1)", [pid]);
    await ended;
    const absent = await other.query("select pg_cancel_backend(4711) as found");
    assert.deepEqual(absent.rows, [{ found: false }]);
  } finally {
    await other.end();
    await store.close();
  }
});

test("KILL QUERY ends what a session runs, and KILL the session", async () => {
  const store = await openStore({ protocol: "mysql", level: "mysql:repeatable-read" });
  const one = await mysql.createConnection(store.url);
  const other = await mysql.createConnection(store.url);
  try {
    const id = String(one.threadId);
    const sleeping = assert.rejects(one.query(`select sleep(${String(SLEEP)})`), { errno: 1317 });
    await other.query("select sleep(0.02)");
    await other.query(`kill query ${id}`);
    await sleeping;
    const ended = once(one, "error");
    await other.query(`kill ${id}`);
    await ended;
    await assert.rejects(other.query("kill 4711"), { errno: 1094 });
  } finally {
    await other.end();
    await store.close();
  }
});

test("a client of MySQL is told how many warnings a statement has left", async () => {
  const store = await openStore({ protocol: "mysql", level: "mysql:repeatable-read" });
  const client = await mysql.createConnection(store.url);
  try {
    await client.query("create table t (id int primary key)");
    const [told] = await client.query("insert ignore into t values (1), (1)");
    assert.equal("warningStatus" in told && told.warningStatus, 1);
  } finally {
    await client.end();
    await store.close();
  }
});
