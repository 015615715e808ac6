// Search and enumeration on random programs with inserts, deletes, scans, locks, guards and rollbacks, each at one of the
// measured levels in turn. `npm run agree:products` does it on thousands, at all of these levels.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PRODUCT_LEVELS } from "../../../server/src/isolation/levels";
import { compareProgram, randomSeed } from "./agreementRuns";
import { chooser } from "./productsHarness";
import { randomTransactions, routinesText } from "./randomTransactions";

const PROGRAMS = 60;

test("random programs: the verdict of the search is that of enumeration", async () => {
  const levels = PRODUCT_LEVELS.filter((each) => each.evidence === "measured");
  let anomalous = 0;
  for (let number = 1; number <= PROGRAMS; number += 1) {
    const transactions = randomTransactions(chooser(randomSeed(4, number)));
    const level = levels[number % levels.length];
    if (level === undefined) throw new Error("there is no measured level");
    for (const result of await compareProgram(transactions, level)) {
      const { kind, shown, claimed } = result;
      const text = `${level.name}: ${shown} by enumeration, ${claimed} by the search in\n${routinesText(result.transactions)}`;
      assert.ok(!["missed", "weaker", "false"].includes(kind), text);
      // Anomalies that are there must be confirmed; a suspicion may be what an index would allow.
      assert.ok(kind === "same" || shown === "none", text);
      if (shown !== "none") anomalous += 1;
    }
  }
  assert.ok(anomalous >= 5, "too few of the random programs say anything");
});
