// One job in its own thread: asked to stop on cancellation, terminated if it does not, and settled exactly once whatever happens to the
// thread.
import { Worker } from "node:worker_threads";

export interface ThreadTask<Outcome, Message> {
  /** Absolute path of the thread's script. */
  readonly script: string;
  readonly workerData: unknown;
  readonly heapMegabytes: number;
  /** True to discard the thread's output: it runs foreign code. */
  readonly silent?: boolean;
  /** Signals the thread through shared memory that it should finish. */
  readonly askToStop: () => void;
  /** Milliseconds that it has to react. */
  readonly grace: number;
  /** Handles a message of the thread; a returned value settles the job. */
  readonly take: (message: Message) => Outcome | Error | undefined;
  readonly cancelled: () => Outcome;
  readonly outOfMemory: () => Outcome;
  /** The outcome if the thread exits without one. */
  readonly gone: (code: number) => Outcome | Error;
  /** Called once after the start with a function that ends the thread; returns the cleanup. */
  readonly watch?: (end: (outcome: Outcome) => void) => () => void;
}

/** Runs the job. Rejects only for defects: an error returned by `take` or `gone`, or one of the thread itself. */
export function runInThread<Outcome extends object, Message>(
  task: ThreadTask<Outcome, Message>,
  signal: AbortSignal,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      resolve(task.cancelled());
      return;
    }
    const worker = new Worker(task.script, {
      workerData: task.workerData,
      execArgv: [],
      ...(task.silent === true && { stdout: true, stderr: true }),
      resourceLimits: { maxOldGenerationSizeMb: task.heapMegabytes },
    });
    let timer: NodeJS.Timeout | undefined;
    const unwatch = task.watch?.(end);
    const onAbort = (): void => {
      task.askToStop();
      timer = setTimeout(() => {
        end(task.cancelled());
      }, task.grace);
    };
    function end(outcome: Outcome | Error): void {
      clearTimeout(timer);
      unwatch?.();
      signal.removeEventListener("abort", onAbort);
      worker.removeAllListeners();
      // A thread that is being ended may still fail; the error is irrelevant.
      worker.on("error", () => undefined);
      const settle = (): void => {
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      // The promise settles after termination: its caller may exit the process, which must not happen while a thread is ending.
      worker.terminate().then(settle, settle);
    }
    signal.addEventListener("abort", onAbort);
    worker.on("message", (message: Message) => {
      const outcome = task.take(message);
      if (outcome) end(outcome);
    });
    worker.on("error", (error) => {
      const outOfMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
      end(outOfMemory ? task.outOfMemory() : error);
    });
    worker.on("exit", (code) => {
      end(task.gone(code));
    });
  });
}
