// Work-done progress of a check: shown after a second, with real counts and a Cancel button.
import type { Connection } from "vscode-languageserver/node";
import type { Progress, ProgressUnit } from "../protocol/requests";

/** The unit of the count. Only a percentage is a share of the whole, and shown as a bar. */
type Unit = ProgressUnit | "percent" | "histories";

export interface CheckProgress {
  /** Keeps its initial unit, unless another one is named. */
  report(done: number, total: number, unit?: Unit): void;
  end(): void;
}

const SHOW_AFTER = 1000;

/** Counts per tuple size, each with its own total. A check's counts continue from size to size, so its total grows. */
export function countedPhases(): (done: number, total: number, size: number) => Required<Progress> {
  let phase = { before: 0, total: 0 };
  return (done, total, size) => {
    if (total > phase.total) phase = { before: done, total };
    const unit = size === 2 ? "pairs" : size === 3 ? "groups of three" : "larger groups";
    return { done: done - phase.before, total: total - phase.before, unit };
  };
}

/** Progress for one check; `cancel` runs when the user asks for it. `unit` is what is counted. */
export function beginProgress(
  connection: Connection,
  title: string,
  cancel: () => void,
  usual: Unit = "pairs",
): CheckProgress {
  let counts = { done: 0, total: 0 };
  let unit = usual;
  let ended = false;
  let bar: Awaited<ReturnType<typeof connection.window.createWorkDoneProgress>> | undefined;

  async function show(): Promise<void> {
    const created = await connection.window.createWorkDoneProgress();
    if (ended) {
      // The client was asked for a bar that is no longer needed: it must still be closed.
      created.begin(title, 100, "", true);
      created.done();
      return;
    }
    bar = created;
    bar.begin(title, percent(counts, unit), countText(counts, unit), true);
    bar.token.onCancellationRequested(cancel);
  }

  const timer = setTimeout(() => {
    show().catch((error: unknown) => {
      connection.console.warn(`no progress can be shown: ${String(error)}`);
    });
  }, SHOW_AFTER);

  return {
    report(done, total, own = usual) {
      counts = { done, total };
      unit = own;
      const share = percent(counts, unit);
      if (share === undefined) bar?.report(countText(counts, unit));
      else bar?.report(share, countText(counts, unit));
    },
    end() {
      ended = true;
      clearTimeout(timer);
      bar?.done();
    },
  };
}

function percent(
  { done, total }: { readonly done: number; readonly total: number },
  unit: Unit,
): number | undefined {
  if (unit !== "percent") return undefined;
  return total === 0 ? 0 : Math.min(100, Math.floor((100 * done) / total));
}

function countText(
  { done, total }: { readonly done: number; readonly total: number },
  unit: Unit,
): string {
  if (unit === "histories" && done > 0) return `${done.toLocaleString("en")} histories`;
  if (total === 0) return "reading";
  if (unit === "files") {
    return `reading ${done.toLocaleString("en")} of ${total.toLocaleString("en")} files`;
  }
  return unit === "percent"
    ? `${String(done)} percent`
    : `${String(done)} of ${String(total)} ${unit}`;
}
