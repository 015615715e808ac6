// The thread that explores one client program, and what it and its host say to each other.
import { parentPort, workerData } from "node:worker_threads";
import type { ExploreProgress } from "../clients/exploreLevel";
import { runExploreJob, type ExploreJob, type ExploreOutcome } from "./exploreJob";

export interface ExploreThreadData {
  readonly job: ExploreJob;
  /** Two integers: not 0 when the user asked to stop; a count that grows while there is progress. */
  readonly shared: SharedArrayBuffer;
}

export type FromExploreThread =
  | { readonly kind: "progress"; readonly level: string; readonly progress: ExploreProgress }
  | { readonly kind: "done"; readonly outcome: ExploreOutcome }
  | { readonly kind: "memory" }
  | { readonly kind: "error"; readonly message: string };

/** Places in the shared integers. */
export const STOP = 0;
export const PULSE = 1;

/** Milliseconds between two reports of progress. */
const PAUSE = 200;

/** Does the job that the thread was started with. */
export function serveExploreJob(): void {
  const port = parentPort;
  if (!port) throw new Error("This script runs as a worker thread only.");
  // Given by `exploreProgram`, which is the only one to start this thread.
  const { job, shared } = workerData as ExploreThreadData;
  const flags = new Int32Array(shared);
  const send = (message: FromExploreThread): void => {
    port.postMessage(message);
  };
  let told = -Infinity;
  let stage = "";
  const work = runExploreJob(job, {
    cancelled: () => {
      Atomics.add(flags, PULSE, 1);
      return Atomics.load(flags, STOP) !== 0;
    },
    progress: (level, progress) => {
      const now = performance.now();
      if (progress.stage === stage && now - told < PAUSE) return;
      told = now;
      ({ stage } = progress);
      send({ kind: "progress", level, progress });
    },
    now: () => performance.now(),
  });
  work.then(
    (outcome) => {
      send({ kind: "done", outcome });
    },
    (error: unknown) => {
      if (error instanceof RangeError && /memory|allocation/iu.test(error.message))
        send({ kind: "memory" });
      else
        send({
          kind: "error",
          message: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
    },
  );
}
