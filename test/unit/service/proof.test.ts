// The report of a check that is asked for a proof: verdict, what it rests on, what is in the way, which level would do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { runJob } from "../../../server/src/engine/runJob";
import { openZ3 } from "../../../server/src/engine/z3";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../server/src/isolation/levels";
import type { LevelReport } from "../../../server/src/protocol/report";
import { check } from "../../../server/src/service/check";
import { openSolveCache } from "../../../server/src/service/search/tupleSolver";
import { sql } from "../truth/analyse";

const parsers = loadPgParser().then((pg) => ({ pg }));
const solvers = openZ3();

async function proving(text: string, levelName: string): Promise<LevelReport> {
  const level = findLevel(levelName);
  assert.ok(level);
  const factory = await solvers;
  const { report } = await check(
    {
      program: readProgram([sql(text)], await parsers),
      skipped: [],
      level,
      maxTransactions: 2,
      prove: true,
      budget: 600_000,
      pool: {
        warm: () => undefined,
        solve: (job) =>
          Promise.resolve({ kind: "solved", results: runJob(factory, job, () => false) }),
        dispose: () => Promise.resolve(),
      },
      cache: openSolveCache(1000),
      lanes: 1,
      tool: "isolens test",
    },
    new AbortController().signal,
  );
  return report;
}

const TABLE = "CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);\n";
const READ = "SELECT v AS x FROM t WHERE id = :id \\gset\n";

test("a proof is what the verdict rests on", async () => {
  const text = `${TABLE}BEGIN;\n${READ}UPDATE t SET v = :x + 1 WHERE id = :id;\nCOMMIT;\n`;
  const { verdict, rests, proof } = await proving(text, "postgres:repeatable-read");
  assert.equal(verdict, "safe");
  assert.deepEqual(rests, { proved: "graph" });
  assert.equal(proof?.status, "proved");
});

test("beside an anomaly the level is told that is proved to suffice", async () => {
  const text = `${TABLE}BEGIN;\n${READ}UPDATE t SET v = :x + 1 WHERE id = :id;\nCOMMIT;\n`;
  const { verdict, proof, sufficient } = await proving(text, "postgres:read-committed");
  assert.equal(verdict, "anomaly");
  assert.equal(proof, undefined);
  assert.deepEqual(
    sufficient?.map(({ level }) => level),
    ["postgres:repeatable-read"],
  );
});

test("a loop with any number of rounds can be part of a proof", async () => {
  const text = `${TABLE}CREATE FUNCTION bump(ids integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  FOR n IN 1 .. array_length(ids, 1) LOOP
    UPDATE t SET v = v + 1 WHERE id = ids[n];
  END LOOP;
END $$;
`;
  const { verdict, rests, unknown } = await proving(text, "snapshot-isolation");
  assert.deepEqual(unknown, []);
  assert.equal(verdict, "safe");
  assert.ok("proved" in rests);
});

test("no proof rests on a statement that was not understood", async () => {
  const text = `${TABLE}BEGIN;\n${READ}CALL elsewhere(:id);\nCOMMIT;\n`;
  const { verdict, proof } = await proving(text, "snapshot-isolation");
  assert.notEqual(verdict, "safe");
  assert.equal(proof?.status, "blocked");
  assert.ok((proof.obstacles.length ?? 0) > 0);
});

test("parts that share no table have levels of their own", async () => {
  const text = `${TABLE}CREATE TABLE u (id integer PRIMARY KEY, v integer NOT NULL);
-- @transaction one
BEGIN;\n${READ}UPDATE t SET v = :x + 1 WHERE id = :id;\nCOMMIT;
-- @transaction two
BEGIN;\nUPDATE u SET v = v + 1 WHERE id = :id;\nCOMMIT;
`;
  const { sufficient } = await proving(text, "postgres:read-committed");
  assert.deepEqual(
    sufficient?.map(({ transactions, level }) => [transactions.join(), level]),
    [
      ["one", "postgres:repeatable-read"],
      ["two", "postgres:read-committed"],
    ],
  );
});

const SKEW = `${TABLE}-- @transaction leave
BEGIN;
SELECT v AS x FROM t WHERE id = :other \\gset
UPDATE t SET v = 0 WHERE id = :id AND :x = 7;
COMMIT;
`;

test("invariants that contradict each other prove nothing", async () => {
  const text = `-- @isolens invariant t.v > 5\n-- @isolens invariant t.v < 3\n${SKEW}`;
  const { verdict, rests } = await proving(text, "snapshot-isolation");
  assert.equal(verdict, "anomaly");
  assert.ok(!("proved" in rests));
});

test("an invariant proves what it excludes, and nothing where a transaction breaks it", async () => {
  const kept = `-- @isolens invariant t.v > 7\n${SKEW}`;
  assert.ok("proved" in (await proving(kept, "snapshot-isolation")).rests);
  const set = "-- @transaction set\nBEGIN;\nUPDATE t SET v = 7 WHERE id = :id;\nCOMMIT;\n";
  assert.ok(!("proved" in (await proving(`${kept}${set}`, "snapshot-isolation")).rests));
});

test("transactions that name their levels keep them when others are tried", async () => {
  const increase = `BEGIN;\n${READ}UPDATE t SET v = :x + 1 WHERE id = :id;\nCOMMIT;\n`;
  const named = (level: string): string => `-- @isolens level ${level}\n`;
  const two = (level: string): string =>
    `${TABLE}-- @transaction one\n${named(level)}${increase}-- @transaction two\n${increase}`;
  const tried = async (text: string) => {
    const { sufficient = [] } = await proving(text, "postgres:read-committed");
    return sufficient.map(({ transactions, level }) => [transactions.join(), level ?? "none"]);
  };
  // The one at READ COMMITTED loses updates whatever the other runs at.
  assert.deepEqual(await tried(two("read committed")), [["one,two", "none"]]);
  assert.deepEqual(await tried(two("repeatable read")), [["one,two", "postgres:repeatable-read"]]);
  assert.deepEqual(
    await tried(`${TABLE}-- @transaction one\n${named("repeatable read")}${increase}`),
    [],
  );
});
