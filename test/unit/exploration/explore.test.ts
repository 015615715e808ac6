// The exhaustive driver: sound, complete, nothing twice, at every level.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AxiomaticLevel } from "../../../server/src/exploration/exploration";
import { randomNumbers } from "../../../server/src/exploration/randomNumbers";
import { historiesOfAllSteps } from "./allSteps";
import { disagreements, explored, fuzz, LEVELS } from "./fuzz";
import { historyText, programOf, randomProgram } from "./keyPrograms";

/** The explorer finds exactly what the definitions allow, at all levels; `counts` are numbers of histories. */
function check(text: string, counts: Partial<Record<AxiomaticLevel, number>> = {}): void {
  const program = programOf(text);
  assert.deepEqual(disagreements(program), [], text);
  for (const level of LEVELS) {
    const expected = counts[level];
    if (expected === undefined) continue;
    assert.equal(explored(program.client, { level }).runs.length, expected, `${text} at ${level}`);
  }
}

test("a read that is moved twice over is met: the published condition loses this history", () => {
  const { client } = programOf("ry rx | wx | wx; wy");
  for (const level of ["any", "read-committed", "read-atomic", "causal"] as const) {
    const texts = explored(client, { level }).runs.map((run) => historyText(run.history));
    assert.ok(
      texts.some((text) => text.includes("ry<131074 rx<65537")),
      `y from S3's second, x from S2 at ${level}`,
    );
  }
  check("ry rx | wx | wx; wy", { causal: 5 });
});

test("programs of the literature have the histories that their levels allow", () => {
  check("rx wx | rx wx", { causal: 3, "snapshot-isolation": 2, serializable: 2, prefix: 3 });
  check("rx wy | ry wx", { causal: 3, "snapshot-isolation": 3, serializable: 2 });
  check("wx | wy | rx ry | ry rx", { causal: 16, "parallel-snapshot-isolation": 16, prefix: 14 });
  check("wx wy | rx ry", { any: 4, "read-committed": 3, "read-atomic": 2, serializable: 2 });
  check("wx; wx | rx rx", { serializable: 3 });
});

test("transactions that write without reading are ordered in every way that can be seen", () => {
  check("wx | wx | rx; rx");
  check("wx wy | wy wx | rx ry; rx ry");
  check("wx | wx wy | wy | rx ry");
});

test("conditions and rollbacks lead to other histories", () => {
  check("?x wy | ?y wx | wx");
  check("!x wx | !x wx | rx");
  check("wx; !y wx | wy; ?x wy");
});

test("a transaction reads its own writes and repeats its reads", () => {
  check("wx rx rx | rx rx");
  check("rx wx rx | wx");
});

test("empty sessions and transactions", () => {
  check("", { serializable: 1 });
  check("rx; | wx; ;");
});

test("products' levels: leaving out equal orders of steps loses no history", () => {
  const levels = [
    "postgres:read-committed",
    "mariadb:repeatable-read",
    "mariadb:repeatable-read(snapshot-isolation=on)",
    "tidb:repeatable-read",
    "snapshot-isolation",
  ] as const;
  let compared = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const random = randomNumbers(seed * 31);
    const shape = {
      sessions: 2,
      transactions: 2,
      operations: 3,
      keys: 2,
      branches: seed % 2 === 0,
    };
    const { client, text } = randomProgram(random, shape);
    for (const level of levels) {
      const all = historiesOfAllSteps(client, level, 1_500);
      if (all === undefined) continue;
      compared++;
      const found = explored(client, { level }).runs.map((run) => historyText(run.history));
      assert.deepEqual(found.sort(), [...all].sort(), `${text} at ${level}`);
    }
  }
  assert.ok(compared > 80, `${compared} compared`);
});

test("random programs: nothing missing, nothing twice, nothing in vain", () => {
  const { compared, found } = fuzz(80, 1);
  assert.equal(compared, 80);
  assert.deepEqual(found, []);
});
