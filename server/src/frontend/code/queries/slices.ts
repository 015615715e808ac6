// Long reading in slices: a generator that comes up for air often, so that others get their turn between two slices, and
// that can be ended inside of one.

/** How far reading has come. */
export interface ReadingStep {
  readonly done: number;
  /** Files there are. */
  readonly total: number;
}

/** Work that gives way between its slices. */
export type SlicedWork<Result> = Generator<ReadingStep, Result, void>;

/** True if reading is to come to its end with what it has so far; asked often. */
export type IsStopped = () => boolean;

/** Does all slices of a work one behind the other. */
export function atOnce<Result>(work: SlicedWork<Result>): Result {
  for (;;) {
    const slice = work.next();
    if (slice.done === true) return slice.value;
  }
}

/** Ends the evaluation of a function of which nothing is kept. */
export class ReadingCancelled extends Error {}

/** The check that throws `ReadingStopped` once reading is to end. */
export function pulseOf(isStopped: IsStopped | undefined): () => void {
  if (isStopped === undefined) return () => undefined;
  return () => {
    if (isStopped()) throw new ReadingCancelled("reading was stopped");
  };
}
