// A checker in its own thread. An abort is answered soon, whatever the thread does; a thread that stays unresponsive after one is replaced.
import { Worker } from "node:worker_threads";
import type { Level } from "../isolation/levels";
import { reasonOf } from "../protocol/fault";
import type { Anomaly } from "../protocol/report";
import type { PlacedSuppression } from "../service/findings/suppressions";
import type { Project } from "../workspace/projects";
import type { Checker, CheckEvents, CheckOutcome } from "./checker";
import {
  createSender,
  type CheckThreadData,
  type FromCheckThread,
  type ToCheckThread,
} from "./checkMessages";
import { emptyReport } from "./emptyReport";

export interface ThreadCheckerOptions {
  /** Absolute path of the thread's script. */
  readonly script: string;
  readonly data: CheckThreadData;
  /** Milliseconds that the thread has to report its findings after an abort. */
  readonly grace?: number;
  /** Milliseconds of silence after an abort until a thread is replaced. */
  readonly patience?: number;
  /** Memory of a thread's heap. */
  readonly heapMegabytes?: number;
}

const GRACE = 400;
const PATIENCE = 10_000;
const HEAP_MEGABYTES = 4096;
/** Milliseconds that a thread has to end its solver. */
const FAREWELL = 2000;

interface Running {
  readonly events: CheckEvents;
  readonly signal: AbortSignal;
  readonly resolve: (outcome: CheckOutcome) => void;
  readonly reject: (error: Error) => void;
  /** Repeats the request on another thread. */
  readonly again: () => void;
}

/** A message of the thread about another request than a check. */
type Answer = Extract<FromCheckThread, { kind: "fix" | "fixed" | "allocated" }>;

interface Asking {
  readonly take: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly post: (message: ToCheckThread) => void;
  readonly send: (project: Project) => Extract<ToCheckThread, { kind: "check" }>["project"];
  readonly running: Map<number, Running>;
  readonly asking: Map<number, Asking>;
  /** Terminates it; unfinished requests are repeated. */
  readonly replace: () => Promise<void>;
  /** Lets it end its solver first. */
  readonly close: () => Promise<void>;
}

/** A checker whose thread starts with the first check and is kept. A failed thread is replaced by the next check. */
export function threadChecker(options: ThreadCheckerOptions): Checker {
  let thread: Thread | undefined;
  let last = 0;

  const ended = (which: Thread): void => {
    if (thread === which) thread = undefined;
  };

  /** Sends a request; `resultOf` gives the result of the message that ends it. */
  function ask<Result>(
    messageOf: (own: Thread, id: number) => ToCheckThread,
    signal: AbortSignal,
    resultOf: (answer: Answer) => Result | undefined,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const own = (thread ??= startThread(options, ended));
      last += 1;
      const id = last;
      const onAbort = (): void => {
        own.post({ kind: "abort", id });
      };
      const settle = (): void => {
        signal.removeEventListener("abort", onAbort);
        own.asking.delete(id);
      };
      signal.addEventListener("abort", onAbort);
      own.asking.set(id, {
        take: (answer) => {
          const result = resultOf(answer);
          if (result === undefined) return;
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      own.post(messageOf(own, id));
      if (signal.aborted) onAbort();
    });
  }

  const checker: Checker = {
    check: (project, level, signal, events, asked = {}) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          resolve(cancelled(options.data.tool, level));
          return;
        }
        const own = (thread ??= startThread(options, ended));
        last += 1;
        const id = last;
        const stop = new SharedArrayBuffer(4);
        const timers: NodeJS.Timeout[] = [];
        const heard = listening(events);
        const onAbort = (): void => {
          Atomics.store(new Int32Array(stop), 0, 1);
          own.post({ kind: "abort", id });
          timers.push(
            setTimeout(() => {
              resolve(heard.outcome(cancelled(options.data.tool, level)));
            }, options.grace ?? GRACE),
            setTimeout(() => {
              void own.replace();
            }, options.patience ?? PATIENCE),
          );
        };
        const settle = (): void => {
          signal.removeEventListener("abort", onAbort);
          for (const timer of timers) clearTimeout(timer);
          own.running.delete(id);
        };
        signal.addEventListener("abort", onAbort);
        own.running.set(id, {
          events: heard.events,
          signal,
          resolve: (outcome) => {
            settle();
            resolve(outcome);
          },
          reject: (error) => {
            settle();
            reject(error);
          },
          again: () => {
            settle();
            resolve(checker.check(project, level, signal, events, asked));
          },
        });
        const { first = [] } = asked;
        own.post({ kind: "check", id, project: own.send(project), level, first, stop });
      }),
    fixes: (project, level, anomaly, signal, found) =>
      ask(
        (own, id) => ({ kind: "fixes", id, project: own.send(project), level, anomaly }),
        signal,
        (answer) => {
          if (answer.kind === "fix") found(answer.fix);
          return answer.kind === "fixed" ? answer.report : undefined;
        },
      ),
    allocation: (project, level, signal) =>
      ask(
        (own, id) => ({ kind: "allocation", id, project: own.send(project), level }),
        signal,
        (answer) => (answer.kind === "allocated" ? answer.allocation : undefined),
      ),
    dispose: async () => {
      await thread?.close();
    },
  };
  return checker;
}

function startThread(
  { script, data, heapMegabytes = HEAP_MEGABYTES }: ThreadCheckerOptions,
  ended: (thread: Thread) => void,
): Thread {
  const worker = new Worker(script, {
    workerData: data,
    execArgv: [],
    // Standard output belongs to the protocol.
    stdout: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  worker.stdout.resume();
  const exited = new Promise<void>((resolve) => {
    worker.once("exit", () => {
      resolve();
    });
  });
  const running = new Map<number, Running>();
  const asking = new Map<number, Asking>();
  const fail = (why: Error): void => {
    ended(thread);
    for (const each of [...running.values(), ...asking.values()]) each.reject(why);
  };
  worker.on("message", (message: FromCheckThread) => {
    const own = running.get(message.id);
    if (isAnswer(message)) asking.get(message.id)?.take(message);
    else if (own) take(own, message);
    else if (message.kind === "failed") asking.get(message.id)?.reject(new Error(message.message));
  });
  worker.on("error", (error) => {
    const isFull = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
    fail(new Error(isFull ? "there is not enough memory to read this workspace" : reasonOf(error)));
  });
  worker.on("exit", (code) => {
    fail(new Error(`the thread that reads ended with code ${String(code)}`));
  });
  const thread: Thread = {
    post: (message) => {
      worker.postMessage(message);
    },
    send: createSender(),
    running,
    asking,
    replace: async () => {
      ended(thread);
      const why = new Error("the thread that was asked was replaced");
      for (const each of [...asking.values()]) each.reject(why);
      for (const each of [...running.values()]) each.again();
      await worker.terminate();
    },
    close: async () => {
      thread.post({ kind: "dispose" });
      const timer = setTimeout(() => void worker.terminate(), FAREWELL);
      await exited;
      clearTimeout(timer);
    },
  };
  return thread;
}

/** A message of the thread about a check. */
type CheckMessage = Exclude<FromCheckThread, Answer>;

function isAnswer(message: FromCheckThread): message is Answer {
  return message.kind === "fix" || message.kind === "fixed" || message.kind === "allocated";
}

function take({ events, signal, resolve, reject }: Running, message: CheckMessage): void {
  if (message.kind === "done") resolve(message.outcome);
  else if (message.kind === "failed") reject(new Error(message.message));
  else if (!signal.aborted) tell(events, message);
}

function tell(
  events: CheckEvents,
  message: Exclude<CheckMessage, { kind: "done" | "failed" }>,
): void {
  switch (message.kind) {
    case "reading":
      events.reading(message.done, message.total);
      return;
    case "progress":
      events.progress(message.done, message.total, message.size);
      return;
    case "read":
      events.read(message.reading);
      return;
    case "found":
      events.found(message.anomaly);
      return;
    default:
      message satisfies never;
  }
}

/** Forwards events, and collects what they say for the case that nothing else arrives. */
function listening(events: CheckEvents): {
  readonly events: CheckEvents;
  readonly outcome: (nothing: CheckOutcome) => CheckOutcome;
} {
  const found = new Map<string, Anomaly>();
  let suppressions: readonly PlacedSuppression[] = [];
  return {
    events: {
      ...events,
      read: (reading) => {
        suppressions = reading.placed;
        events.read(reading);
      },
      found: (anomaly) => {
        found.set(anomaly.id, anomaly);
        events.found(anomaly);
      },
    },
    outcome: (nothing) => {
      if (found.size === 0) return nothing;
      const report = {
        ...nothing.report,
        verdict: "anomaly" as const,
        anomalies: [...found.values()],
      };
      return { ...nothing, report, suppressions };
    },
  };
}

/** The outcome if nothing is known by the time of the abort. */
function cancelled(tool: string, level: Level): CheckOutcome {
  const report = {
    ...emptyReport(tool, level, "cancelled"),
    unknown: [{ reason: "cancelled", transactions: [] }],
  };
  return { report, notes: [], remarks: [], suppressions: [], files: [], standing: [] };
}
