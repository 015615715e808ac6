// SQL sessions under the explorer: what the levels let through in a withdrawal, an insert and a count.
import assert from "node:assert/strict";
import test from "node:test";
import type { Client, Value } from "../../../server/src/exploration/client";
import type { StoreLevel } from "../../../server/src/exploration/exploration";
import type { FinalState } from "../../../server/src/exploration/history";
import { exploreSync } from "../../../server/src/exploration/explore";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { createDatabase, type Database } from "../../../server/src/sqlstore/database";
import { createMemoryStore, createSequences } from "../../../server/src/sqlstore/memory";
import { createSqlSession, runNow } from "../../../server/src/sqlstore/session";

const OPTIONS = { now: () => 0, random: () => 0, rule: "snapshot" } as const;

function initialOf(database: Database, setUp: readonly string[]): ReadonlyMap<string, Value> {
  const store = createMemoryStore();
  const session = createSqlSession(database, { ...OPTIONS, sequences: createSequences() });
  for (const sql of setUp) assert.ok(runNow(session.execute(sql), store.answer).ok, sql);
  return store.state();
}

function valuesOf(state: FinalState): ReadonlyMap<string, Value> {
  return new Map([...state].map(([key, { value }]) => [key, value]));
}

/** All final states, as the rows of one query over them. */
async function finals(
  setUp: readonly string[],
  sessions: readonly (readonly string[])[],
  question: string,
  level: StoreLevel,
): Promise<readonly string[]> {
  const database = createDatabase({ dialect: "postgres", parser: await loadPgParser() });
  const client: Client = {
    initial: initialOf(database, setUp),
    sessions: sessions.map((statements, at) => ({
      kind: "sync",
      name: `s${at + 1}`,
      *run() {
        const sequences = createSequences(at, sessions.length);
        const session = createSqlSession(database, { ...OPTIONS, sequences });
        for (const sql of statements) yield* session.execute(sql);
      },
    })),
  };
  const found = new Set<string>();
  for (const event of exploreSync(client, { level })) {
    if (event.kind === "restart") found.clear();
    if (event.kind !== "run") continue;
    for (const state of event.run.finalStates()) {
      const session = createSqlSession(database, { ...OPTIONS, sequences: createSequences() });
      const outcome = runNow(session.execute(question), createMemoryStore(valuesOf(state)).answer);
      assert.ok(outcome.ok);
      found.add(JSON.stringify(outcome.results[0]?.rows));
    }
  }
  return [...found].sort();
}

const ACCOUNT = ["create table a (id int primary key, v int)", "insert into a values (1, 10)"];
const ADDS = [["update a set v = v + 1 where id = 1"], ["update a set v = v + 2 where id = 1"]];

test("an update may be lost at causal consistency and not at snapshot isolation", async () => {
  const question = "select v from a where id = 1";
  assert.deepEqual(await finals(ACCOUNT, ADDS, question, "causal"), ["[[11]]", "[[12]]", "[[13]]"]);
  assert.deepEqual(await finals(ACCOUNT, ADDS, question, "serializable"), ["[[13]]"]);
});

test("a count misses rows that others insert below serializability", async () => {
  const setUp = ["create table l (id serial primary key, n int)"];
  const insert = "insert into l (n) select count(*) from l";
  const question = "select n from l order by n";
  assert.deepEqual(await finals(setUp, [[insert], [insert]], question, "snapshot-isolation"), [
    "[[0],[0]]",
    "[[0],[1]]",
  ]);
  assert.deepEqual(await finals(setUp, [[insert], [insert]], question, "serializable"), [
    "[[0],[1]]",
  ]);
});
