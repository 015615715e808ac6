// Time-sliced reading: a generator that yields often, so that other work gets its turn, and that can be cancelled within a slice.

/** The progress of reading. */
export interface ReadingStep {
  readonly done: number;
  /** The number of files. */
  readonly total: number;
}

/** Work that yields between its slices. */
export type SlicedWork<Result> = Generator<ReadingStep, Result, void>;

/** True if reading should finish with the results so far; polled often. */
export type IsStopped = () => boolean;

/** Runs all slices of a piece of work in sequence. */
export function atOnce<Result>(work: SlicedWork<Result>): Result {
  for (;;) {
    const slice = work.next();
    if (slice.done === true) return slice.value;
  }
}

/** Aborts the evaluation of a function without keeping any of it. */
export class ReadingCancelled extends Error {}

/** A check that throws `ReadingCancelled` once reading should end. */
export function pulseOf(isStopped: IsStopped | undefined): () => void {
  if (isStopped === undefined) return () => undefined;
  return () => {
    if (isStopped()) throw new ReadingCancelled("reading was stopped");
  };
}
