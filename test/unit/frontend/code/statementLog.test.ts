// Statements that the real clients sent (test/data/statements), against those of the same code as it is read and run by
// the store: which, in which order, with which values, in which transactions, and the rows that they leave.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dictionary } from "../../../../server/src/protocol/dictionary";
import { compareRuns, LIBRARIES } from "./statementRuns";

/** Functions that are read differently today. */
const KNOWN = dictionary<readonly string[]>({
  drizzle: ["withOrders"],
  // A reference is read at once; a derived query by a relation's key joins the other table for nothing.
  jpa: ["ordered", "paid"],
  // Updates of several rows of one entity are one statement with a CASE of the same meaning.
  mikroorm: ["transfer"],
  // VALUES ? of a list that was mapped; lists that branches push to, and texts that count them.
  mysql2: ["addLines", "search"],
  // The same, and = ANY of an argument, which is a function that nobody evaluates.
  pg: ["patch", "search", "raise", "bulk"],
  postgres: ["any"],
  // `reload({ attributes })` is not followed, nor `build().save()`; an update that changes nothing is
  // not sent; findOrCreate goes through a function on the server; bulkCreate of a mapped list is one statement.
  sequelize: ["add", "built", "ensured", "bulk", "reloaded"],
  // `save` sends no update that changes nothing, and reads many rows at once; relations are joins, and are read as two
  // statements here; `exists` and counts over relations have another form of the same meaning.
  typeorm: ["add", "counts", "remove", "saveAll", "related", "parent"],
});

describe("what clients send", () => {
  for (const library of LIBRARIES) {
    it(`is what is read: ${library}`, async () => {
      const found = await compareRuns(library);
      const known = KNOWN[library] ?? [];
      const names = new Set(found.map(({ name }) => name));
      const others = found.filter(({ name }) => !known.includes(name));
      assert.deepEqual(others, [], others.map(({ text }) => text).join("\n"));
      // A file that is mended leaves the list.
      assert.deepEqual([...names].sort(), [...known].sort());
    });
  }
});
