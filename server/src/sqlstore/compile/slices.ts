// Evaluation in slices: it stops wherever its time is used up, so that others have their turn, and goes on later.

import type { ReadRequest } from "../../exploration/client";

/** A request for nothing: whoever answers it lets others have their turn first. */
export const PAUSE: ReadRequest = { kind: "read", keys: [] };

/** An evaluation that stops for others, and for reads, behind which it goes on. */
export type Slices<T> = Generator<ReadRequest | undefined, T, undefined>;

/** The read that is missing to go on, where an evaluation cannot stop: thrown, and caught by what asks the store and begins again. */
export class MissingRows extends Error {
  request: ReadRequest = PAUSE;
}

/** There is one, since taking down where an error was made takes longer than a statement; it is caught at once. */
const MISSING = new MissingRows("rows are missing");

export function missingRows(asked: ReadRequest): MissingRows {
  MISSING.request = asked;
  return MISSING;
}

/** Runs to the end without a stop, where whoever asks cannot wait. Throws `MissingRows` where a read is needed. */
export function toEnd<T>(slices: Slices<T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
    if (value !== undefined) throw missingRows(value);
  }
}
