// Judges recorded histories in a thread of its own, so that neither the editor nor an interrupt waits for it.
import path from "node:path";
import { Worker } from "node:worker_threads";
import { unknownReport, type HistoryJob, type HistoryOutcome } from "./historyJob";
import type { FromHistoryThread, HistoryThreadData } from "./historyThread";

export interface HistoryCheckOptions {
  /** Absolute path of the thread's script; `history.js` beside the running bundle by default. */
  readonly script?: string;
  /** What is being done, and how much of it is done from 0 to 1. */
  readonly progress?: (stage: string, share: number) => void;
}

/** How long the thread may take to notice that it should stop, in milliseconds. */
const GRACE = 1500;

/** Heap for texts and small objects; the columns of a history are outside of it. */
const HEAP_MEGABYTES = 4096;

/**
 * Reads and judges one history. When the signal aborts, the levels that were decided by then are kept and all others
 * are `unknown`. Rejects only for defects.
 */
export function checkRecorded(
  job: HistoryJob,
  signal: AbortSignal,
  options: HistoryCheckOptions = {},
): Promise<HistoryOutcome> {
  const stop = new SharedArrayBuffer(4);
  const workerData: HistoryThreadData = { job, stop };
  const script = options.script ?? path.join(__dirname, "history.js");
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      resolve(unknownReport(job, "it was cancelled"));
      return;
    }
    const worker = new Worker(script, {
      workerData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      Atomics.store(new Int32Array(stop), 0, 1);
      timer = setTimeout(() => {
        end(unknownReport(job, "it was cancelled"));
      }, GRACE);
    };
    function end(outcome: HistoryOutcome | Error): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      worker.removeAllListeners();
      // A thread that is being ended may still fail; nobody waits for it any more.
      worker.on("error", () => undefined);
      const settle = (): void => {
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      // Whoever gets the outcome may end the process, which must not meet a thread that is ending just now.
      worker.terminate().then(settle, settle);
    }
    signal.addEventListener("abort", onAbort);
    worker.on("message", (message: FromHistoryThread) => {
      switch (message.kind) {
        case "progress":
          options.progress?.(message.stage, message.share);
          break;
        case "done":
          end(message.outcome);
          break;
        case "memory":
          end(unknownReport(job, "there is not enough memory for it"));
          break;
        case "error":
          end(new Error(message.message));
      }
    });
    worker.on("error", (error) => {
      const outOfMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
      end(outOfMemory ? unknownReport(job, "there is not enough memory for it") : error);
    });
    worker.on("exit", (code) => {
      end(new Error(`the thread that judges histories ended with code ${String(code)}`));
    });
  });
}
