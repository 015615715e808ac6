// Threads that explore parts of a client program for the main exploring thread; each loads the program itself.
import { parentPort, Worker } from "node:worker_threads";
import type { Part, PartResult, PartRunner } from "../../clients/exploreParts";
import { reasonOf } from "../../protocol/fault";
import { ownTime } from "../search/processTime";
import { openPartRunner, type ExploreJob } from "./job";
import { HEAP_MEGABYTES, STOP, type ExploreHelperData } from "./messages";

type FromHelper =
  | { readonly kind: "found"; readonly result: PartResult }
  | { readonly kind: "error"; readonly message: string };

export interface ExploreHelpers {
  /** Starts the threads; each is created on first use. */
  readonly open: (level: string, assertions: readonly number[]) => readonly PartRunner[];
  /** Ends all threads. */
  readonly dispose: () => Promise<void>;
}

/** Creates up to `count` threads of the script of `exploreWorker.ts`. */
export function exploreHelpers(
  script: string,
  count: number,
  job: ExploreJob,
  shared: SharedArrayBuffer,
): ExploreHelpers {
  const running = new Set<Worker>();
  const dispose = async (): Promise<void> => {
    const ending = [...running].map((worker) => worker.terminate());
    running.clear();
    await Promise.all(ending);
  };
  const start = (level: string, assertions: readonly number[]): Worker => {
    const helper: ExploreHelperData = { helper: { job, level, assertions }, shared };
    const worker = new Worker(script, {
      workerData: helper,
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    running.add(worker);
    // The pending request rejects on its own; an idle thread that fails gets no more requests.
    worker.on("error", () => undefined);
    worker.on("exit", () => running.delete(worker));
    return worker;
  };
  return {
    dispose,
    open: (level, assertions) => {
      // Threads of an earlier level cannot be reused.
      void dispose();
      return Array.from({ length: count }, () => {
        let worker: Worker | undefined;
        return (part: Part) => {
          worker ??= start(level, assertions);
          return running.has(worker)
            ? ask(worker, part)
            : Promise.reject(new Error("the client's code ended its thread"));
        };
      });
    },
  };
}

/** Rejects if the thread dies. */
function ask(worker: Worker, part: Part): Promise<PartResult> {
  return new Promise((resolve, reject) => {
    const settle = (go: () => void): void => {
      worker.removeListener("message", onMessage);
      worker.removeListener("error", onError);
      worker.removeListener("exit", onExit);
      go();
    };
    const onMessage = (message: FromHelper): void => {
      settle(() => {
        if (message.kind === "found") resolve(message.result);
        else reject(new Error(message.message));
      });
    };
    const onError = (error: Error): void => {
      const outOfMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
      settle(() => {
        reject(outOfMemory ? new Error("there is not enough memory for it") : error);
      });
    };
    const onExit = (code: number): void => {
      settle(() => {
        reject(new Error(`the client's code ended the process (code ${String(code)})`));
      });
    };
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.on("exit", onExit);
    worker.postMessage(part);
  });
}

/** Explores the parts that arrive, one after the other. */
export function serveExploreHelper({ helper, shared }: ExploreHelperData): void {
  const port = parentPort;
  if (!port) throw new Error("This script runs as a worker thread only.");
  const flags = new Int32Array(shared);
  const opened = openPartRunner(helper.job, helper.level, helper.assertions, {
    now: ownTime(),
    cancelled: () => Atomics.load(flags, STOP) !== 0,
  });
  const answer = async (part: Part): Promise<FromHelper> => {
    try {
      const run = await opened;
      return { kind: "found", result: await run(part) };
    } catch (error) {
      return { kind: "error", message: reasonOf(error) };
    }
  };
  port.on("message", (part: Part) => {
    void answer(part).then((message) => {
      port.postMessage(message);
    });
  });
}
