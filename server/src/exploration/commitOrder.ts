// Constraints of a history on the commit order, maintained read by read: the polynomial levels of Biswas and Enea (OOPSLA 2019).
// Transactions are positions in a log, 0 is the initial state.
import type { Key } from "./client";
import { Precedence } from "./precedence";

/** Levels at which a graph alone decides a history. */
export type WeakLevel = "any" | "read-committed" | "read-atomic" | "causal";

export function isWeakLevel(level: string): level is WeakLevel {
  return (
    level === "any" || level === "read-committed" || level === "read-atomic" || level === "causal"
  );
}

interface ReadFrom {
  readonly key: Key;
  readonly writer: number;
  readonly statement: number;
}

/**
 * The commit order of a log of serial transactions: only the last one may still read. A read of x from w requires that every other writer
 * of x that the reader sees precedes w; the level defines "sees". A statement sees a transaction completely or not at all, so at read
 * committed the reads of one statement count as one.
 * Invariant: `before` is transitively closed and acyclic, so every linear extension is a commit order that the level allows.
 */
export class CommitOrder {
  /** Positions in use; that of the last transaction is `count - 1`. */
  count = 1;
  /** Session order and reads-from, transitively closed. */
  readonly past = new Precedence();
  /** `past` and the constraints of reads, transitively closed. */
  readonly before = new Precedence();
  /** The transactions that a transaction has read from and, at read atomic, its session predecessors. */
  private readonly seen = new Precedence();
  private readonly scratch = new Precedence();
  /** The writers of each key, as a bit set. */
  private readonly writers = new Map<Key, number[]>();
  private readonly sessions = new Map<number, number[]>();
  private reads: ReadFrom[] = [];
  private edges: number[] = [];

  constructor(readonly level: WeakLevel) {}

  /** Begins the next transaction of a session, and returns its position. */
  enter(session: number): number {
    const at = this.count++;
    for (const each of [this.past, this.before, this.seen]) each.reserve(this.count);
    let members = this.sessions.get(session);
    if (members === undefined) this.sessions.set(session, (members = []));
    this.reads = [];
    this.follow(at, 0);
    const previous = members.at(-1);
    if (previous !== undefined) this.follow(at, previous);
    if (this.level === "read-atomic") for (const member of members) this.seen.set(member, at);
    members.push(at);
    return at;
  }

  /** True if the last transaction may read that key from that committed writer. */
  allows(key: Key, writer: number, statement: number): boolean {
    if (this.level === "any") return true;
    if (!this.demand(key, writer, statement)) return false;
    // A single consistent constraint closes no cycle; of several, each may.
    if (this.edges.length <= 2) return true;
    this.scratch.assign(this.before);
    return this.insertAll(this.scratch);
  }

  /** Adds a read of the last transaction; false if the level forbids it, after which the order must not be used. */
  read(key: Key, writer: number, statement: number): boolean {
    const at = this.count - 1;
    if (this.level !== "any") {
      if (!this.demand(key, writer, statement) || !this.insertAll(this.before)) return false;
      this.reads.push({ key, writer, statement });
    }
    this.follow(at, writer);
    this.seen.set(writer, at);
    return true;
  }

  /** Commits the last transaction with these writes. */
  commit(keys: Iterable<Key>): void {
    const at = this.count - 1;
    for (const key of keys) {
      let set = this.writers.get(key);
      if (set === undefined) this.writers.set(key, (set = []));
      while (set.length <= at >> 5) set.push(0);
      set[at >> 5] = (set[at >> 5] ?? 0) | (1 << (at & 31));
    }
  }

  /** True if a precedes b by session order and reads. */
  inPast(a: number, b: number): boolean {
    return this.past.has(a, b);
  }

  /** True if this committed transaction writes the key. */
  writes(at: number, key: Key): boolean {
    return ((this.writers.get(key)?.[at >> 5] ?? 0) & (1 << (at & 31))) !== 0;
  }

  /**
   * Collects in `edges` the read's additions to `before`; false if one of them contradicts it directly. Successors of the last transaction
   * follow nobody else, so edges lead to writers only.
   */
  private demand(key: Key, writer: number, statement: number): boolean {
    this.edges = [];
    const at = this.count - 1;
    const { level, past, seen } = this;
    for (let word = 0; word < past.rowWords; word++) {
      const bit = word === writer >> 5 ? 1 << (writer & 31) : 0;
      const known = level === "causal" ? past.row(at, word) : seen.row(at, word);
      const added = level === "causal" ? past.row(writer, word) | bit : bit;
      const visible = level === "read-committed" ? known : known | added;
      if (!this.precede(visible, word, key, writer)) return false;
      const fresh = added & ~known;
      if (fresh === 0) continue;
      for (const read of this.reads)
        if (
          (level !== "read-committed" || read.statement === statement) &&
          !this.precede(fresh, word, read.key, read.writer)
        )
          return false;
    }
    return true;
  }

  /** Requires that the key's writers among these precede `writer`. */
  private precede(visible: number, word: number, key: Key, writer: number): boolean {
    let others = visible & (this.writers.get(key)?.[word] ?? 0);
    if (word === writer >> 5) others &= ~(1 << (writer & 31));
    if (others === 0) return true;
    if (writer === 0) return false;
    others &= ~this.before.row(writer, word);
    while (others !== 0) {
      const other = word * 32 + 31 - Math.clz32(others & -others);
      others &= others - 1;
      if (this.before.has(writer, other)) return false;
      this.edges.push(other, writer);
    }
    return true;
  }

  private insertAll(precedence: Precedence): boolean {
    const { edges, count } = this;
    for (let at = 0; at < edges.length; at += 2)
      if (!precedence.insert(edges[at] ?? 0, edges[at + 1] ?? 0, count)) return false;
    return true;
  }

  private follow(at: number, other: number): void {
    this.past.follow(other, at);
    this.before.follow(other, at);
  }
}
