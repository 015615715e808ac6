// Look-ups by values of rows: they find what scans find, and what comes into being behind them counts as read.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Key, Lookup, Value } from "../../../server/src/exploration/client";
import { randomNumbers } from "../../../server/src/exploration/randomNumbers";
import { checkHistory, type HistoryLevel } from "../../../server/src/history/check";
import { findLevel } from "../../../server/src/isolation/levels";
import { createMockStore, type MockLevel } from "../../../server/src/mock/store/mockStore";
import { recordedHistory } from "./recorded";

const LEVELS = [
  "read-committed",
  "read-atomic",
  "causal",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
  "serializable",
] as const satisfies readonly HistoryLevel[];

const INITIAL: ReadonlyMap<Key, Value> = new Map([
  ["a/1", { owner: "ann" }],
  ["a/2", { owner: "bob" }],
]);

function ownedBy(value: string): Lookup {
  const valueOf = (version: Value): string | undefined => {
    if (typeof version !== "object" || version === null || !("owner" in version)) return undefined;
    return typeof version.owner === "string" ? version.owner : undefined;
  };
  return { prefix: "a/", index: "a/@owner", value, valueOf };
}

function postgresSerializable(): MockLevel {
  const level = findLevel("postgres:serializable");
  assert.ok(level?.family === "product");
  return level;
}

describe("a look-up", () => {
  for (const level of ["serializable", postgresSerializable()] as const) {
    const name = typeof level === "string" ? level : level.name;
    for (const [what, key] of [
      ["a row that is made", "a/3"],
      ["a row that is changed so", "a/2"],
    ] as const) {
      test(`at ${name} has read that ${what} was not there`, async () => {
        const store = createMockStore({ level, initial: INITIAL, seed: 1, strategy: "latest" });
        const [one, other] = [store.open(), store.open()];
        for (const session of [one, other]) {
          await session.ask({ kind: "begin" });
          const reply = await session.ask({
            kind: "read",
            keys: [],
            lookups: [ownedBy("ann")],
          });
          assert.deepEqual(reply.kind === "values" && [...reply.values.keys()], ["a/1"]);
        }
        await one.ask({ kind: "write", key, value: { owner: "ann" } });
        await other.ask({ kind: "write", key: "b/1", value: { count: 1 } });
        assert.equal((await one.ask({ kind: "commit" })).kind, "done");
        assert.equal((await other.ask({ kind: "commit" })).kind, "failed");
      });
    }
  }

  for (const level of LEVELS)
    test(`keeps histories at ${level}`, async () => {
      for (let seed = 1; seed <= 40; seed++) {
        const verdicts = checkHistory(recordedHistory(await randomRun(level, seed))).verdicts;
        assert.equal(verdicts.get(level), "ok", `seed ${String(seed)}`);
      }
    });
});

/** Three sessions that look up owners and give rows away, one step at a time. */
async function randomRun(level: MockLevel, seed: number) {
  const random = randomNumbers(seed);
  const store = createMockStore({ level, initial: INITIAL, seed, strategy: "uniform" });
  const sessions = [store.open(), store.open(), store.open()].map((session) => ({
    session,
    isOpen: false,
  }));
  const owners = ["ann", "bob", "eve"];
  for (let step = 0; step < 60; step++) {
    const chosen = sessions[random(sessions.length)];
    if (chosen === undefined) continue;
    const { session } = chosen;
    if (!chosen.isOpen) {
      await session.ask({ kind: "begin" });
      chosen.isOpen = true;
    }
    const owner = owners[random(owners.length)] ?? "ann";
    const key = `a/${String(1 + random(4))}`;
    switch (random(4)) {
      case 0:
      case 1:
        await session.ask({ kind: "read", keys: [], lookups: [ownedBy(owner)] });
        break;
      case 2:
        await session.ask({ kind: "read", keys: [key] });
        await session.ask({ kind: "write", key, value: { owner } });
        break;
      default:
        await session.ask({ kind: "commit" });
        chosen.isOpen = false;
    }
  }
  return store.history();
}
