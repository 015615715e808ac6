// Orders of steps over one copy of the database. At serializability a step is a transaction; at snapshot isolation a
// transaction is two steps, its snapshot with all its reads, and its commit. A history is allowed if some order of its
// steps lets every read read from the last commit before it, and so orders can be searched for, compared and counted.
import type { Key } from "./client";
import type { TransactionId } from "./history";
import { INITIAL } from "./history";

export interface Step {
  readonly session: number;
  readonly transaction: TransactionId;
  /** Keys that it reads, before it writes, and whom from. */
  readonly reads: readonly { readonly key: Key; readonly from: TransactionId }[];
  /** Keys that it makes visible to others. */
  readonly commits: readonly Key[];
  /** Keys that nobody else may hold from here on, or that nobody holds, until the transaction's last step. */
  readonly holds: readonly Key[];
  /** Keys whose versions the transaction will compare with those that are there now. */
  readonly remembers?: readonly Key[];
  /** Keys that must not have changed since a step of the transaction that remembers them. */
  readonly unchanged?: readonly Key[];
  /** The transaction's first step. */
  readonly first: boolean;
  /** The transaction's last step: it lets go of what it held. */
  readonly last: boolean;
}

/** Last writer of each key. */
export type LastWriters = ReadonlyMap<Key, TransactionId>;

/**
 * True if no smaller order of the same steps does the same: every read reads from the same writer, and the same writers
 * are the last ones. Commits that others wait for come before new transactions, and else sessions are compared, so that
 * of all orders that do the same exactly one is the smallest, and its beginnings are smallest for what they do.
 *
 * With `anyEnd` the last writers may differ.
 */
export function isSmallest(steps: readonly Step[], anyEnd = false): boolean {
  if (comesEarlier(steps)) return false;
  const search = new SequenceSearch(steps);
  return !search.smallerExists(steps, anyEnd);
}

/** True if the steps, in order within each session, have any order in which every read reads what it read. */
export function isPossible(steps: readonly Step[]): boolean {
  return new SequenceSearch(steps).possible();
}

/** The last writers of all orders of the steps, each once. */
export function endings(steps: readonly Step[]): readonly LastWriters[] {
  return new SequenceSearch(steps).endings();
}

/**
 * True if the last step could come before one of a higher rank because it has nothing to do with all steps from there
 * on: the most frequent smaller order, and one that needs no search.
 */
function comesEarlier(steps: readonly Step[]): boolean {
  const last = steps.at(-1);
  if (last === undefined) return false;
  const rank = rankOf(last);
  for (let at = steps.length - 2; at >= 0; at--) {
    const other = steps[at];
    if (other === undefined || other.session === last.session) return false;
    if (dependent(other, last) || sharesHolds(steps, at)) return false;
    if (rank < rankOf(other)) return true;
  }
  return false;
}

/** True if their order matters for what is read and written, or remembered. */
function dependent(a: Step, b: Step): boolean {
  return touches(a.commits, b) || touches(b.commits, a) || meet(a.commits, b.commits);
}

function touches(commits: readonly Key[], { reads, remembers, unchanged }: Step): boolean {
  if (commits.length === 0) return false;
  return (
    reads.some(({ key }) => commits.includes(key)) ||
    (remembers !== undefined && meet(commits, remembers)) ||
    (unchanged !== undefined && meet(commits, unchanged))
  );
}

/** True if one takes or lets go of what the other takes or lets go of. */
function sharesHolds(steps: readonly Step[], at: number): boolean {
  const concerned = heldBy(steps, at);
  const own = heldBy(steps, steps.length - 1);
  return concerned.length > 0 && own.length > 0 && meet(concerned, own);
}

/** Keys that a step takes, and lets go of if it is its transaction's last. */
function heldBy(steps: readonly Step[], at: number): readonly Key[] {
  const step = steps[at];
  if (step === undefined) return [];
  if (!step.last || step.first) return step.holds;
  return steps
    .slice(0, at + 1)
    .flatMap(({ transaction, holds }) => (transaction === step.transaction ? holds : []));
}

function meet(some: readonly Key[], others: readonly Key[]): boolean {
  return some.some((key) => others.includes(key));
}

interface Numbered {
  readonly rank: number;
  /** Versions, which are pairs of key and writer. */
  readonly reads: readonly number[];
  readonly readKeys: readonly number[];
  readonly commits: readonly number[];
  /** The versions that `commits` makes. */
  readonly versions: readonly number[];
  readonly holds: readonly number[];
  readonly frees: readonly number[];
  /** Places in `memory`, and the keys that they are for. */
  readonly remembers: readonly Remembered[];
  readonly unchanged: readonly Remembered[];
}

interface Remembered {
  readonly slot: number;
  readonly key: number;
}

/** Backtracking over orders; what failed once is not tried again from the same situation. */
class SequenceSearch {
  private readonly queues: Numbered[][] = [];
  private readonly sessions: number[] = [];
  private readonly total: number;
  private readonly keyNumbers = new Map<Key, number>();
  private readonly keys: Key[] = [];
  private readonly versionNumbers = new Map<number, number>();
  private readonly writers: TransactionId[] = [];
  /** How far each queue is. */
  private readonly next: number[];
  /** Per key the version that is there. */
  private readonly current: number[] = [];
  /** Per version how many of its reads are still to come. */
  private readonly awaited: number[] = [];
  /** Per key how many hold it. */
  private readonly held: number[] = [];
  /** Versions that transactions remember. */
  private readonly memory: number[] = [];
  private readonly slots = new Map<string, number>();
  /** Per key the version that must be there in the end, or -1. */
  private required: number[] = [];
  private readonly failed = new Set<string>();

  constructor(steps: readonly Step[]) {
    const queueOf = new Map<number, number>();
    const holding = new Map<TransactionId, number[]>();
    for (const step of steps) {
      let queue = queueOf.get(step.session);
      if (queue === undefined) {
        queueOf.set(step.session, (queue = this.queues.length));
        this.queues.push([]);
        this.sessions.push(step.session);
      }
      this.queues[queue]?.push(this.numbered(step, holding));
    }
    this.total = steps.length;
    this.next = this.queues.map(() => 0);
  }

  /** True if an order before this one does the same. */
  smallerExists(steps: readonly Step[], anyEnd: boolean): boolean {
    const queues = steps.map((step) => this.sessions.indexOf(step.session));
    this.required = this.keys.map(() => -1);
    if (!anyEnd)
      for (const step of steps)
        for (const key of step.commits)
          this.required[this.keyNumber(key)] = this.versionNumber(key, step.transaction);
    return this.smaller(queues, 0, true);
  }

  possible(): boolean {
    this.required = this.keys.map(() => -1);
    return this.smaller([], 0, false);
  }

  endings(): readonly LastWriters[] {
    this.required = this.keys.map(() => -1);
    const found = new Map<string, LastWriters>();
    const seen = new Set<string>();
    const go = (at: number): void => {
      const text = this.situation();
      if (seen.has(text)) return;
      seen.add(text);
      if (at === this.total) {
        found.set(
          this.current.join(),
          new Map(this.keys.map((key, k) => [key, this.writers[this.current[k] ?? 0] ?? INITIAL])),
        );
        return;
      }
      this.queues.forEach((_, queue) => {
        const step = this.ready(queue);
        if (step === undefined) return;
        const undo = this.take(queue, step);
        go(at + 1);
        this.untake(queue, step, undo);
      });
    };
    go(0);
    return [...found.values()];
  }

  /** Completes the order; where it is still `equal` to the given one it must become smaller. */
  private smaller(given: readonly number[], at: number, equal: boolean): boolean {
    if (at === this.total) return !equal;
    let text = "";
    if (!equal) {
      text = this.situation();
      if (this.failed.has(text)) return false;
    }
    const own = equal ? (given[at] ?? -1) : -1;
    const limit = own < 0 ? Infinity : (this.queues[own]?.[this.next[own] ?? 0]?.rank ?? Infinity);
    for (let queue = 0; queue < this.queues.length; queue++) {
      const rank = this.queues[queue]?.[this.next[queue] ?? 0]?.rank;
      if (rank === undefined || rank > limit) continue;
      const step = this.ready(queue);
      if (step === undefined) continue;
      const undo = this.take(queue, step);
      const found = this.smaller(given, at + 1, equal && queue === own);
      this.untake(queue, step, undo);
      if (found) return true;
    }
    if (!equal) this.failed.add(text);
    return false;
  }

  /** The next step of the queue, if it may come now. */
  private ready(queue: number): Numbered | undefined {
    const step = this.queues[queue]?.[this.next[queue] ?? 0];
    if (step === undefined) return undefined;
    for (let index = 0; index < step.reads.length; index++)
      if (this.current[step.readKeys[index] ?? 0] !== step.reads[index]) return undefined;
    for (const key of step.holds) if ((this.held[key] ?? 0) > 0) return undefined;
    for (const { slot, key } of step.unchanged)
      if (this.memory[slot] !== this.current[key]) return undefined;
    for (const key of step.commits) {
      const overwritten = this.current[key] ?? 0;
      const required = this.required[key] ?? -1;
      if (required >= 0 && overwritten === required) return undefined;
      let awaited = this.awaited[overwritten] ?? 0;
      for (const version of step.reads) if (version === overwritten) awaited--;
      if (awaited > 0) return undefined;
    }
    return step;
  }

  private take(queue: number, step: Numbered): readonly number[] {
    this.next[queue] = (this.next[queue] ?? 0) + 1;
    for (const version of step.reads) this.awaited[version] = (this.awaited[version] ?? 0) - 1;
    for (const key of step.holds) this.held[key] = (this.held[key] ?? 0) + 1;
    for (const key of step.frees) this.held[key] = (this.held[key] ?? 0) - 1;
    for (const { slot, key } of step.remembers) this.memory[slot] = this.current[key] ?? 0;
    const overwritten = step.commits.map((key) => this.current[key] ?? 0);
    step.commits.forEach((key, index) => (this.current[key] = step.versions[index] ?? 0));
    return overwritten;
  }

  private untake(queue: number, step: Numbered, overwritten: readonly number[]): void {
    this.next[queue] = (this.next[queue] ?? 0) - 1;
    for (const version of step.reads) this.awaited[version] = (this.awaited[version] ?? 0) + 1;
    for (const key of step.holds) this.held[key] = (this.held[key] ?? 0) - 1;
    for (const key of step.frees) this.held[key] = (this.held[key] ?? 0) + 1;
    for (const { slot } of step.remembers) this.memory[slot] = -1;
    step.commits.forEach((key, index) => (this.current[key] = overwritten[index] ?? 0));
  }

  /** Situation that later steps depend on. */
  private situation(): string {
    // Numbers of steps, versions and their places are small, and there are equally many of each at any time.
    return (
      String.fromCharCode(...this.next) +
      String.fromCharCode(...this.current) +
      String.fromCharCode(...this.memory)
    );
  }

  private numbered(step: Step, holding: Map<TransactionId, number[]>): Numbered {
    const held = holding.get(step.transaction) ?? [];
    const holds = step.holds.map((key) => this.keyNumber(key));
    if (!step.last) holding.set(step.transaction, [...held, ...holds]);
    const reads = step.reads.map(({ key, from }) => this.versionNumber(key, from));
    for (const version of reads) this.awaited[version] = (this.awaited[version] ?? 0) + 1;
    return {
      rank: rankOf(step),
      reads,
      readKeys: step.reads.map(({ key }) => this.keyNumber(key)),
      commits: step.commits.map((key) => this.keyNumber(key)),
      versions: step.commits.map((key) => this.versionNumber(key, step.transaction)),
      // A step that is first and last of its transaction must find free what it holds, and lets go of it at once.
      holds,
      frees: step.last ? [...held, ...holds] : [],
      remembers: (step.remembers ?? []).map((key) => this.remembered(step.transaction, key)),
      unchanged: (step.unchanged ?? []).map((key) => this.remembered(step.transaction, key)),
    };
  }

  private remembered(transaction: TransactionId, name: Key): Remembered {
    const key = this.keyNumber(name);
    const text = `${transaction} ${key}`;
    let slot = this.slots.get(text);
    if (slot === undefined) {
      this.slots.set(text, (slot = this.memory.length));
      this.memory.push(-1);
    }
    return { slot, key };
  }

  private keyNumber(key: Key): number {
    let number = this.keyNumbers.get(key);
    if (number === undefined) {
      number = this.keys.length;
      this.keyNumbers.set(key, number);
      this.keys.push(key);
      this.current[number] = this.versionNumber(key, INITIAL);
    }
    return number;
  }

  private versionNumber(key: Key, writer: TransactionId): number {
    const name = this.keyNumber(key) * WRITERS + writer;
    let number = this.versionNumbers.get(name);
    if (number === undefined) {
      this.versionNumbers.set(name, (number = this.writers.length));
      this.writers.push(writer);
    }
    return number;
  }
}

/** More than there are names of transactions. */
const WRITERS = 2 ** 32;

function rankOf({ session, first }: Step): number {
  return session + (first ? OPENING : 0);
}

/** Ranks of steps that open a transaction are behind those of steps that end one. */
const OPENING = 1_000_000;
