// A queue keyed by project, newest wins: a resubmitted job stops the running one of its key, and at most one waits per key. A short delay
// collects the changes of typing.

export interface CheckQueue {
  /** Requests a run of the job; resolves when that run, or a newer one of the same key, has ended. */
  submit(key: string, job: QueueJob, options?: { readonly delay?: number }): Promise<void>;
  /** Stops running and waiting jobs, of one key or all; returns the number of stopped keys. */
  cancel(key?: string): number;
  /** True if a newer job of that key waits for the running one to end. */
  waits(key: string): boolean;
}

/** Must end soon after the signal, and report its own failures. */
export type QueueJob = (signal: AbortSignal) => Promise<void>;

interface Entry {
  running: AbortController | undefined;
  waiting: Waiting | undefined;
  /** Called when nothing runs or waits any more. */
  readonly idle: (() => void)[];
}

interface Waiting {
  readonly job: QueueJob;
  readonly timer: ReturnType<typeof setTimeout>;
  /** True after the delay: it starts as soon as nothing runs. */
  due: boolean;
}

/** A queue that is sequential within a key and concurrent across keys. */
export function createCheckQueue(): CheckQueue {
  const entries = new Map<string, Entry>();

  function entryOf(key: string): Entry {
    const known = entries.get(key);
    if (known) return known;
    const entry: Entry = { running: undefined, waiting: undefined, idle: [] };
    entries.set(key, entry);
    return entry;
  }

  function advance(key: string, entry: Entry): void {
    if (entry.running) return;
    if (!entry.waiting) {
      entries.delete(key);
      for (const resolve of entry.idle) resolve();
      return;
    }
    if (!entry.waiting.due) return;
    const { job } = entry.waiting;
    entry.waiting = undefined;
    const controller = new AbortController();
    entry.running = controller;
    void job(controller.signal).finally(() => {
      entry.running = undefined;
      advance(key, entry);
    });
  }

  return {
    submit(key, job, options) {
      const entry = entryOf(key);
      if (entry.waiting) clearTimeout(entry.waiting.timer);
      entry.running?.abort();
      const timer = setTimeout(() => {
        waiting.due = true;
        advance(key, entry);
      }, options?.delay ?? 0);
      const waiting: Waiting = { job, timer, due: false };
      entry.waiting = waiting;
      return new Promise((resolve) => entry.idle.push(resolve));
    },
    cancel(key) {
      const chosen = [...entries].filter(([name]) => key === undefined || name === key);
      for (const [name, entry] of chosen) {
        if (entry.waiting) clearTimeout(entry.waiting.timer);
        entry.waiting = undefined;
        entry.running?.abort();
        advance(name, entry);
      }
      return chosen.length;
    },
    waits(key) {
      return entries.get(key)?.waiting !== undefined;
    },
  };
}
