// What is proved safe has no anomaly that the bounded search finds and the store confirms. `npm run fuzz:proofs` does
// the same at length.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openZ3 } from "../../../../server/src/engine/z3";
import { PROVED_LEVELS, compare, programOf } from "./contradictions";

const solvers = openZ3();

/** Elsewhere few programs that change anything are safe. */
const OFTEN_PROVED = [
  "snapshot-isolation",
  "parallel-snapshot-isolation",
  "postgres:repeatable-read",
];

for (const level of PROVED_LEVELS)
  test(`random programs at ${level}`, async () => {
    const factory = await solvers;
    let proved = 0;
    for (let seed = 1; seed <= 10; seed += 1) {
      const result = compare(factory, programOf(seed), level, 2);
      assert.equal(result.contradiction, undefined, `${String(seed)}\n${programOf(seed)}`);
      if (result.proved) proved += 1;
    }
    if (OFTEN_PROVED.includes(level)) assert.ok(proved > 0, "nothing was compared");
  });
