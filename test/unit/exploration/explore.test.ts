// The exhaustive driver: sound, complete, nothing twice, at every level.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AxiomaticLevel } from "../../../server/src/exploration/exploration";
import { disagreements, explored, fuzz, LEVELS } from "./fuzz";
import { historyText, programOf } from "./keyPrograms";

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

test("random programs: nothing missing, nothing twice, nothing in vain", () => {
  const { compared, found } = fuzz(80, 1);
  assert.equal(compared, 80);
  assert.deepEqual(found, []);
});
