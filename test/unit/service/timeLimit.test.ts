// How long a search may go on: a budget, or longer while it finds something.
import assert from "node:assert/strict";
import { it } from "node:test";
import { timeLimit, type Patience } from "../../../server/src/service/timeLimit";

const PATIENCE: Patience = { first: 40, next: 10, most: 60 };

/** When a search ends that finds something at these moments. */
function endOf(budget: number, finds: readonly number[], patience?: Patience): number {
  let now = 0;
  const pending: { at: number; run: () => void }[] = [];
  const timers = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  Object.assign(globalThis, {
    setTimeout: (run: () => void, after: number) => {
      pending.push({ at: now + after, run });
      return pending.length - 1;
    },
    clearTimeout: (number: number) => {
      pending[number] = { at: Infinity, run: () => undefined };
    },
  });
  try {
    const { limit, extend } = timeLimit(new AbortController().signal, budget, patience, () => now);
    for (; !limit.aborted && now < 1000; now += 1) {
      if (finds.includes(now)) extend();
      for (const [at, timer] of pending.entries()) {
        if (timer.at > now) continue;
        pending[at] = { at: Infinity, run: () => undefined };
        timer.run();
      }
    }
    return now - 1;
  } finally {
    Object.assign(globalThis, timers);
  }
}

it("a budget ends a search whatever it finds", () => {
  assert.equal(endOf(5, []), 5);
  assert.equal(endOf(5, [2, 4]), 5);
});

it("without one a search goes on while it finds something, and longer where it has found nothing", () => {
  assert.equal(endOf(5, [], PATIENCE), 40);
  assert.equal(endOf(5, [3], PATIENCE), 13);
  assert.equal(endOf(20, [3], PATIENCE), 20);
  assert.equal(endOf(5, [3, 10, 15], PATIENCE), 25);
  assert.equal(endOf(5, [35], PATIENCE), 45);
});

it("patience has an end", () => {
  const often = Array.from({ length: 100 }, (_, at) => at);
  assert.equal(endOf(5, often, PATIENCE), 60);
});

it("a signal that is followed ends it at once", () => {
  const controller = new AbortController();
  const { limit, release } = timeLimit(controller.signal, 1000);
  assert.equal(limit.aborted, false);
  controller.abort();
  assert.equal(limit.aborted, true);
  release();
});

it("only what the user asked for is charged for what precedes the search", () => {
  let now = 0;
  const limitOf = (own?: Patience) => timeLimit(new AbortController().signal, 10, own, () => now);
  const [patient, strict] = [limitOf(PATIENCE), limitOf()];
  const work = (): string => {
    now += 7;
    return "plan";
  };
  assert.equal(patient.prepare(work), "plan");
  assert.equal(patient.spent(), 0);
  assert.equal(strict.prepare(work), "plan");
  assert.equal(strict.spent(), 14);
  for (const { release } of [patient, strict]) release();
});
