// Search for a run that breaks an assertion about an application within so many runs on the mock database, and for the
// smallest one.
import type { OpenedStore } from "./openStore";
import { scriptOf } from "./trace";

export interface Trial {
  /**
   * Calls the application, with as many requests at once as the assertion is about. Best returns them all, so that the
   * next run waits also for those that go on when the level has ended one of them.
   */
  readonly run: () => Promise<void> | readonly Promise<unknown>[] | void;
  /** Throws if the assertion does not hold when all is over. */
  readonly check: () => Promise<void> | void;
  /** How many runs are tried, each with a seed of its own; 100 if absent. */
  readonly runs?: number;
  /** How many more are tried for a smaller one once the assertion has broken; 20 if absent. */
  readonly further?: number;
  /** Seed of the first run; 1 if absent. */
  readonly seed?: number;
}

export interface AssertionFailure {
  /** `reset(seed)` and the same calls repeat the run, if the application repeats itself. */
  readonly seed: number;
  /** How many runs it took until the assertion broke first. */
  readonly runs: number;
  /** Error that `check` threw. */
  readonly error: unknown;
  /** Statements of the sessions with their answers, as SQL. */
  readonly script: string;
}

/**
 * Runs the application again and again from the first rows, and returns the failing run with the fewest statements;
 * undefined if the assertion holds in all. A run that the level itself has ended (40001, a deadlock) says nothing; where
 * all have ended so, nothing was checked, which is an error, as is any other error of the application.
 */
export async function smallestFailure(
  store: OpenedStore,
  { run, check, runs = 100, further = 20, seed: first = 1 }: Trial,
): Promise<AssertionFailure | undefined> {
  let smallest: (AssertionFailure & { readonly size: number }) | undefined;
  let checked = 0;
  for (let at = 0; at < (smallest === undefined ? runs : smallest.runs + further); at++) {
    if (at >= runs + further) break;
    const seed = first + at;
    store.reset(seed);
    if (!(await hasRun(run))) {
      await quiet(store);
      continue;
    }
    checked++;
    const statements = store.statements();
    const error = await thrownBy(check);
    if (error === undefined) continue;
    if (smallest !== undefined && statements.length >= smallest.size) continue;
    const { thrown } = error;
    const found = smallest?.runs ?? at + 1;
    const size = statements.length;
    smallest = { seed, runs: found, error: thrown, script: scriptOf(statements), size };
  }
  if (checked === 0 && runs > 0)
    throw new Error(
      `nothing was checked: the level ended all of ${String(runs)} runs; let the application try again where it is told to`,
    );
  if (smallest === undefined) return undefined;
  const { size: _, ...failure } = smallest;
  return failure;
}

/** As `smallestFailure`, for tests: fails with the script of the smallest failing run. */
export async function assertAlways(store: OpenedStore, trial: Trial): Promise<void> {
  const failure = await smallestFailure(store, trial);
  if (failure === undefined) return;
  const { seed, runs, error, script } = failure;
  const reason = error instanceof Error ? error.message : String(error);
  const head = `broken in run ${String(runs)}; the smallest failing run (seed ${String(seed)}):`;
  throw new Error(`${reason}\n\n${head}\n\n${script}`, { cause: error });
}

/** False if the level ended it. */
async function hasRun(run: Trial["run"]): Promise<boolean> {
  try {
    const running = run();
    if (!isList(running)) await running;
    else {
      const ended = await Promise.allSettled(running);
      const other = ended.findIndex(
        (each) => each.status === "rejected" && !isRefusal(each.reason),
      );
      await (other < 0 ? Promise.all(running) : running[other]);
    }
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

function isList<Item>(running: Promise<void> | readonly Item[] | void): running is readonly Item[] {
  return Array.isArray(running);
}

/** Milliseconds, and how many such spans in a row are silent: one alone may be a pause of a busy machine. */
const QUIET = 30;
const SILENT = 3;

/** Resolves when nothing more is sent: requests beside the one that the level has ended may go on. */
async function quiet(store: OpenedStore): Promise<void> {
  let known = store.statements().length;
  for (let silent = 0; silent < SILENT; silent += 1) {
    await new Promise((resolve) => setTimeout(resolve, QUIET));
    const now = store.statements().length;
    if (now !== known) silent = -1;
    known = now;
  }
}

async function thrownBy(check: Trial["check"]): Promise<{ readonly thrown: unknown } | undefined> {
  try {
    await check();
    return undefined;
  } catch (thrown) {
    return { thrown };
  }
}

/** SQLSTATEs and numbers of serialization failures and deadlocks, as drivers tell them. */
const REFUSALS = new Set<unknown>(["40001", "40P01", "ER_LOCK_DEADLOCK", 1213]);

function isRefusal(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  if ("code" in error && REFUSALS.has(error.code)) return true;
  if ("errno" in error && REFUSALS.has(error.errno)) return true;
  return "cause" in error && isRefusal(error.cause);
}
