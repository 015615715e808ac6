// The thread that explores one client program.
import { parentPort, workerData } from "node:worker_threads";
import { reasonOf } from "../../protocol/fault";
import { ownTime } from "../search/processTime";
import { runExploreJob, type ExploreEvents, type ExploreJob } from "./job";
import { exploreHelpers, serveExploreHelper } from "./helpers";
import {
  PULSE,
  STOP,
  type ExploreHelperData,
  type ExploreThreadData,
  type FromExploreThread,
} from "./messages";

/** Milliseconds between two reports of progress. */
const PAUSE = 200;

/** Runs the job, or the helper, that the thread was started with. */
export function serveExploreJob(): void {
  const port = parentPort;
  if (!port) throw new Error("This script runs as a worker thread only.");
  // Only `exploreProgram` and `exploreHelpers` start this thread, with these data.
  const data = workerData as ExploreThreadData | ExploreHelperData;
  if ("helper" in data) {
    serveExploreHelper(data);
    return;
  }
  const { job, shared, script } = data;
  const others = (job.threads ?? 1) - 1;
  const helpers = exploreHelpers(script, others, job, shared);
  const flags = new Int32Array(shared);
  const send = (message: FromExploreThread): void => {
    port.postMessage(message);
  };
  exploreAndTell(job, send, {
    cancelled: () => {
      Atomics.add(flags, PULSE, 1);
      return Atomics.load(flags, STOP) !== 0;
    },
    ...(others > 0 && { helpers: helpers.open }),
    ended: helpers.dispose,
  });
}

interface Surroundings extends Pick<ExploreEvents, "cancelled" | "helpers"> {
  readonly ended?: () => Promise<void>;
}

/** Runs the job and sends its progress and exactly one outcome. */
export function exploreAndTell(
  job: ExploreJob,
  send: (message: FromExploreThread) => void,
  { ended, ...events }: Surroundings,
): void {
  let told = -Infinity;
  let stage = "";
  const work = runExploreJob(job, {
    ...events,
    progress: (level, progress) => {
      const now = performance.now();
      if (progress.stage === stage && now - told < PAUSE) return;
      told = now;
      ({ stage } = progress);
      send({ kind: "progress", level, progress });
    },
    now: ownTime(),
  }).finally(ended);
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
          message: reasonOf(error),
        });
    },
  );
}
