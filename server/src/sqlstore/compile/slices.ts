// Evaluation in slices: it stops wherever its time is used up, so that others have their turn, and goes on later.

import type { ReadRequest } from "../../exploration/client";

/** A request for nothing: whoever answers it lets others have their turn first. */
export const PAUSE: ReadRequest = { kind: "read", keys: [] };

/** An evaluation that stops for others. */
export type Slices<T> = Generator<undefined, T, undefined>;

/** The work of a change: it stops also for reads, behind which it goes on. */
export type ChangeSteps<T> = Generator<ReadRequest | undefined, T, undefined>;

/** Runs to the end without a stop, where whoever asks cannot wait. */
export function toEnd<T>(slices: Slices<T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
  }
}
