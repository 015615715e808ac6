// Runs jobs on solver workers: starts them, replaces dead ones, and terminates unresponsive ones.
import type { UnitResult } from "../analysis/search/unit";
import type { FromWorker, Job, JobFailure } from "./jobs";
import { startProcess, startThread } from "./workerHost";
import type { HostEvents, HostOptions, WorkerHost } from "./workerHost";

export type JobResult =
  | { readonly kind: "solved"; readonly results: readonly UnitResult[] }
  | { readonly kind: "failed"; readonly failure: JobFailure }
  | { readonly kind: "cancelled" };

export interface SolvePool {
  /** Starts the first worker, so that the first job need not wait for it. */
  warm(): void;
  /**
   * Runs a job. An abort answers "cancelled" at once, whenever the worker reacts. Never rejects: a failure is a result, and the next job
   * gets a fresh worker.
   */
  solve(job: Job, signal: AbortSignal): Promise<JobResult>;
  /** Ends all workers; running jobs are cancelled. */
  dispose(): Promise<void>;
}

export interface PoolOptions {
  /** Absolute path of the worker's script. */
  readonly script: string;
  /** Another Node executable, used if a thread of this process cannot run the solver. */
  readonly nodePath?: string;
  /** Maximum number of workers; a further one only starts if jobs wait. */
  readonly workers?: number;
  /** Milliseconds that a worker has to react to an abort before it is replaced. */
  readonly graceMilliseconds?: number;
  readonly startMilliseconds?: number;
  /** Limit of a worker's JavaScript heap. */
  readonly heapMegabytes?: number;
}

/** A pool; no worker starts before `warm` or the first job. */
export function openPool(options: PoolOptions): SolvePool {
  const pool: PoolState = {
    options,
    waiting: [],
    slots: [],
    lastJob: 0,
    viaProcess: false,
    disposed: false,
    ending: new Set(),
  };
  return {
    warm: () => {
      if (pool.slots.length === 0) ready(pool, addSlot(pool));
    },
    solve: (job, signal) =>
      new Promise((resolve) => {
        enqueue(pool, job, signal, resolve);
      }),
    dispose: () => dispose(pool),
  };
}

interface Task {
  readonly id: number;
  readonly job: Job;
  /** Answers the caller; later calls do nothing. */
  readonly answer: (result: JobResult) => void;
  readonly signal: AbortSignal;
  /** Set while a slot works on it. */
  onAbort: () => void;
}

type SlotState = "empty" | "starting" | "idle" | "busy";

/** A place for one worker. */
interface Slot {
  state: SlotState;
  host: WorkerHost | undefined;
  task: Task | undefined;
  timer: NodeJS.Timeout | undefined;
}

interface PoolState {
  readonly options: PoolOptions;
  readonly waiting: Task[];
  readonly slots: Slot[];
  lastJob: number;
  /** True if the thread could not run the solver, but the other executable can. */
  viaProcess: boolean;
  disposed: boolean;
  /** Workers that are ending. */
  readonly ending: Set<Promise<void>>;
}

const GRACE = 250;
const START = 30_000;
const HEAP = 512;

function enqueue(
  pool: PoolState,
  job: Job,
  signal: AbortSignal,
  resolve: (result: JobResult) => void,
): void {
  if (signal.aborted || pool.disposed) {
    resolve({ kind: "cancelled" });
    return;
  }
  pool.lastJob += 1;
  const abort = (): void => {
    task.onAbort();
  };
  const task: Task = {
    id: pool.lastJob,
    job,
    signal,
    answer: (result) => {
      signal.removeEventListener("abort", abort);
      resolve(result);
    },
    onAbort: () => {
      pool.waiting.splice(pool.waiting.indexOf(task), 1);
      task.answer({ kind: "cancelled" });
    },
  };
  signal.addEventListener("abort", abort, { once: true });
  pool.waiting.push(task);
  schedule(pool);
}

/** Assigns waiting tasks to idle workers, and starts workers while there are more waiting tasks than starting workers. */
function schedule(pool: PoolState): void {
  for (const slot of pool.slots) {
    if (slot.state === "idle" && pool.waiting.length > 0) run(pool, slot);
  }
  const starting = pool.slots.filter((slot) => slot.state === "starting");
  for (const slot of starting) slot.host?.keepAlive(pool.waiting.length > 0);
  if (pool.waiting.length <= starting.length) return;
  const empty = pool.slots.find((slot) => slot.state === "empty");
  if (empty) ready(pool, empty);
  else if (pool.slots.length < (pool.options.workers ?? 1)) ready(pool, addSlot(pool));
}

function addSlot(pool: PoolState): Slot {
  const slot: Slot = { state: "empty", host: undefined, task: undefined, timer: undefined };
  pool.slots.push(slot);
  return slot;
}

/** Starts the worker of a slot. */
function ready(pool: PoolState, slot: Slot): void {
  slot.state = "starting";
  const { script, nodePath } = pool.options;
  const events: HostEvents = {
    message: (message) => {
      if (slot.host === host) received(pool, slot, message);
    },
    died: (failure) => {
      if (slot.host === host) lost(pool, slot, failure);
    },
  };
  const options: HostOptions = {
    script,
    heapMegabytes: pool.options.heapMegabytes ?? HEAP,
  };
  const host =
    pool.viaProcess && nodePath !== undefined
      ? startProcess(nodePath, options, events)
      : startThread(options, events);
  slot.host = host;
  host.keepAlive(pool.waiting.length > 0);
  const milliseconds = pool.options.startMilliseconds ?? START;
  slot.timer = setTimeout(() => {
    const seconds = String(Math.round(milliseconds / 1000));
    lost(pool, slot, { code: "missing", message: `the solver did not start within ${seconds} s` });
  }, milliseconds);
  slot.timer.unref();
}

function received(pool: PoolState, slot: Slot, message: FromWorker): void {
  switch (message.kind) {
    case "ready":
      clearTimeout(slot.timer);
      becomeIdle(pool, slot);
      return;
    case "failed":
      lost(pool, slot, message.failure);
      return;
    case "solved":
      if (slot.task?.id !== message.id) return;
      slot.task.answer({ kind: "solved", results: message.results });
      becomeIdle(pool, slot);
      return;
    case "error":
      if (slot.task?.id !== message.id) return;
      slot.task.answer({ kind: "failed", failure: message.failure });
      // After a crash inside the solver its state is unreliable; a refused text leaves it intact.
      if (message.failure.code === "internal") becomeIdle(pool, slot);
      else replace(pool, slot);
      return;
  }
}

function becomeIdle(pool: PoolState, slot: Slot): void {
  clearTimeout(slot.timer);
  slot.state = "idle";
  slot.task = undefined;
  slot.host?.keepAlive(false);
  schedule(pool);
}

function run(pool: PoolState, slot: Slot): void {
  const task = pool.waiting.shift();
  const { host } = slot;
  if (!task || !host) return;
  slot.state = "busy";
  slot.task = task;
  task.onAbort = () => {
    task.answer({ kind: "cancelled" });
    if (!host.askToStop(task.id)) {
      replace(pool, slot);
      return;
    }
    slot.timer = setTimeout(() => {
      if (slot.task === task) replace(pool, slot);
    }, pool.options.graceMilliseconds ?? GRACE);
    slot.timer.unref();
  };
  host.keepAlive(true);
  host.post({ kind: "solve", id: task.id, job: task.job });
}

/** Handles a worker that died or did not start. */
function lost(pool: PoolState, slot: Slot, failure: JobFailure): void {
  const starting = slot.state === "starting";
  const { task } = slot;
  empty(pool, slot);
  if (starting && !pool.viaProcess && pool.options.nodePath !== undefined) {
    pool.viaProcess = true;
    ready(pool, slot);
    return;
  }
  task?.answer({ kind: "failed", failure });
  if (starting) {
    // Every waiting job would fail in the same way; the next request tries again.
    const waiting = pool.waiting.splice(0);
    for (const each of waiting)
      each.answer({ kind: "failed", failure: { ...failure, code: "missing" } });
    pool.viaProcess = false;
  }
  schedule(pool);
}

function replace(pool: PoolState, slot: Slot): void {
  empty(pool, slot);
  // A warm spare for the next job, which would otherwise pay for the start.
  if (!pool.disposed) ready(pool, slot);
}

function empty(pool: PoolState, slot: Slot): void {
  clearTimeout(slot.timer);
  const { host } = slot;
  slot.host = undefined;
  slot.task = undefined;
  slot.state = "empty";
  if (!host) return;
  const ended = host.terminate().finally(() => pool.ending.delete(ended));
  pool.ending.add(ended);
}

async function dispose(pool: PoolState): Promise<void> {
  pool.disposed = true;
  for (const task of pool.waiting.splice(0)) task.answer({ kind: "cancelled" });
  for (const slot of pool.slots) {
    slot.task?.answer({ kind: "cancelled" });
    empty(pool, slot);
  }
  await Promise.all(pool.ending);
}
