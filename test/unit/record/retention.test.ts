// The part of a recording that is kept in memory.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRetention } from "../../../server/src/record/retention";
import { newGlossary, recordedStatement } from "../../../server/src/record/statements";

const LIMITS = { alike: 2, rare: 1, many: 8, longest: 5 };

/** Texts of what is kept, and how many statements are not. */
function kept(sent: readonly (readonly string[])[]): readonly [readonly string[], number] {
  const retention = createRetention([], LIMITS);
  let order = 0;
  for (const [call, texts] of sent.entries())
    for (const [at, sql] of texts.entries()) {
      const about = { connection: 1, order: order++, at: 0, arguments: [], columns: [], rows: [] };
      const isLast = at === texts.length - 1 || !sql.startsWith("BEGIN");
      const isIn = texts[0] === "BEGIN" && at < texts.length - 1;
      const status = isIn || !isLast ? "open" : "idle";
      const site = `/*isolens:a.py:1:work;a.py:1:work;${String(call)}*/`;
      retention.add(
        recordedStatement(
          { ...about, sql: sql + site, count: 0, status },
          "postgres",
          newGlossary(),
        ),
      );
    }
  return [retention.statements().map(({ text }) => text), retention.passedOver];
}

test("of runs that do the same a number is kept, and all of what is rare", () => {
  const same = ["BEGIN", "UPDATE a SET b = 1", "COMMIT"];
  const [texts, passedOver] = kept([same, same, same, same, ["SELECT b FROM a"]]);
  assert.equal(texts.filter((text) => text === "BEGIN").length, 2);
  assert.equal(texts.at(-1), "SELECT b FROM a");
  assert.equal(passedOver, 6);
});

test("a text that ends with a setting of the session ends its transaction", () => {
  const script = ["BEGIN", "SELECT b FROM a", "RESET ALL"];
  const [texts, passedOver] = kept([script, script, script, ["SELECT b FROM a"]]);
  assert.deepEqual(texts, [...script, ...script, "SELECT b FROM a"]);
  assert.equal(passedOver, 3);
});

test("a call is kept as a whole or not at all", () => {
  const unit = ["SELECT b FROM a", "UPDATE a SET b = 1"];
  const rare = ["SELECT b FROM a", "DELETE FROM a"];
  const [texts] = kept([unit, unit, rare, unit]);
  assert.deepEqual(texts, [
    "SELECT b FROM a",
    "UPDATE a SET b = $1",
    "SELECT b FROM a",
    "UPDATE a SET b = $1",
  ]);
});

test("a transaction above the bound is passed over; one that is open is kept", () => {
  const long = ["BEGIN", ...Array.from({ length: 6 }, () => "SELECT 1"), "COMMIT"];
  assert.deepEqual(kept([long]), [[], 8]);
  const retention = createRetention([], LIMITS);
  const about = { connection: 1, order: 1, at: 0, arguments: [], columns: [], rows: [], count: 0 };
  retention.add(
    recordedStatement({ ...about, sql: "BEGIN", status: "open" }, "postgres", newGlossary()),
  );
  assert.equal(retention.statements().length, 1);
});
