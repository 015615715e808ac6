// The check of a part of a program that runs while the rest is still read.
import type { WorkspaceCheck } from "./session";

/** A check beside a longer work. */
export interface EarlyCheck {
  /** Starts it, in place of one that was begun before; it follows the signal that it was made with, too. */
  begin(check: (signal: AbortSignal) => Promise<WorkspaceCheck>): void;
  /** Ends it. Resolves soon with what is known, undefined where none was begun; rejects when it failed. */
  end(): Promise<WorkspaceCheck | undefined>;
}

/** A check that has not begun. */
export function earlyCheck(signal: AbortSignal): EarlyCheck {
  let own = new AbortController();
  const stop = (): void => {
    own.abort();
  };
  signal.addEventListener("abort", stop);
  let running: Promise<PromiseSettledResult<WorkspaceCheck>> | undefined;
  return {
    begin(check) {
      const before = running;
      stop();
      own = new AbortController();
      const { signal: until } = own;
      if (signal.aborted) stop();
      // What goes wrong is told when it is asked for.
      const begun = Promise.resolve(before).then(() => check(until));
      running = Promise.allSettled([begun]).then(([settled]) => settled);
    },
    async end() {
      stop();
      signal.removeEventListener("abort", stop);
      const settled = await running;
      if (settled?.status === "rejected") throw settled.reason;
      return settled?.value;
    },
  };
}

/**
 * What a stopped check says, with the anomalies that were found before it began. Where it knows nothing of their
 * transactions, which were read before others, the early one is the one that says more.
 */
export function withEarly(
  result: WorkspaceCheck,
  early: WorkspaceCheck | undefined,
): WorkspaceCheck {
  const found = new Set(result.report.anomalies.map(({ id }) => id));
  const more = (early?.report.anomalies ?? []).filter(({ id }) => !found.has(id));
  if (early === undefined || more.length === 0) return result;
  const known = new Set(result.report.transactions.map(({ name }) => name));
  const isKnown = more.every(({ transactions }) => transactions.every((name) => known.has(name)));
  if (!isKnown) return found.size === 0 ? cut(early) : result;
  const anomalies = [...result.report.anomalies, ...more];
  return { ...result, report: { ...result.report, verdict: "anomaly", anomalies } };
}

/** Of what was not come to nothing is known, wherever it is. */
function cut(early: WorkspaceCheck): WorkspaceCheck {
  const unknown = [{ reason: "cancelled", transactions: [] }, ...early.report.unknown];
  return { ...early, report: { ...early.report, unknown } };
}
