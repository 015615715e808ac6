// Choices that come out the same on every run.
import assert from "node:assert/strict";

/** A number from 0 on, below the given one. */
export type NumberChoice = (below: number) => number;

/** A linear congruential generator. */
export function numberChoice(seed: number): NumberChoice {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

export function pick<T>(choose: NumberChoice, items: readonly T[]): T {
  const item = items[choose(items.length)];
  assert.ok(item !== undefined);
  return item;
}
