// The check of a part of a program while the rest is still being read.
import { reasonOf } from "../../protocol/fault";
import type { WorkspaceCheck } from "../workspaceCheck";

/** Checks that run beside a longer task. */
export interface EarlyCheck {
  /** Starts a check in place of the previous one; the signal of its creation aborts it too. */
  begin(check: (signal: AbortSignal) => Promise<WorkspaceCheck>): void;
  /** Stops the current check. Resolves soon with the findings of all. */
  end(): Promise<EarlyEnd>;
}

export interface EarlyEnd {
  /** Undefined if none was started, or all failed. */
  readonly check?: WorkspaceCheck;
  /** Failures, which do not stop the longer task. */
  readonly failures: readonly string[];
}

/** Creates an early check; none is running yet. */
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
 * The report of a stopped check, with the anomalies of the early check. The early report is used where the full one knows nothing of its
 * transactions, because those were read first.
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

/** Marks everything that was not reached as unknown, wherever it is. */
function cut(early: WorkspaceCheck): WorkspaceCheck {
  const unknown = [{ reason: "cancelled", transactions: [] }, ...early.report.unknown];
  return { ...early, report: { ...early.report, unknown } };
}
