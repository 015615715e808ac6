// Statements that the real clients sent (test/data/statements), against those of the same code as it is read and run by
// the store: which, in which order, with which values, in which transactions, and the rows that they leave.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareRuns, LIBRARIES } from "./statementRuns";

/** Functions that are read differently today. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  drizzle: ["withOrders"],
  mysql2: ["addLines", "search"],
  pg: ["patch", "search", "raise", "bulk"],
  postgres: ["any"],
  sequelize: ["add", "built", "ensured", "bulk", "included", "includedMany", "reloaded"],
  typeorm: ["add", "counts", "remove", "saveAll", "related", "parent"],
};

describe("what clients send", () => {
  for (const library of LIBRARIES) {
    it(`is what is read: ${library}`, async () => {
      const found = await compareRuns(library);
      const known = KNOWN[library] ?? [];
      const names = new Set(found.map(({ name }) => name));
      const others = found.filter(({ name }) => !known.includes(name));
      assert.deepEqual(others, [], others.map(({ text }) => text).join("\n"));
      // What is mended leaves the list.
      assert.deepEqual([...names].sort(), [...known].sort());
    });
  }
});
