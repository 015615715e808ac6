// Time limits of a search: a budget, or as long as a first screen of findings is still growing.
import { ownTime } from "./search/processTime";

/** How long a search goes on that nobody gave a budget, in milliseconds of the process' own time. */
export interface Patience {
  /** The time before the first find. */
  readonly first: number;
  /** The time after each find. */
  readonly next: number;
  /** The time in all. */
  readonly most: number;
}

/** A repository of some hundred files tells its worst races within the first of these, and little new behind the last. */
export const FIRST_SCREEN: Patience = { first: 45_000, next: 15_000, most: 60_000 };

export interface TimeLimit {
  /** Aborts when the time is over, and when the signal does that it follows. */
  readonly limit: AbortSignal;
  /** Something was found: a patient search goes on. */
  readonly extend: () => void;
  /** Milliseconds of the process' own time so far. */
  readonly spent: () => number;
  readonly release: () => void;
}

/** A limit of `budget` milliseconds of the process' own time; with patience at least that. */
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
  const wait = (): void => {
    const left = end - clock();
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
      const later = Math.min(patience.most, clock() + patience.next);
      end = Math.max(budget, hasFound ? end : 0, later);
      hasFound = true;
      clearTimeout(timer);
      wait();
    },
    spent: clock,
    release: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}
