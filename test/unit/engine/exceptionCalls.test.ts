// Calls of Z3 that may throw: what it answers after it threw is the same with exceptions of WebAssembly and without.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { openZ3 } from "../../../server/src/engine/z3";
import { SolverError } from "../../../server/src/solver/solver";

/** The answers around a text that Z3 refuses by an exception of C++. */
async function answers(): Promise<readonly unknown[]> {
  const z3 = await openZ3();
  try {
    const solver = z3.open({ resourceLimit: 0 });
    solver.add("(declare-const x Int)(assert (> x 3))");
    const before = solver.check();
    let refusal: unknown;
    try {
      solver.add("(assert (> y 3))");
    } catch (error) {
      refusal = error;
    }
    assert.ok(refusal instanceof SolverError);
    const again = z3.open({ resourceLimit: 0 });
    again.add("(declare-const x Int)(assert (> x 3))(assert (< x 4))");
    return [before, refusal.code, refusal.message, again.check()];
  } finally {
    z3.dispose();
  }
}

/** An engine that validates no module of the calls. */
function withoutExceptions(context: TestContext): () => number {
  const { mock } = context.mock.method(WebAssembly, "validate", () => false);
  return () => mock.callCount();
}

test("an engine without exceptions of WebAssembly gives the same answers", async (context) => {
  const expected = await answers();
  assert.deepEqual([expected[0], expected[3]], ["sat", "unsat"]);
  const asked = withoutExceptions(context);
  assert.deepEqual(await answers(), expected);
  assert.ok(asked() > 0);
});
