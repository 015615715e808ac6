// The mock database's store: whatever sessions do side by side, the recorded run satisfies the level, and shows what
// stronger levels forbid.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Key, Request, Value } from "../../../server/src/exploration/client";
import { randomNumbers, type Random } from "../../../server/src/exploration/randomNumbers";
import { checkHistory, HISTORY_LEVELS, type HistoryLevel } from "../../../server/src/history/check";
import { findLevel } from "../../../server/src/isolation/levels";
import {
  createMockStore,
  type MockLevel,
  type MockStore,
  type StoreSession,
} from "../../../server/src/mock/store/mockStore";
import type { Strategy } from "../../../server/src/mock/store/policy";
import { recordedHistory } from "./recorded";

const KEYS: readonly Key[] = ["a/1", "a/2", "b/1", "b/2"];
const INITIAL: ReadonlyMap<Key, Value> = new Map([
  ["a/1", 1],
  ["b/1", 1],
]);

/** One level that the run must satisfy, and one that it must not always. */
const LEVELS: readonly (readonly [string, HistoryLevel | undefined, HistoryLevel | undefined])[] = [
  ["any", undefined, "read-committed"],
  ["read-committed", "read-committed", "read-atomic"],
  ["read-atomic", "read-atomic", "causal"],
  ["causal", "causal", "parallel-snapshot-isolation"],
  ["prefix", "causal", "parallel-snapshot-isolation"],
  ["parallel-snapshot-isolation", "parallel-snapshot-isolation", "snapshot-isolation"],
  ["snapshot-isolation", "snapshot-isolation", "serializable"],
  ["serializable", "serializable", undefined],
  ["postgres:read-committed", "read-committed", "snapshot-isolation"],
  ["postgres:repeatable-read", "snapshot-isolation", "serializable"],
  ["postgres:serializable", "serializable", undefined],
  ["mariadb:read-uncommitted", undefined, "read-committed"],
  ["mariadb:read-committed", "read-committed", "snapshot-isolation"],
  ["mariadb:repeatable-read", undefined, "snapshot-isolation"],
  ["mariadb:serializable", "serializable", undefined],
  ["sqlserver:snapshot", "snapshot-isolation", "serializable"],
];

function levelOf(name: string): MockLevel {
  const level = findLevel(name);
  if (level?.family === "product") return level;
  const known = [...HISTORY_LEVELS, "any", "prefix"] as const;
  const found = known.find((each) => each === name);
  assert.ok(found, name);
  return found;
}

describe("a run of random sessions side by side", () => {
  for (const [level, holds, fails] of LEVELS) {
    for (const strategy of ["uniform", "latest", "stale"] satisfies Strategy[]) {
      test(`at ${level}, reading ${strategy}`, async () => {
        let failed = 0;
        for (let seed = 1; seed <= 25; seed++) {
          const history = recordedHistory(
            (await randomRun(levelOf(level), strategy, seed)).history(),
          );
          const asked = [holds, fails].filter((each) => each !== undefined);
          const { verdicts } = checkHistory(history, { levels: asked });
          if (holds) assert.equal(verdicts.get(holds), "ok", `seed ${String(seed)}`);
          if (fails && verdicts.get(fails) === "violated") failed++;
        }
        if (strategy === "uniform" && fails) assert.ok(failed > 0, `never violates ${fails}`);
      });
    }
  }

  test("is the same for the same seed", async () => {
    const runs = [await randomRun("causal", "uniform", 7), await randomRun("causal", "uniform", 7)];
    const [one, other] = runs.map((run) => run.history());
    assert.deepEqual(one, other);
  });
});

describe("a transaction", () => {
  test("sees its own writes, and nothing that was rolled back", async () => {
    const store = createMockStore({
      level: "causal",
      initial: INITIAL,
      seed: 1,
      strategy: "latest",
    });
    const [one, other] = [store.open(), store.open()];
    await one.ask({ kind: "begin" });
    await one.ask({ kind: "write", key: "a/3", value: 3 });
    assert.deepEqual(
      await scan(one),
      new Map([
        ["a/1", 1],
        ["a/3", 3],
      ]),
    );
    await other.ask({ kind: "begin" });
    assert.deepEqual(await scan(other), new Map([["a/1", 1]]));
    await one.ask({ kind: "abort" });
    await one.ask({ kind: "begin" });
    assert.deepEqual(await scan(one), new Map([["a/1", 1]]));
    one.close();
    other.close();
  });

  test("that overwrites what another one has overwritten fails at snapshot isolation", async () => {
    const store = createMockStore({
      level: "snapshot-isolation",
      initial: INITIAL,
      seed: 1,
      strategy: "latest",
    });
    const [one, other] = [store.open(), store.open()];
    for (const session of [one, other]) {
      await session.ask({ kind: "begin" });
      await session.ask({ kind: "read", keys: ["a/1"] });
      await session.ask({ kind: "write", key: "a/1", value: 2 });
    }
    assert.equal((await one.ask({ kind: "commit" })).kind, "done");
    const reply = await other.ask({ kind: "commit" });
    assert.equal(reply.kind === "failed" && reply.code, "40001");
  });
});

describe("what was committed before a statement was sent is seen by it", () => {
  const products = LEVELS.map(([name]) => name).filter((name) => name.includes(":"));
  for (const level of products)
    test(`at ${level}`, async () => {
      const store = createMockStore({
        level: levelOf(level),
        initial: INITIAL,
        seed: 1,
        strategy: "stale",
      });
      const [writer, reader] = [store.open(), store.open()];
      for (let value = 2; value < 40; value++) {
        await writer.ask({ kind: "begin" });
        await writer.ask({ kind: "write", key: "a/1", value });
        await writer.ask({ kind: "commit" });
        for (const session of [reader, store.open()]) {
          await session.ask({ kind: "begin" });
          const reply = await session.ask({ kind: "read", keys: ["a/1"] });
          assert.deepEqual(reply, { kind: "values", values: new Map([["a/1", value]]) });
          await session.ask({ kind: "commit" });
        }
      }
    });
  test("and one that is delayed may still see what was there when it was sent", async () => {
    const level = levelOf("postgres:read-committed");
    const store = createMockStore({ level, initial: INITIAL, seed: 1, strategy: "stale" });
    const [writer, reader] = [store.open(), store.open()];
    reader.arrived();
    await writer.ask({ kind: "begin" });
    await writer.ask({ kind: "write", key: "a/1", value: 2 });
    await writer.ask({ kind: "commit" });
    await reader.ask({ kind: "begin" });
    const reply = await reader.ask({ kind: "read", keys: ["a/1"] });
    assert.deepEqual(reply, { kind: "values", values: new Map([["a/1", 1]]) });
  });
});

describe("a key that two transactions found absent", () => {
  async function createBoth(level: string): Promise<readonly string[]> {
    const store = createMockStore({
      level: levelOf(level),
      initial: INITIAL,
      seed: 1,
      strategy: "stale",
    });
    const answers: string[] = [];
    const both = [store.open(), store.open()];
    for (const session of both) {
      await session.ask({ kind: "begin" });
      await session.ask({ kind: "read", keys: ["a/3"] });
      await session.ask({ kind: "write", key: "a/3", value: 3 });
    }
    for (const session of both) {
      const reply = await session.ask({ kind: "commit" });
      answers.push(reply.kind === "failed" ? reply.code : reply.kind);
    }
    return answers;
  }
  for (const level of ["read-committed", "read-atomic", "causal", "prefix"])
    test(`is created by one of them at ${level}`, async () => {
      assert.deepEqual(await createBoth(level), ["done", "23505"]);
    });
  test("is created by both where nothing is promised", async () => {
    assert.deepEqual(await createBoth("any"), ["done", "done"]);
  });
});

async function scan(session: StoreSession): Promise<ReadonlyMap<Key, Value>> {
  const reply = await session.ask({ kind: "read", keys: [], scans: ["a/"] });
  assert.equal(reply.kind, "values");
  return reply.kind === "values" ? reply.values : new Map();
}

/** Four sessions of twelve transactions each, side by side. */
async function randomRun(level: MockLevel, strategy: Strategy, seed: number): Promise<MockStore> {
  const store = createMockStore({ level, initial: INITIAL, seed, strategy });
  let value = 10;
  async function run(session: StoreSession, random: Random): Promise<void> {
    for (let left = 12; left > 0; left--) {
      await session.ask({ kind: "begin" });
      for (let steps = random(4); steps > 0; steps--) {
        for (let turns = random(4); turns > 0; turns--) await Promise.resolve();
        if ((await randomStep(session, random, value++)).kind === "failed") break;
      }
      await session.ask({ kind: random(8) === 0 ? "abort" : "commit" });
    }
    session.close();
  }
  const sessions = Array.from({ length: 4 }, (_, index) =>
    run(store.open(), randomNumbers(4 * seed + index)),
  );
  await Promise.all(sessions);
  return store;
}

async function randomStep(session: StoreSession, random: Random, value: number) {
  const key = KEYS[random(KEYS.length)] ?? "a/1";
  switch (random(5)) {
    case 0:
      return session.ask({ kind: "write", key, value: random(4) === 0 ? undefined : value });
    case 4: {
      const prefix = key.slice(0, 2);
      const lookup = { prefix, index: `${prefix}@`, value: String(random(2)), valueOf: parityOf };
      return session.ask({ kind: "read", keys: [], lookups: [lookup] });
    }
    case 1:
      return session.ask({ kind: "read", keys: [], scans: [key.slice(0, 2)] });
    default:
      return session.ask({ kind: "read", keys: [key] });
  }
}

function parityOf(version: Value): string | undefined {
  return typeof version === "number" ? String(version % 2) : undefined;
}

describe("at PostgreSQL's serializable", () => {
  type Step = readonly [session: number, ...Request[]];
  const read = (...keys: string[]): Request => ({ kind: "read", keys });
  const write = (key: string): Request => ({ kind: "write", key, value: 9 });
  const begin: Request = { kind: "begin" };
  const commit: Request = { kind: "commit" };

  /** Answers to the commits, in their order. */
  async function commitsOf(steps: readonly Step[]): Promise<readonly string[]> {
    const store = createMockStore({
      level: levelOf("postgres:serializable"),
      initial: INITIAL,
      seed: 1,
      strategy: "latest",
      isForgetful: true,
    });
    const sessions = [store.open(), store.open(), store.open()];
    const ends: string[] = [];
    for (const [session, ...requests] of steps)
      for (const request of requests) {
        const reply = await sessions[session]?.ask(request);
        if (request.kind === "commit") ends.push(reply?.kind === "failed" ? reply.code : "done");
      }
    for (const session of sessions) session.close();
    return ends;
  }

  test("who read what another one has overwritten comes before it, and both commit", async () => {
    const steps: readonly Step[] = [
      [0, begin, read("a/1")],
      [1, begin, write("a/1"), commit],
      [0, write("b/1"), commit],
    ];
    assert.deepEqual(await commitsOf(steps), ["done", "done"]);
  });

  test("of two that overwrite what the other one read, the second one fails", async () => {
    const steps: readonly Step[] = [
      [0, begin, read("a/1", "b/1")],
      [1, begin, read("a/1", "b/1"), write("a/1"), commit],
      [0, write("b/1"), commit],
    ];
    assert.deepEqual(await commitsOf(steps), ["done", "40001"]);
  });

  test("who only reads fails where it has seen the third of a row and not the second", async () => {
    // The batch that is closed before a receipt of it arrives, by Fekete, O'Neil and O'Neil (2004).
    const steps: readonly Step[] = [
      [0, begin, read("a/1", "b/1")],
      [1, begin, read("a/1"), write("a/1"), commit],
      [2, begin, read("a/1", "b/1")],
      [0, write("b/1"), commit],
      [2, commit],
    ];
    assert.deepEqual(await commitsOf(steps), ["done", "done", "40001"]);
  });

  test("who only reads and began before the third committed disturbs nobody", async () => {
    const steps: readonly Step[] = [
      [2, begin, read("b/1")],
      [0, begin, read("a/1", "b/1")],
      [1, begin, read("a/1"), write("a/1"), commit],
      [0, write("b/1"), commit],
      [2, read("a/1"), commit],
    ];
    assert.deepEqual(await commitsOf(steps), ["done", "done", "done"]);
  });
});

describe("a forgetful store", () => {
  test("keeps what open snapshots see and the newest rows, and nothing of what is over", async () => {
    const store = createMockStore({
      level: levelOf("postgres:repeatable-read"),
      initial: INITIAL,
      seed: 1,
      strategy: "latest",
      isForgetful: true,
    });
    const [reader, writer] = [store.open(), store.open()];
    const seen = async (session: StoreSession): Promise<unknown> => {
      const reply = await session.ask({ kind: "read", keys: ["a/1"] });
      return reply.kind === "values" ? reply.values.get("a/1") : reply;
    };
    await reader.ask({ kind: "begin" });
    assert.equal(await seen(reader), 1);
    for (let value = 2; value <= 1500; value++) {
      await writer.ask({ kind: "begin" });
      assert.equal((await writer.ask({ kind: "write", key: "a/1", value })).kind, "done");
      assert.equal((await writer.ask({ kind: "commit" })).kind, "done");
    }
    assert.equal(await seen(reader), 1);
    await reader.ask({ kind: "commit" });
    assert.deepEqual(store.history().sessions, []);
    assert.equal(store.finalState().get("a/1"), 1500);
    await reader.ask({ kind: "begin" });
    assert.equal(await seen(reader), 1500);
    reader.close();
    writer.close();
  });
});
