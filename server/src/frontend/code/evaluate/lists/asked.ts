// When lists were last asked for what they hold. A loop that only adds to a list may take its rounds as alike; one that
// asks the list on the way may not.
import type { Cell } from "../../values";

let count = 0;
const last = new WeakMap<Cell, number>();

/** Notes that a list is asked for its items; `grown` is its own. */
export function noteAsked(grown: Cell): void {
  count += 1;
  last.set(grown, count);
}

/** A moment, for `wasAskedSince`. */
export function askedSoFar(): number {
  return count;
}

/** Whether a cell is one of a list that was asked for its items since a moment. */
export function wasAskedSince(cell: Cell, moment: number): boolean {
  return (last.get(cell) ?? 0) > moment;
}
