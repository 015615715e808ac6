// One running worker behind a common interface: a thread of this process, or a process of another Node executable.
import { fork } from "node:child_process";
import { Worker } from "node:worker_threads";
import { reasonOf } from "../protocol/fault";
import type { FromWorker, JobFailure, ToWorker, WorkerData } from "./jobs";

export interface WorkerHost {
  post(message: ToWorker): void;
  /** Asks the running job to end between two queries; true if the worker can receive that. */
  askToStop(id: number): boolean;
  /** Sets whether this worker keeps the process alive. */
  keepAlive(yes: boolean): void;
  terminate(): Promise<void>;
}

export interface HostEvents {
  message(message: FromWorker): void;
  /** The worker ended by itself. At most once, and not after `terminate`. */
  died(failure: JobFailure): void;
}

export interface HostOptions {
  /** Absolute path of the worker's script. */
  readonly script: string;
  /** Limit of the JavaScript heap, without the solver's own memory. */
  readonly heapMegabytes: number;
}

/** Starts the script as a thread of this process. */
export function startThread(options: HostOptions, events: HostEvents): WorkerHost {
  const stop = new SharedArrayBuffer(4);
  const flag = new Int32Array(stop);
  const data: WorkerData = { stop };
  const worker = new Worker(options.script, {
    workerData: data,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: options.heapMegabytes },
    // The solver's runtime prints warnings, which are discarded.
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  const said = lastWords(worker.stderr);
  const end = once((failure) => {
    events.died(failure);
  });
  worker.on("message", (message: FromWorker) => {
    events.message(message);
  });
  worker.on("error", (error) => {
    end(threadFailure(error));
  });
  worker.on("exit", (code) => {
    end({
      code: "crashed",
      message: `the solver's thread ended with code ${String(code)}${said()}`,
    });
  });
  worker.unref();
  return {
    post: (message) => {
      worker.postMessage(message);
    },
    askToStop: (id) => {
      Atomics.store(flag, 0, id);
      return true;
    },
    keepAlive: (yes) => {
      if (yes) worker.ref();
      else worker.unref();
    },
    terminate: async () => {
      end.silence();
      await worker.terminate();
    },
  };
}

/** Starts the script with another Node executable, for hosts whose own runtime cannot run the solver. */
export function startProcess(
  nodePath: string,
  options: HostOptions,
  events: HostEvents,
): WorkerHost {
  const child = fork(options.script, {
    execPath: nodePath,
    execArgv: [`--max-old-space-size=${String(options.heapMegabytes)}`],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ...process.env, ELECTRON_RUN_AS_NODE: undefined },
  });
  const said = child.stderr ? lastWords(child.stderr) : () => "";
  const end = once((failure) => {
    events.died(failure);
  });
  child.on("message", (message) => {
    // The script is ours and speaks this protocol only.
    events.message(message as FromWorker);
  });
  child.on("error", (error) => {
    end({ code: "missing", message: `${nodePath} cannot be started: ${error.message}` });
  });
  child.on("exit", (code, signal) => {
    const how = signal === null ? `with code ${String(code)}` : `by ${signal}`;
    end({ code: "crashed", message: `the solver's process ended ${how}${said()}` });
  });
  const setAlive = (yes: boolean): void => {
    if (yes) child.ref();
    else child.unref();
    if (yes) child.channel?.ref();
    else child.channel?.unref();
  };
  setAlive(false);
  return {
    post: (message) => {
      child.send(message);
    },
    askToStop: () => false,
    keepAlive: setAlive,
    terminate: () => {
      end.silence();
      if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
      child.ref();
      return new Promise((resolve) => {
        child.once("exit", () => {
          resolve();
        });
        child.kill("SIGKILL");
      });
    },
  };
}

function threadFailure(error: Error): JobFailure {
  const code = "code" in error ? String(error.code) : "";
  if (code === "ERR_WORKER_OUT_OF_MEMORY") {
    return { code: "memory", message: "the solver's thread ran out of memory" };
  }
  if (code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND") {
    return { code: "missing", message: `the solver's script cannot be loaded: ${error.message}` };
  }
  return { code: "crashed", message: `the solver's thread failed: ${reasonOf(error)}` };
}

interface Once {
  (failure: JobFailure): void;
  silence(): void;
}

function once(listener: (failure: JobFailure) => void): Once {
  let open = true;
  const call = (failure: JobFailure): void => {
    if (!open) return;
    open = false;
    listener(failure);
  };
  return Object.assign(call, {
    silence: () => {
      open = false;
    },
  });
}

/** Keeps the last line of a stream, as the end of a sentence. */
function lastWords(stream: NodeJS.ReadableStream): () => string {
  let tail = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string | Buffer) => {
    tail = (tail + String(chunk)).slice(-500);
  });
  return () => {
    const line = tail.trim().split("\n").at(-1) ?? "";
    return line === "" ? "" : `: ${line}`;
  };
}
