// Judges recorded histories in their own thread, so that neither the editor nor Ctrl-C waits for it.
import path from "node:path";
import { runInThread } from "../search/oneThread";
import { unknownReport, type HistoryJob, type HistoryOutcome } from "./job";
import type { FromHistoryThread, HistoryThreadData } from "./thread";

export interface HistoryCheckOptions {
  /** Absolute path of the thread's script; `history.js` beside the running bundle by default. */
  readonly script?: string;
  /** The current stage, and its share done from 0 to 1. */
  readonly progress?: (stage: string, share: number) => void;
}

/** Milliseconds that the thread has to react to a stop request. */
const GRACE = 1500;

/** Heap for texts and small objects; a history's columns live outside of it. */
const HEAP_MEGABYTES = 4096;

/** Reads and judges one history. On abort the levels decided so far are kept and the others are `unknown`. Rejects only for defects. */
export function checkHistoryFile(
  job: HistoryJob,
  signal: AbortSignal,
  options: HistoryCheckOptions = {},
): Promise<HistoryOutcome> {
  const stop = new SharedArrayBuffer(4);
  const workerData: HistoryThreadData = { job, stop };
  return runInThread<HistoryOutcome, FromHistoryThread>(
    {
      script: options.script ?? path.join(__dirname, "history.js"),
      workerData,
      heapMegabytes: HEAP_MEGABYTES,
      askToStop: () => {
        Atomics.store(new Int32Array(stop), 0, 1);
      },
      grace: GRACE,
      take(message) {
        switch (message.kind) {
          case "progress":
            options.progress?.(message.stage, message.share);
            return undefined;
          case "done":
            return message.outcome;
          case "memory":
            return outOfMemory(job);
          case "error":
            return new Error(message.message);
        }
      },
      cancelled: () => unknownReport(job, "it was cancelled"),
      outOfMemory: () => outOfMemory(job),
      gone: (code) => new Error(`the thread that judges histories ended with code ${String(code)}`),
    },
    signal,
  );
}

function outOfMemory(job: HistoryJob): HistoryOutcome {
  return unknownReport(job, "there is not enough memory for it");
}
