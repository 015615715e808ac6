// A long fork happens on real servers that replicate to each other, and the history checker says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { showLongFork } from "../../support/longFork";

test("two PostgreSQL servers that replicate to each other show a long fork, and agree afterwards", async (context) => {
  const fork = await showLongFork();
  if (!fork.ok) {
    assert.ok(!fork.installed, fork.reason);
    context.diagnostic("not run: PostgreSQL (long fork)");
    return;
  }
  assert.deepEqual(fork.sights, [
    { x: 1, y: 0 },
    { x: 0, y: 1 },
  ]);
  assert.deepEqual(fork.after, [
    { x: 1, y: 1 },
    { x: 1, y: 1 },
  ]);
  assert.ok(fork.isLongFork);
  assert.equal(fork.verdicts.get("parallel-snapshot-isolation"), "ok");
  assert.equal(fork.verdicts.get("snapshot-isolation"), "violated");
});
