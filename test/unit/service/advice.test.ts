// Advice on reasons, by the words in which they are told.
import assert from "node:assert/strict";
import { test } from "node:test";
import { adviceOn } from "../../../server/src/service/verdict/advice";

const CASES: readonly (readonly [string, RegExp | undefined])[] = [
  ["rounds of this loop after the first are not searched", /^--unroll 2 /u],
  ["rows of the list that this asks about, after the first 2, are not searched", /^--unroll 2 /u],
  ["bookshelf is not supported: what is done with it is not read.", /isolens\.models/u],
  ["a, b: the solver gave up", /--budget/u],
  ["weakened: f is not known", undefined],
];

for (const [reason, expected] of CASES)
  test(reason, () => {
    const advice = adviceOn(reason);
    if (expected === undefined) assert.equal(advice, undefined);
    else assert.match(advice ?? "", expected);
  });
