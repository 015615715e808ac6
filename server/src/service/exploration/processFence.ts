// One job in a sandboxed process, which may read some folders and nothing else, because it runs the workspace's code. It is asked to stop
// on cancellation, killed if it does not, and settled exactly once.
import { fork } from "node:child_process";

export interface ProcessTask<Outcome, Message> {
  /** Absolute path of the process' script. */
  readonly script: string;
  /** Folders that it may read, recursively. */
  readonly readable: readonly string[];
  readonly cwd: string;
  readonly heapMegabytes: number;
  /** The job that is sent to it at the start. */
  readonly job: unknown;
  /** Milliseconds that it has to react to a stop request. */
  readonly grace: number;
  /** Handles a message of the process; a returned value settles the job. */
  readonly take: (message: Message) => Outcome | Error | undefined;
  readonly cancelled: () => Outcome;
  readonly outOfMemory: () => Outcome;
  /** The outcome if the process exits without one. */
  readonly gone: (code: number) => Outcome | Error;
  /** Called once after the start with a function that ends the process; returns the cleanup. */
  readonly watch: (end: (outcome: Outcome) => void) => () => void;
}

/** The flag that turns Node's permission model on; undefined if this Node has none. */
export function permissionFlag(): string | undefined {
  const known = process.allowedNodeEnvironmentFlags;
  return ["--permission", "--experimental-permission"].find((flag) => known.has(flag));
}

/** Runs the job. Rejects only for defects: an error returned by `take` or `gone`, or a process that does not start. */
export function runInFence<Outcome extends object, Message>(
  task: ProcessTask<Outcome, Message>,
  flag: string,
  signal: AbortSignal,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      resolve(task.cancelled());
      return;
    }
    const child = fork(task.script, [], {
      cwd: task.cwd,
      execArgv: [
        ...[flag, "--no-warnings", "--no-addons"],
        `--max-old-space-size=${String(task.heapMegabytes)}`,
        ...task.readable.map((folder) => `--allow-fs-read=${folder}/*`),
      ],
      // The user's environment is not passed on; an editor's own executable is told to behave as Node.
      env: "electron" in process.versions ? { ELECTRON_RUN_AS_NODE: "1" } : {},
      // The output of the client's code is discarded.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    // The child is killed with this process: endless code would not notice that its parent is gone.
    const leave = (): void => {
      child.kill("SIGKILL");
    };
    process.once("exit", leave);
    let timer: NodeJS.Timeout | undefined;
    const unwatch = task.watch(end);
    const onAbort = (): void => {
      if (child.connected) child.send({ kind: "stop" });
      timer = setTimeout(() => {
        end(task.cancelled());
      }, task.grace);
    };
    function end(outcome: Outcome | Error): void {
      clearTimeout(timer);
      unwatch();
      signal.removeEventListener("abort", onAbort);
      child.removeAllListeners();
      // A process that is being ended may still fail; the error is irrelevant.
      child.on("error", () => undefined);
      process.removeListener("exit", leave);
      leave();
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }
    signal.addEventListener("abort", onAbort);
    child.on("message", (message) => {
      // Messages come from our script, or from the code that it runs.
      const outcome = task.take(message as Message);
      if (outcome) end(outcome);
    });
    child.on("error", end);
    child.on("exit", (code, killed) => {
      end(killed === "SIGABRT" || code === 134 ? task.outOfMemory() : task.gone(code ?? 1));
    });
    child.send({ kind: "job", job: task.job });
  });
}
