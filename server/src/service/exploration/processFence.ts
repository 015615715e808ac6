// One job in a process of its own, which may read some folders and nothing else: the code that it runs is the workspace's.
// Told to stop when it is cancelled, ended when it does not, and settled exactly once.
import { fork } from "node:child_process";

export interface ProcessTask<Outcome, Message> {
  /** Absolute path of the process' script. */
  readonly script: string;
  /** Folders that it may read, with all that is below. */
  readonly readable: readonly string[];
  readonly cwd: string;
  readonly heapMegabytes: number;
  /** Job that it is sent to begin with. */
  readonly job: unknown;
  /** Milliseconds that it may take to notice that it should stop. */
  readonly grace: number;
  /** A message of the process; what it returns is the end of it. */
  readonly take: (message: Message) => Outcome | Error | undefined;
  readonly cancelled: () => Outcome;
  readonly outOfMemory: () => Outcome;
  /** The process ended by itself and without a word. */
  readonly gone: (code: number) => Outcome | Error;
  /** Called once when the process has started, with the way to end it; returns what takes that back. */
  readonly watch: (end: (outcome: Outcome) => void) => () => void;
}

/** The word that turns Node's permission model on, undefined where this Node has none. */
export function permissionFlag(): string | undefined {
  const known = process.allowedNodeEnvironmentFlags;
  return ["--permission", "--experimental-permission"].find((flag) => known.has(flag));
}

/** Runs the job. Rejects for what is a defect: an error that `take` or `gone` returns, or a process that does not start. */
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
      // Nothing of the user's environment; an editor's own executable is told to be Node.
      env: "electron" in process.versions ? { ELECTRON_RUN_AS_NODE: "1" } : {},
      // Output of the client's code is no report.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    // Code that never comes back does not notice that nobody waits for it any more.
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
      // A process that is being ended may still fail; nobody waits for it any more.
      child.on("error", () => undefined);
      process.removeListener("exit", leave);
      leave();
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }
    signal.addEventListener("abort", onAbort);
    child.on("message", (message) => {
      // Messages here were sent by our script, or by code that it runs, of itself.
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
