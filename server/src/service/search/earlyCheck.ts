// The check of a part of a program that runs while the rest is still read.
import { reasonOf } from "../../protocol/fault";
import type { WorkspaceCheck } from "../session";

/** Checks beside a longer work. */
export interface EarlyCheck {
  /** Starts one, in place of one that was begun before; it follows the signal that it was made with, too. */
  begin(check: (signal: AbortSignal) => Promise<WorkspaceCheck>): void;
  /** Ends it. Resolves soon with what all of them found. */
  end(): Promise<EarlyEnd>;
}

export interface EarlyEnd {
  /** Undefined where none was begun, or all went wrong. */
  readonly check?: WorkspaceCheck;
  /** Failures: the longer work goes on without it. */
  readonly failures: readonly string[];
}

/** None that has begun. */
export function earlyCheck(signal: AbortSignal): EarlyCheck {
  let own = new AbortController();
  const stop = (): void => {
    own.abort();
  };
  signal.addEventListener("abort", stop);
  let running: Promise<EarlyEnd> = Promise.resolve({ failures: [] });
  return {
    begin(check) {
      stop();
      own = new AbortController();
      const { signal: until } = own;
      if (signal.aborted) stop();
      running = behind(running, () => check(until));
    },
    end() {
      stop();
      signal.removeEventListener("abort", stop);
      return running;
    },
  };
}

async function behind(
  before: Promise<EarlyEnd>,
  run: () => Promise<WorkspaceCheck>,
): Promise<EarlyEnd> {
  const { check: last, failures } = await before;
  try {
    return { check: withEarly(await run(), last), failures };
  } catch (error) {
    const why = reasonOf(error);
    return { ...(last && { check: last }), failures: [...failures, why] };
  }
}

/**
 * The report of a stopped check, with the anomalies that were found before it began. Where it knows nothing of their
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

/** Nothing is known of what was not come to, wherever it is. */
function cut(early: WorkspaceCheck): WorkspaceCheck {
  const unknown = [{ reason: "cancelled", transactions: [] }, ...early.report.unknown];
  return { ...early, report: { ...early.report, unknown } };
}
