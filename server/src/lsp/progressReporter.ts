// Work-done progress of a check: shown after a second, with real counts and a Cancel button.
import type { Connection } from "vscode-languageserver/node";

/** What is counted. */
type Unit = "groups of transactions" | "percent" | "histories" | "files";

export interface CheckProgress {
  /** In the unit that it began with, unless another one is named. */
  report(done: number, total: number, unit?: Unit): void;
  end(): void;
}

const SHOW_AFTER = 1000;

/** Progress for one check; `cancel` runs when the user asks for it. `unit` is what is counted. */
export function beginProgress(
  connection: Connection,
  title: string,
  cancel: () => void,
  usual: Unit = "groups of transactions",
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
    bar.begin(title, percent(counts), countText(counts, unit), true);
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
      bar?.report(percent(counts), countText(counts, unit));
    },
    end() {
      ended = true;
      clearTimeout(timer);
      bar?.done();
    },
  };
}

function percent({ done, total }: { readonly done: number; readonly total: number }): number {
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
