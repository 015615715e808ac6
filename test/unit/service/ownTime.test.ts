// The clock of budgets: a process that gets no turn does not age, but somebody who waits gets an answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SLOWEST, ownTime } from "../../../server/src/service/search/processTime";

function sources() {
  const at = { wall: 1000, computed: 50 };
  const clock = ownTime({ wall: () => at.wall, computed: () => at.computed });
  const pass = (wall: number, computed: number): number => {
    at.wall += wall;
    at.computed += computed;
    return clock();
  };
  return pass;
}

test("a process that computes alone ages as the wall does, however many threads it has", () => {
  const pass = sources();
  assert.equal(pass(100, 100), 100);
  assert.equal(pass(100, 400), 200);
});

test("a process that shares the machine ages by what it got of it", () => {
  const pass = sources();
  assert.equal(pass(1000, 250), 250);
  assert.equal(pass(1000, 500), 750);
});

test("who waits gets an answer after a multiple of the budget, though nothing is computed", () => {
  const pass = sources();
  assert.equal(pass(SLOWEST * 1000, 0), 1000);
});

test("the process' own clock moves on and never outruns the wall", () => {
  const clock = ownTime();
  const begun = performance.now();
  let sum = 0;
  for (let each = 0; each < 3_000_000; each++) sum += Math.sqrt(each);
  const own = clock();
  assert.ok(sum > 0 && own > 0);
  assert.ok(own <= performance.now() - begun + 1);
});
