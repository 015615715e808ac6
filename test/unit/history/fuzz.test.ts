// The checker against the definitions, and explanations against the checker, on random histories.
import assert from "node:assert/strict";
import { it } from "node:test";
import { checkHistory } from "../../../server/src/history/check";
import { explainViolation } from "../../../server/src/history/violation";
import { fuzz } from "./fuzz";
import { isMinimal } from "./minimal";
import { randomFrom, randomHistory, toHistory } from "./randomHistories";

it("agrees with brute force on 1000 random histories, in any order and under any names", () => {
  const { mismatches, patterns } = fuzz(1000, 20_261);
  assert.deepEqual(mismatches, []);
  // All sorts must occur, or the comparison would show little.
  assert.ok(patterns.size >= 5, [...patterns.keys()].join("\n"));
});

it("explains every violation by a part that without any of its transactions is possible", () => {
  const random = randomFrom(4711);
  let explained = 0;
  for (let index = 0; index < 600; index++) {
    const plain = randomHistory(random);
    const strict = plain.some((each) => each.begin !== undefined);
    const history = toHistory(plain);
    const result = checkHistory(history, { strict });
    if (![...result.verdicts.values()].includes("violated")) continue;
    const violation = explainViolation(history, result, { strict });
    assert.ok(violation, JSON.stringify(plain));
    assert.equal(isMinimal(violation, strict), "minimal", JSON.stringify(plain));
    explained++;
  }
  assert.ok(explained > 100, String(explained));
});
