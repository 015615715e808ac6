// Snapshot isolation by its axioms and by PostgreSQL's rules, and serial outcomes by axioms, certification and locks: the
// same on random programs without inserts and locks. `npm run agree:snapshot` does it on 500.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findLevel } from "../../../server/src/isolation/levels";
import { verdictOf } from "./agreement";
import { compareSerial, plainTransactions } from "./agreementPlain";
import { chooser, readRandom } from "./productsHarness";
import { routinesText } from "./randomTransactions";

const PROGRAMS = 20;

test("snapshot isolation and PostgreSQL's REPEATABLE READ give the same verdict", async () => {
  const choose = chooser(11);
  const levels = ["snapshot-isolation", "postgres:repeatable-read"].flatMap(
    (name) => findLevel(name) ?? [],
  );
  let anomalous = 0;
  for (let number = 0; number < PROGRAMS; number += 1) {
    const text = routinesText(plainTransactions(choose));
    const program = await readRandom(text);
    const verdicts = [];
    for (const level of levels) verdicts.push((await verdictOf(program, level, [0, 1])) === "none");
    assert.equal(verdicts[0], verdicts[1], text);
    if (verdicts[1] === false) anomalous += 1;
  }
  assert.ok(anomalous >= 1, "too few of the random programs say anything");
});

test("levels that promise serial outcomes give exactly these", async () => {
  const choose = chooser(12);
  for (let number = 0; number < PROGRAMS * 4; number += 1) {
    const text = routinesText(plainTransactions(choose));
    assert.deepEqual(compareSerial(await readRandom(text)), [], text);
  }
});
