// MonkeyDB's five assertions break sooner than its paper says (Biswas et al., OOPSLA 2021, Table 1).
import assert from "node:assert/strict";
import { test } from "node:test";
import { monkeyResults } from "../../bench/exploreMonkey";

test("the random driver breaks all five assertions in fewer runs than are published", async () => {
  const results = await monkeyResults(100, 0);
  assert.equal(results.length, 5);
  for (const { name, iterations, published } of results)
    assert.ok(iterations < published.iterations, `${name}: ${iterations.toFixed(1)}`);
});
