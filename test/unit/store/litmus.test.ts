// The store against the outcomes that real servers gave: none may be missing, and where every interleaving was run
// there may be no other.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { paperComparisons, productComparisons, unreadLitmus } from "./litmusCells";

describe("measured litmus outcomes", () => {
  it("the front end reads every program exactly", () => {
    assert.deepEqual(unreadLitmus(), []);
  });

  for (const cell of productComparisons())
    it(`${cell.litmus.id} ${cell.litmus.name} at ${cell.level}`, () => {
      assert.deepEqual(cell.missing, []);
      if (cell.coverage === "all") assert.deepEqual(cell.extra, []);
    });

  for (const cell of paperComparisons())
    it(`${cell.litmus.id} ${cell.litmus.name}: ${cell.level} gives what the server gave`, () => {
      assert.deepEqual(cell.missing, []);
      if (cell.coverage === "all") assert.deepEqual(cell.extra, []);
    });
});
