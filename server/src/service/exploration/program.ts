// Explores a client program in its own thread, so that neither the editor nor Ctrl-C waits for it, and endless code can be terminated.
import path from "node:path";
import type { ExploreProgress } from "../../clients/exploreLevel";
import type { ExplorationReport } from "../../protocol/exploration";
import { durationWords } from "../../workspace/duration";
import { readTextFile } from "../../workspace/textFile";
import { runInThread } from "../search/oneThread";
import type { ExploreJob, ExploreOutcome } from "./job";
import {
  HEAP_MEGABYTES,
  PULSE,
  STOP,
  type ExploreThreadData,
  type FromExploreThread,
} from "./messages";
import { NO_FENCE } from "./openFence";
import { permissionFlag, runInFence, type ProcessTask } from "./processFence";
import { isCodeClient, readableFolders } from "./folders";

export interface ExploreOptions {
  /** Absolute path of the thread's script; `explore.js` beside the running bundle by default. */
  readonly script?: string;
  readonly progress?: (level: string, progress: ExploreProgress) => void;
  /** Milliseconds without progress after which the client's code counts as endless. */
  readonly patience?: number;
}

/** Milliseconds that the thread has to react to a stop request. */
const GRACE = 2000;
const PATIENCE = 10_000;
/** Polls of the pulse per `patience`. */
const LOOKS = 10;

/**
 * Loads and explores one client program. On abort it reports what was found so far, with the verdict `cancelled` for the rest. Rejects only
 * for defects.
 */
export function exploreProgram(
  job: ExploreJob,
  signal: AbortSignal,
  options: ExploreOptions = {},
): Promise<ExploreOutcome> {
  const shared = new SharedArrayBuffer(8);
  const flags = new Int32Array(shared);
  const script = options.script ?? path.join(__dirname, "explore.js");
  const workerData: ExploreThreadData = { job, shared, script };
  const patience = options.patience ?? PATIENCE;
  let last: { readonly level: string; readonly progress: ExploreProgress } | undefined;
  const shortened = (reason: string): ExploreOutcome => cutShort(job, reason, last);
  const watch = (end: (outcome: ExploreOutcome) => void): (() => void) => {
    let pulse = -1;
    let still = 0;
    const interval = setInterval(() => {
      const now = Atomics.load(flags, PULSE);
      still = now === pulse ? still + 1 : 0;
      pulse = now;
      // There is no limit before the first run: reading and parsing take as long as they take.
      if (now > 0 && still >= LOOKS) end(shortened(endlessText(patience)));
    }, patience / LOOKS);
    return () => {
      clearInterval(interval);
    };
  };
  const common = {
    script,
    heapMegabytes: HEAP_MEGABYTES,
    grace: GRACE,
    take(message: FromExploreThread): ExploreOutcome | Error | undefined {
      switch (message.kind) {
        case "progress":
          last = message;
          options.progress?.(message.level, message.progress);
          return undefined;
        case "pulse":
          Atomics.store(flags, PULSE, message.count);
          return undefined;
        case "done":
          return message.outcome;
        case "memory":
          return shortened(NO_MEMORY);
        case "error":
          return new Error(message.message);
      }
    },
    cancelled: () => shortened("it was cancelled"),
    outOfMemory: () => shortened(NO_MEMORY),
    gone: (code: number) => shortened(`the client's code ended the process (code ${String(code)})`),
    watch,
  };
  if (job.allow !== true && isCodeClient(job.file)) return exploreFenced(job, common, signal);
  return runInThread<ExploreOutcome, FromExploreThread>(
    {
      ...common,
      workerData,
      // The output of the client's code is discarded.
      silent: true,
      askToStop: () => {
        Atomics.store(flags, STOP, 1);
      },
    },
    signal,
  );
}

/** As `exploreProgram`, in a sandboxed process. Open texts, the client file included, are sent along. */
async function exploreFenced(
  job: ExploreJob,
  common: Pick<
    ProcessTask<ExploreOutcome, FromExploreThread>,
    "script" | "heapMegabytes" | "grace" | "take" | "cancelled" | "outOfMemory" | "gone" | "watch"
  >,
  signal: AbortSignal,
): Promise<ExploreOutcome> {
  const flag = permissionFlag();
  if (flag === undefined) return { reports: [], problems: [NO_FENCE] };
  const texts = new Map(job.openTexts ?? []);
  if (!texts.has(job.file)) {
    const read = await readTextFile(job.file);
    if (!read.ok) return { reports: [], problems: [{ severity: "error", message: read.reason }] };
    texts.set(job.file, read.text);
  }
  const task = {
    ...common,
    readable: [path.dirname(common.script), ...readableFolders(job.file)],
    cwd: path.dirname(job.file),
    job: { ...job, threads: 1, openTexts: [...texts] },
  };
  return runInFence<ExploreOutcome, FromExploreThread>(task, flag, signal);
}

const NO_MEMORY = "there is not enough memory for it";

function endlessText(patience: number): string {
  return `the client's code ran for ${durationWords(patience)} without asking the database or ending: an endless loop, or a computation that is too long to be repeated for every execution`;
}

/** The outcome if the thread did not finish. */
function cutShort(
  job: ExploreJob,
  reason: string,
  last: { readonly level: string; readonly progress: ExploreProgress } | undefined,
): ExploreOutcome {
  const { histories = 0, broken = 0 } = last?.progress ?? {};
  const found =
    broken === 0
      ? ""
      : `; by then ${broken === 1 ? "1 assertion was" : `${String(broken)} assertions were`} broken, and there was no time to show how`;
  const report: ExplorationReport = {
    tool: job.tool,
    formatVersion: 1,
    client: job.name,
    level: last?.level ?? job.levels[0] ?? "",
    driver: job.driver.kind,
    ...(job.driver.kind === "random" && { seed: job.driver.seed }),
    verdict: reason === "it was cancelled" ? "cancelled" : "unknown",
    sessions: 0,
    transactions: 0,
    histories,
    exhausted: false,
    statesSeen: 0,
    serial: { states: 0, exhausted: false },
    violations: [],
    holding: [],
    unknown: [{ reason: `${reason}${found}` }],
  };
  return { reports: [report], problems: [] };
}
