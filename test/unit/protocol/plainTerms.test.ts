// Texts about what nobody evaluates, as people read them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainTerms } from "../../../server/src/protocol/witness";

const CASES: readonly (readonly [string, string])[] = [
  ["a comparison with text.length is not known(u1, )", "a comparison with text.length"],
  ["code:f(a, code:g(b))", "f(a, g(b))"],
  ["now() is not known", "now() is not known"],
  [`env.X(${"a, ".repeat(40)}g(1)), which is not understood`, "env.X(…), which is not understood"],
  [`f(1) and g(${"a, ".repeat(40)}b) and h(2`, "f(1) and g(…) and h(2"],
  ["the server aborts T2: 23503 a row is missing", "the server aborts T2: 23503 a row is missing"],
  [") (a", ") (a"],
];

for (const [given, expected] of CASES)
  test(`${given.slice(0, 40)} is told as ${expected}`, () => {
    assert.equal(plainTerms(given), expected);
  });
