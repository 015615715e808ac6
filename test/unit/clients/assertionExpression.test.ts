// The language of assertions over results.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  readExpression,
  type TransactionOutcome,
} from "../../../server/src/clients/assertionExpression";
import { AssertionFault, type ResultValue } from "../../../server/src/clients/assertionValues";
import { dictionary } from "../../../server/src/protocol/dictionary";

const RESULTS = dictionary<TransactionOutcome>({
  "0 0": { status: "committed", result: 40 },
  "0 1": { status: "aborted", result: null, error: "insufficient funds" },
  "1 0": {
    status: "committed",
    result: [
      { id: 1, name: "a" },
      { id: 2, name: "b" },
    ],
  },
  "1 1": { status: "committed", result: [{ balance: "12.50" }] },
  "1 2": { status: "committed", result: [] },
});

function valueOf(text: string): ResultValue {
  const read = readExpression(text);
  assert.ok(read.ok, read.ok ? "" : `${text}: ${read.message}`);
  return read.expression.evaluate({
    outcome: (session, transaction) => RESULTS[`${String(session)} ${String(transaction)}`],
    query: () => [{ count: 3 }],
  });
}

function check(expected: ResultValue, ...texts: readonly string[]): void {
  for (const text of texts) assert.deepEqual(valueOf(text), expected, text);
}

describe("assertion expressions", () => {
  it("calculate and compare as JavaScript and SQL do", () => {
    check(7, "1 + 2 * 3", "(1 + 2) * 3 - 2", "- -7", "14 / 2", "15 % 8");
    check(true, "1 < 2", "2 <= 2", "1 <> 2", "1 != 2", "not 1 = 2", "!(1 == 2)", "'a' < 'b'");
    check(true, "1 = 1 and 2 = 2 or 1 = 2", "false or not false", "1 == 2 || 2 == 2 && true");
    check(false, "1 > 2", "not true", "true AND false", "1 = '2'");
    check(true, "1 = '1'", "'it''s' = \"it's\"", "[1, 2] == [1, 2]");
  });

  it("know what became of transactions", () => {
    check(40, "result(s1[0])");
    check(true, "committed(s1[0])", "aborted(s1[1])", "error(s1[1]) = 'insufficient funds'");
    check(null, "result(s1[1])", "error(s1[0])", "result(s9[9])");
    check(2, "length(result(s2[0]))", "result(s2[0])[1].id", "count(result(s2[0]))");
  });

  it("take a result of one row and column as its value, and none as NULL", () => {
    check(13.5, "result(s2[1]) + 1");
    check(true, "result(s2[1]) = 12.5", "result(s2[1]).balance > 12", "sql('select 1') = 3");
    check(null, "result(s2[2]) + 1", "result(s2[2]).id");
    check(0, "length(result(s2[2]))");
  });

  it("leave open what depends on NULL, unless the rest decides", () => {
    check(null, "null + 1", "result(s1[1]) <= 100", "not (null > 1)", "null and true");
    check(false, "result(s1[1]) > 1 and false");
    check(true, "result(s1[1]) > 1 or true", "result(s1[1]) = null");
  });

  it("have functions over lists", () => {
    check(6, "sum([1, 2, 3])", "max(1, 6, 2)", "abs(-6)");
    check(true, "contains([1, 2], 2)", "distinct([1, 2])", "not distinct([1, 1])");
  });

  it("refuse what they do not understand, at its place", () => {
    const cases: readonly (readonly [string, RegExp, number])[] = [
      ["1 +", /ends early/u, 3],
      ["result(s1[0)", /"\]" is missing/u, 11],
      ["result(t1[0])", /named as s1\[0\]/u, 7],
      ["resul(s1[0])", /no function "resul"/u, 0],
      ["1 2", /does not belong here/u, 2],
      ["a # b", /"#" is not understood/u, 2],
      ["sql(1)", /query in quotes/u, 4],
    ];
    for (const [text, message, offset] of cases) {
      const read = readExpression(text);
      assert.ok(!read.ok, text);
      assert.match(read.message, message, text);
      assert.equal(read.offset, offset, text);
    }
  });

  it("have no value where types do not fit", () => {
    for (const text of ["'a' * 2", "1 / 0", "'a' and true", "length(3)", "result(s1[0]).name"])
      assert.throws(() => valueOf(text), AssertionFault, text);
  });
});
