// The worker's side of the pool: answers one job at a time, as a worker thread or child process.
import { parentPort, workerData } from "node:worker_threads";
import { SolverError } from "../solver/solver";
import { reasonOf } from "../protocol/fault";
import type { FromWorker, JobFailure, ToWorker, WorkerData } from "./jobs";
import { runJob } from "./runJob";
import { openZ3 } from "./z3";

/** Opens the solver and serves jobs until the thread or process ends. */
export async function serveJobs(): Promise<void> {
  const channel = openChannel();
  let solvers: Awaited<ReturnType<typeof openZ3>>;
  try {
    solvers = await openZ3();
  } catch (error) {
    channel.send({ kind: "failed", failure: startFailure(error) });
    return;
  }
  channel.receive(({ id, job }) => {
    try {
      const results = runJob(solvers, job, () => channel.stopped(id));
      channel.send({ kind: "solved", id, results });
    } catch (error) {
      channel.send({ kind: "error", id, failure: jobFailure(error) });
    }
  });
  channel.send({ kind: "ready" });
}

interface Channel {
  send(message: FromWorker): void;
  receive(listener: (message: ToWorker) => void): void;
  /** True if the job should end early. A child process cannot know; it is terminated from outside. */
  stopped(id: number): boolean;
}

function openChannel(): Channel {
  const port = parentPort;
  if (port) {
    // Only the pool starts this thread, with these data.
    const flag = new Int32Array((workerData as WorkerData).stop);
    return {
      send: (message) => {
        port.postMessage(message);
      },
      receive: (listener) => {
        port.on("message", listener);
      },
      stopped: (id) => Atomics.load(flag, 0) === id,
    };
  }
  return {
    send: (message) => process.send?.(message),
    receive: (listener) => {
      process.on("message", listener);
      process.on("disconnect", () => {
        process.exit(0);
      });
    },
    stopped: () => false,
  };
}

function startFailure(error: unknown): JobFailure {
  const message = reasonOf(error);
  if (error instanceof SolverError && error.code === "memory") return { code: "memory", message };
  return { code: "missing", message };
}

function jobFailure(error: unknown): JobFailure {
  if (error instanceof SolverError) {
    if (error.code === "text")
      return { code: "internal", message: `the solver refused a formula: ${error.message}` };
    return { code: error.code, message: error.message };
  }
  if (error instanceof Error && error.name === "RuntimeError") {
    // The error of WebAssembly when it traps.
    return { code: "crashed", message: "the solver stopped inside its own code" };
  }
  return { code: "internal", message: reasonOf(error) };
}
