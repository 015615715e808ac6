// The thread that reads and judges one history, and the messages between it and its host.
import { parentPort, workerData } from "node:worker_threads";
import { reasonOf } from "../../protocol/fault";
import { ownTime } from "../search/processTime";
import { runHistoryJob, type HistoryJob, type HistoryOutcome } from "./job";

export interface HistoryThreadData {
  readonly job: HistoryJob;
  /** One integer: not 0 after the user asked to stop. */
  readonly stop: SharedArrayBuffer;
}

export type FromHistoryThread =
  | { readonly kind: "progress"; readonly stage: string; readonly share: number }
  | { readonly kind: "done"; readonly outcome: HistoryOutcome }
  | { readonly kind: "memory" }
  | { readonly kind: "error"; readonly message: string };

/** Runs the job that the thread was started with. */
export function serveHistoryJob(): void {
  const port = parentPort;
  if (!port) throw new Error("This script runs as a worker thread only.");
  // Only `checkHistoryFile` starts this thread, with these data.
  const { job, stop } = workerData as HistoryThreadData;
  const flag = new Int32Array(stop);
  const send = (message: FromHistoryThread): void => {
    port.postMessage(message);
  };
  try {
    const outcome = runHistoryJob(job, {
      cancelled: () => Atomics.load(flag, 0) !== 0,
      progress: (stage, share) => {
        send({ kind: "progress", stage, share });
      },
      now: ownTime(),
    });
    send({ kind: "done", outcome });
  } catch (error) {
    if (error instanceof RangeError) send({ kind: "memory" });
    else
      send({
        kind: "error",
        message: reasonOf(error),
      });
  }
}
