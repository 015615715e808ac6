// Orders of steps over one copy of the database. At serializability a step is a transaction; at snapshot isolation a transaction is two
// steps: its snapshot with all reads, and its commit. A history is allowed if some order of its steps lets every read see the last
// preceding commit, so orders can be searched, compared and counted.
import type { Key } from "./client";
import type { TransactionId } from "./history";
import { INITIAL } from "./history";

export interface Step {
  readonly session: number;
  readonly transaction: TransactionId;
  /** The keys that it reads before writing, with their writers. */
  readonly reads: readonly { readonly key: Key; readonly from: TransactionId }[];
  /** Keys that it makes visible. */
  readonly commits: readonly Key[];
  /** Keys that the transaction locks from here until its last step. */
  readonly holds: readonly Key[];
  /** Keys whose current versions the transaction will compare later. */
  readonly remembers?: readonly Key[];
  /** Keys that must be unchanged since the step of the transaction that remembers them. */
  readonly unchanged?: readonly Key[];
  /** The transaction's first step. */
  readonly first: boolean;
  /** True for the transaction's last step, which releases its locks. */
  readonly last: boolean;
}

/** Last writer of each key. */
export type LastWriters = ReadonlyMap<Key, TransactionId>;

/**
 * True if no smaller order of the same steps is equivalent: the same writer for every read, and the same last writers. Commits that others
 * wait for precede new transactions, and otherwise sessions are compared, so that exactly one of all equivalent orders is the smallest, and
 * its prefixes are smallest too.
 * With `anyEnd` the last writers may differ.
 */
export function isSmallest(steps: readonly Step[], anyEnd = false): boolean {
  if (comesEarlier(steps)) return false;
  const search = new SequenceSearch(steps);
  return !search.smallerExists(steps, anyEnd);
}

/** True if the steps, in order within each session, have any order that gives every read its writer. */
export function isPossible(steps: readonly Step[]): boolean {
  return new SequenceSearch(steps).possible();
}

/** The last writers of all orders of the steps, each once. */
export function endings(steps: readonly Step[]): readonly LastWriters[] {
  return new SequenceSearch(steps).endings();
}

/**
 * True if the last step could precede one of higher rank because it is independent of all steps from there on: the most frequent smaller
 * order, found without a search.
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

/** True if their order matters for what is read, written or remembered. */
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

/** True if one locks or releases a key that the other locks or releases. */
function sharesHolds(steps: readonly Step[], at: number): boolean {
  const concerned = heldBy(steps, at);
  const own = heldBy(steps, steps.length - 1);
  return concerned.length > 0 && own.length > 0 && meet(concerned, own);
}

/** The keys that a step locks, or releases at its transaction's end. */
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
  /** Versions: pairs of key and writer. */
  readonly reads: readonly number[];
  readonly readKeys: readonly number[];
  readonly commits: readonly number[];
  /** The versions created by `commits`. */
  readonly versions: readonly number[];
  readonly holds: readonly number[];
  readonly frees: readonly number[];
  /** Indexes into `memory`, and their keys. */
  readonly remembers: readonly Remembered[];
  readonly unchanged: readonly Remembered[];
}

interface Remembered {
  readonly slot: number;
  readonly key: number;
}

/** Backtracking over orders; failed situations are memoised. */
class SequenceSearch {
  private readonly queues: Numbered[][] = [];
  private readonly sessions: number[] = [];
  private readonly total: number;
  private readonly keyNumbers = new Map<Key, number>();
  private readonly keys: Key[] = [];
  private readonly versionNumbers = new Map<number, number>();
  private readonly writers: TransactionId[] = [];
  /** The position in each queue. */
  private readonly next: number[];
  /** The current version of each key. */
  private readonly current: number[] = [];
  /** The number of outstanding reads of each version. */
  private readonly awaited: number[] = [];
  /** The number of locks on each key. */
  private readonly held: number[] = [];
  /** The versions that transactions remember. */
  private readonly memory: number[] = [];
  private readonly slots = new Map<string, number>();
  /** The required final version of each key, or -1. */
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

  /** True if a smaller order is equivalent. */
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

  /** Completes the order; while it is `equal` to the given one it must still become smaller. */
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

  /** The next step of the queue, if it is possible now. */
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

  /** The state that later steps depend on. */
  private situation(): string {
    // Indexes of steps, versions and positions are small, and their number is constant.
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
      // A step that is first and last of its transaction must find its keys unlocked, and releases them at once.
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

/** Above the number of transaction names. */
const WRITERS = 2 ** 32;

function rankOf({ session, first }: Step): number {
  return session + (first ? OPENING : 0);
}

/** Steps that open a transaction rank behind those that end one. */
const OPENING = 1_000_000;
