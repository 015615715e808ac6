// Outcomes where the level leaves the order of commits to the reads; and the levels by their names.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Value } from "../../../server/src/exploration/client";
import { findLevel } from "../../../server/src/isolation/levels";
import { mockLevel } from "../../../server/src/mock/level";
import { createMockStore, type StoreSession } from "../../../server/src/mock/store/mockStore";
import type { Strategy } from "../../../server/src/mock/store/policy";

async function write(session: StoreSession, value: number): Promise<void> {
  await session.ask({ kind: "begin" });
  await session.ask({ kind: "write", key: "a", value });
  await session.ask({ kind: "commit" });
}

/** Two sessions write, the second last; then it reads, which may put the first behind it. */
async function readAfterBoth(strategy: Strategy): Promise<readonly (Value | undefined)[]> {
  const initial = new Map([["a", 1]]);
  const store = createMockStore({ level: "causal", initial, seed: 1, strategy });
  const [one, other] = [store.open(), store.open()];
  await write(one, 2);
  await write(other, 3);
  await other.ask({ kind: "begin" });
  const reply = await other.ask({ kind: "read", keys: ["a"] });
  await other.ask({ kind: "commit" });
  const read = reply.kind === "values" ? reply.values.get("a") : undefined;
  return [read, store.finalState().get("a")];
}

describe("the final state at causal consistency", () => {
  test("is that of the last commit, where the reads agree", async () => {
    assert.deepEqual(await readAfterBoth("latest"), [3, 3]);
  });
  test("is that of an earlier commit, where a read says that it came later", async () => {
    assert.deepEqual(await readAfterBoth("stale"), [2, 2]);
  });
});

describe("a level by its name", () => {
  const same = [
    ...["read-committed", "read-atomic", "causal", "prefix", "parallel-snapshot-isolation"],
    ...["snapshot-isolation", "serializable"],
  ];
  for (const name of same)
    test(name, () => {
      assert.deepEqual(mockLevel(name), { known: true, level: name, name });
    });

  test("is any where nothing is promised", () => {
    assert.deepEqual(mockLevel("eventual"), { known: true, level: "any", name: "eventual" });
    assert.deepEqual(mockLevel(" Any"), { known: true, level: "any", name: "any" });
  });

  test("of a product has its locks and snapshots", () => {
    const level = findLevel("postgres:read-committed");
    assert.deepEqual(mockLevel("postgres:read-committed"), {
      known: true,
      level,
      name: level?.name,
    });
  });

  test("is told from one that no database can be held to, and from none", () => {
    const refused = mockLevel("clotho:causal");
    assert.ok(refused.known);
    assert.match(
      refused.level === undefined ? refused.reason : "",
      /^a database cannot be held to/,
    );
    assert.deepEqual(mockLevel("casual"), { known: false });
  });
});
