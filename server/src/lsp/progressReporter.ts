// Work-done progress of a check: shown after a second, with real counts and a Cancel button.
import type { Connection } from "vscode-languageserver/node";
import type { Progress, ProgressUnit } from "../protocol/requests";

/** Unit of the count. Only a percentage is a share of all there is to do, and drawn as one. */
type Unit = ProgressUnit | "percent" | "histories";

export interface CheckProgress {
  /** In the unit that it began with, unless another one is named. */
  report(done: number, total: number, unit?: Unit): void;
  end(): void;
}

const SHOW_AFTER = 1000;

/**
 * Counts of one size of groups after the other, each with one total. What a check tells counts on from size to size, so that
 * its total grows.
 */
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
      // The client was asked for a bar that is not needed any more: it must still be closed.
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
