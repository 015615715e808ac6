// Tasks requested by the user: with progress, and cancelled by the request, by the Cancel button, or all together.
import type { CancellationToken } from "vscode-languageserver/node";
import { beginProgress, type CheckProgress } from "./progressReporter";
import type { ServerState } from "./serverState";

export interface UserTasks {
  run<T>(
    task: { readonly title: string; readonly unit: "percent" | "histories" },
    token: CancellationToken,
    body: (signal: AbortSignal, progress: Pick<CheckProgress, "report"> | undefined) => Promise<T>,
  ): Promise<T>;
  /** Stops running tasks; returns their number. */
  cancel(): number;
}

export function createUserTasks({ connection, capabilities }: ServerState): UserTasks {
  const running = new Set<AbortController>();
  return {
    async run({ title, unit }, token, body) {
      const controller = new AbortController();
      running.add(controller);
      const abort = (): void => {
        controller.abort();
      };
      const cancelled = token.onCancellationRequested(abort);
      const progress = capabilities.progress
        ? beginProgress(connection, title, abort, unit)
        : undefined;
      try {
        return await body(controller.signal, progress);
      } finally {
        cancelled.dispose();
        progress?.end();
        running.delete(controller);
      }
    },
    cancel() {
      for (const each of running) each.abort();
      return running.size;
    },
  };
}
