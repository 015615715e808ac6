// The matrix of row locks against PostgreSQL itself: every way to lock a row beside every other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rowLocksExclude, type RowLock } from "../../../server/src/program/rowLocks";
import { serverFor } from "../../support/liveServers";

const LOCKERS: readonly (readonly [string, RowLock])[] = [
  ["SELECT 1 FROM p WHERE id = 1 FOR KEY SHARE", "key-share"],
  ["SELECT 1 FROM p WHERE id = 1 FOR SHARE", "share"],
  ["SELECT 1 FROM p WHERE id = 1 FOR NO KEY UPDATE", "no-key-update"],
  ["SELECT 1 FROM p WHERE id = 1 FOR UPDATE", "update"],
  ["UPDATE p SET v = v + 1 WHERE id = 1", "no-key-update"],
  ["UPDATE p SET id = id WHERE id = 1", "no-key-update"],
  ["UPDATE p SET u = u + 1 WHERE id = 1", "update"],
  ["DELETE FROM p WHERE id = 1", "update"],
  ["INSERT INTO c VALUES (1)", "key-share"],
  ["INSERT INTO p VALUES (1, 1, 1) ON CONFLICT (id) DO UPDATE SET v = 2", "no-key-update"],
];

test("row locks exclude each other as PostgreSQL's do", async (context) => {
  const temporary = await serverFor("postgres", context);
  if (temporary === undefined) return;
  const sessions = [await temporary.server.open(), await temporary.server.open()] as const;
  const [holder, waiter] = sessions;
  const must = async (session: typeof holder, sql: string): Promise<void> => {
    const result = await session.execute(sql);
    assert.ok(result.ok, sql);
  };
  try {
    await must(
      holder,
      "CREATE TABLE p (id int PRIMARY KEY, u int NOT NULL UNIQUE, v int NOT NULL)",
    );
    await must(holder, "CREATE TABLE c (p int REFERENCES p)");
    await must(holder, "INSERT INTO p VALUES (1, 1, 1)");
    for (const [first, held] of LOCKERS)
      for (const [second, wanted] of LOCKERS) {
        for (const session of sessions) await must(session, "BEGIN");
        await must(holder, first);
        await must(waiter, "SET LOCAL lock_timeout = '20ms'");
        const result = await waiter.execute(second);
        const excluded = !result.ok && result.code === "55P03";
        for (const session of sessions) await must(session, "ROLLBACK");
        const what = `${first} / ${second}: ${result.ok ? "" : result.message}`;
        assert.equal(excluded, rowLocksExclude(held, wanted), what);
        assert.equal(rowLocksExclude(held, wanted), rowLocksExclude(wanted, held), what);
      }
  } finally {
    for (const session of sessions) await session.close();
    await temporary.stop();
  }
});
