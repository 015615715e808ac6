import assert from "node:assert/strict";
import { test } from "node:test";
import { readScriptExpression } from "../../../../server/src/frontend/sql/script/expression";
import { render } from "./render";

function check(text: string, expected: string): void {
  const value = readScriptExpression(text, 0, text.length, {
    variable: (name) => ({ kind: "parameter", name }),
    random: (from, to) => ({
      kind: "call",
      name: "random",
      arguments: [from, to].flatMap((each) => (each === undefined ? [] : [each])),
      deterministic: false,
    }),
    unknown: (why, dependsOn) => ({ kind: "unknown", id: "u", type: "other", dependsOn, why }),
  });
  assert.equal(render(value), expected, text);
}

test("pgbench expressions", () => {
  check("1", "1");
  check("-1", "-1");
  check("1.5", "1.5");
  check("'abc'", '"abc"');
  check("abc", '"abc"');
  check("two words", '"two words"');
  check("true", "true");
  check("off", "false");
  check("null", "null");
  check(":a", ":a");
  check(":a + 2 * :b", "(:a + (2 * :b))");
  check("(:a + 2) * :b", "((:a + 2) * :b)");
  check("10 - 3 - 2", "((10 - 3) - 2)");
  check("-:a % 2", "(-:a % 2)");
  check(":a >= :b", "(:a >= :b)");
  check(":a != 1 and not :b or :c <> 2", "(((:a <> 1) and not :b) or (:c <> 2))");
  check(":a = 1 OR :b = 2 AND :c = 3", "((:a = 1) or ((:b = 2) and (:c = 3)))");
  check(":a is null", "(:a is null)");
  check(":a is not null", "not (:a is null)");
  check("case when :a > 1 then 2 else 3 end", "((:a > 1) ? 2 : 3)");
  check("case when :a then 1 end", "(:a ? 1 : null)");
  check("random(1, 100 * :scale)", "random(1, (100 * :scale))");
  check("random_zipfian(1, 10, 2.5)", "random(1, 10)");
  check("greatest(:a, 0)", "greatest(:a, 0)");
  check("abs(-5)", "abs(-5)");
  check("int(:a)", ":a");
  check("hash(:a)", "unknown(:a)");
  check(":a & 1", "unknown(:a, 1)");
  check("1 +", '"1 +"');
  check(":a +", "unknown()");
  check("`date`", "unknown()");
  check(":{?a}", "not (:a is null)");
  check("", '""');
  check("(:n < 1)", "(:n < 1)");
});
