// One job in a thread of its own: asked to stop when it is cancelled, ended when it does not, and settled exactly once,
// whatever becomes of the thread.
import { Worker } from "node:worker_threads";

export interface ThreadTask<Outcome, Message> {
  /** Absolute path of the thread's script. */
  readonly script: string;
  readonly workerData: unknown;
  readonly heapMegabytes: number;
  /** The thread's output goes nowhere: it runs code of others. */
  readonly silent?: boolean;
  /** Tells the thread, by memory that both share, that it should come to its end. */
  readonly askToStop: () => void;
  /** How long it may take to notice that, in milliseconds. */
  readonly grace: number;
  /** A message of the thread; what it returns is the end of it. */
  readonly take: (message: Message) => Outcome | Error | undefined;
  readonly cancelled: () => Outcome;
  readonly outOfMemory: () => Outcome;
  /** The thread ended by itself and without a word. */
  readonly gone: (code: number) => Outcome | Error;
  /** Called once when the thread has started, with the way to end it; returns what takes that back. */
  readonly watch?: (end: (outcome: Outcome) => void) => () => void;
}

/** Runs the job. Rejects for what is a defect: an error that `take` or `gone` returns, or one of the thread itself. */
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
