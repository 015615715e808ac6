// Time limits of a search: a budget, or patience that findings extend.
import { ownTime } from "./search/processTime";

/** Time limits of a search without a budget, in milliseconds of process time. */
export interface Patience {
  /** The time until the first finding. */
  readonly first: number;
  /** The time after each finding. */
  readonly next: number;
  /** The total time. */
  readonly most: number;
}

/** A repository of some hundred files yields its worst races within `first`, and little new after `most`. */
export const FIRST_SCREEN: Patience = { first: 45_000, next: 15_000, most: 60_000 };

export interface TimeLimit {
  /** Aborts when the time is over, or when the followed signal does. */
  readonly limit: AbortSignal;
  /** Extends a patient search after a finding. */
  readonly extend: () => void;
  /** Does work that precedes a patient search; a budget of the user's is charged for it. */
  readonly prepare: <Result>(work: () => Result) => Result;
  /** Milliseconds of process time so far. */
  readonly spent: () => number;
  readonly release: () => void;
}

/** A limit of `budget` milliseconds of process time, or more with patience. */
export function timeLimit(
  signal: AbortSignal,
  budget: number,
  patience?: Patience,
  clock: () => number = ownTime(),
): TimeLimit {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  let end = Math.max(budget, patience?.first ?? 0);
  let hasFound = false;
  let free = 0;
  const spent = (): number => clock() - free;
  const wait = (): void => {
    const left = end - spent();
    if (left <= 0) abort();
    else timer = setTimeout(wait, Math.ceil(left));
  };
  let timer = setTimeout(wait, end);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return {
    limit: controller.signal,
    extend: () => {
      if (!patience || controller.signal.aborted) return;
      const later = Math.min(patience.most, spent() + patience.next);
      end = Math.max(budget, hasFound ? end : 0, later);
      hasFound = true;
      clearTimeout(timer);
      wait();
    },
    prepare: (work) => {
      if (!patience) return work();
      const before = clock();
      const result = work();
      free += clock() - before;
      return result;
    },
    spent,
    release: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}
