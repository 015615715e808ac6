// What a history so far says about the order of commits, kept up read by read: the polynomial levels of Biswas and Enea
// (OOPSLA 2019). Transactions are positions in a log, 0 is the initial state; sets of them are rows of bits.
import type { Key } from "./client";

/** Levels at which a history is judged by a graph alone. */
export type WeakLevel = "any" | "read-committed" | "read-atomic" | "causal";

export function isWeakLevel(level: string): level is WeakLevel {
  return (
    level === "any" || level === "read-committed" || level === "read-atomic" || level === "causal"
  );
}

const INITIAL_POSITION = 0;

interface ReadFrom {
  readonly key: Key;
  readonly writer: number;
}

/**
 * The order of a log whose transactions come one after the other: only the last one may still read. A read of x from w
 * demands that every other writer of x that the reader sees comes before w; what "sees" means is the level.
 *
 * Invariant: `before` is transitively closed and without cycles, so every linear extension is an order of commits that
 * the level allows.
 */
export class CommitOrder {
  /** Positions in use; that of the last transaction is `count - 1`. */
  count = 1;
  /** Words of a row, and rows that there is room for. */
  private words = 1;
  private rows = 16;
  /** Session order and reads-from, closed. */
  private past: Int32Array = new Int32Array(this.rows);
  /** Whom a transaction has read from and, at read atomic, whom it follows in its session. */
  private seen: Int32Array = new Int32Array(this.rows);
  /** `past` and what reads demand, closed. */
  private before: Int32Array = new Int32Array(this.rows);
  private scratch: Int32Array = new Int32Array(this.rows);
  private readonly writers = new Map<Key, Int32Array>();
  private readonly sessions = new Map<number, number[]>();
  private reads: ReadFrom[] = [];
  private edges: number[] = [];

  constructor(readonly level: WeakLevel) {}

  /** Begins the next transaction of a session, and returns its position. */
  enter(session: number): number {
    const at = this.count++;
    if (this.count > this.rows || this.count > this.words * 32) this.grow();
    let members = this.sessions.get(session);
    if (members === undefined) this.sessions.set(session, (members = []));
    this.reads = [];
    this.follow(at, INITIAL_POSITION);
    const previous = members.at(-1);
    if (previous !== undefined) this.follow(at, previous);
    if (this.level === "read-atomic")
      for (const member of members) or(this.seen, this.word(at, member), bitOf(member));
    members.push(at);
    return at;
  }

  /** Whether the last transaction may read that key from that committed writer. */
  allows(key: Key, writer: number): boolean {
    if (this.level === "any") return true;
    if (!this.demand(key, writer)) return false;
    const { edges } = this;
    if (edges.length <= 2) return true;
    this.scratch.set(this.before);
    for (let at = 0; at < edges.length; at += 2)
      if (!this.insert(this.scratch, edges[at] ?? 0, edges[at + 1] ?? 0)) return false;
    return true;
  }

  /** Lets the last transaction read; false if the level forbids it, and then the order is of no further use. */
  read(key: Key, writer: number): boolean {
    const at = this.count - 1;
    if (this.level !== "any") {
      if (!this.demand(key, writer)) return false;
      const { edges } = this;
      for (let each = 0; each < edges.length; each += 2)
        if (!this.insert(this.before, edges[each] ?? 0, edges[each + 1] ?? 0)) return false;
      this.reads.push({ key, writer });
    }
    this.follow(at, writer);
    or(this.seen, this.word(at, writer), bitOf(writer));
    return true;
  }

  /** The last transaction commits with these writes. */
  commit(keys: Iterable<Key>): void {
    const at = this.count - 1;
    for (const key of keys) {
      let set = this.writers.get(key);
      if (set === undefined) this.writers.set(key, (set = new Int32Array(this.words)));
      or(set, at >> 5, bitOf(at));
    }
  }

  /** Whether a precedes b by session order and reads. */
  inPast(a: number, b: number): boolean {
    return ((this.past[this.word(b, a)] ?? 0) & bitOf(a)) !== 0;
  }

  /** Whether a precedes b in every order of commits. */
  precedes(a: number, b: number): boolean {
    return ((this.before[this.word(b, a)] ?? 0) & bitOf(a)) !== 0;
  }

  /** Whether this committed transaction writes the key. */
  writes(at: number, key: Key): boolean {
    return ((this.writers.get(key)?.[at >> 5] ?? 0) & bitOf(at)) !== 0;
  }

  /** Demands that a commits before b; false if that closes a cycle. */
  add(a: number, b: number): boolean {
    return this.insert(this.before, a, b);
  }

  /** A copy to try demands on. */
  copy(): CommitOrder {
    const other = new CommitOrder(this.level);
    other.count = this.count;
    other.words = this.words;
    other.rows = this.rows;
    other.past = this.past;
    other.seen = this.seen;
    other.before = this.before.slice();
    return other;
  }

  /**
   * Collects in `edges` what the read adds to `before`; false if one of these alone contradicts it. Whatever follows the
   * last transaction follows nobody else, so edges lead to writers only.
   */
  private demand(key: Key, writer: number): boolean {
    this.edges = [];
    const at = this.count - 1;
    const { words, level } = this;
    for (let word = 0; word < words; word++) {
      const own = at * words + word;
      const bit = word === writer >> 5 ? 1 << (writer & 31) : 0;
      const known = (level === "causal" ? this.past[own] : this.seen[own]) ?? 0;
      const added = level === "causal" ? (this.past[writer * words + word] ?? 0) | bit : bit;
      const visible = level === "read-committed" ? known : known | added;
      if (!this.precede(visible, word, key, writer)) return false;
      if (level === "read-committed") continue;
      const fresh = added & ~known;
      if (fresh === 0) continue;
      for (const read of this.reads)
        if (!this.precede(fresh, word, read.key, read.writer)) return false;
    }
    return true;
  }

  /** Demands that the writers of the key among these come before `writer`. */
  private precede(visible: number, word: number, key: Key, writer: number): boolean {
    const { words } = this;
    let others = visible & (this.writers.get(key)?.[word] ?? 0);
    if (word === writer >> 5) others &= ~(1 << (writer & 31));
    if (others === 0) return true;
    if (writer === 0) return false;
    others &= ~(this.before[writer * words + word] ?? 0);
    while (others !== 0) {
      const bit = 31 - Math.clz32(others & -others);
      others &= others - 1;
      const other = word * 32 + bit;
      if (this.precedes(writer, other)) return false;
      this.edges.push(other, writer);
    }
    return true;
  }

  private insert(rows: Int32Array, a: number, b: number): boolean {
    const { words } = this;
    if (a === b || ((rows[this.word(a, b)] ?? 0) & bitOf(b)) !== 0) return false;
    if (((rows[this.word(b, a)] ?? 0) & bitOf(a)) !== 0) return true;
    for (let each = 0; each < this.count; each++) {
      if (each !== b && ((rows[this.word(each, b)] ?? 0) & bitOf(b)) === 0) continue;
      for (let word = 0; word < words; word++)
        or(rows, each * words + word, rows[a * words + word] ?? 0);
      or(rows, this.word(each, a), bitOf(a));
    }
    return true;
  }

  /** The last transaction comes after `other`, and after all that this one comes after. */
  private follow(at: number, other: number): void {
    const { words } = this;
    for (let word = 0; word < words; word++) {
      or(this.past, at * words + word, this.past[other * words + word] ?? 0);
      or(this.before, at * words + word, this.before[other * words + word] ?? 0);
    }
    or(this.past, this.word(at, other), bitOf(other));
    or(this.before, this.word(at, other), bitOf(other));
  }

  /** Where in the rows the bit stands that says something of `a` and `b`, in the row of `a`. */
  private word(a: number, b: number): number {
    return a * this.words + (b >> 5);
  }

  /** Doubles the words of a row when positions run out of bits, and the rows when they run out. */
  private grow(): void {
    const words = this.count > this.words * 32 ? this.words * 2 : this.words;
    const rows = Math.max(this.rows * 2, this.count);
    const old = this.words;
    const wider = (source: Int32Array): Int32Array => {
      const target = new Int32Array(rows * words);
      for (let row = 0; row < this.rows; row++)
        target.set(source.subarray(row * old, row * old + old), row * words);
      return target;
    };
    this.past = wider(this.past);
    this.seen = wider(this.seen);
    this.before = wider(this.before);
    this.scratch = new Int32Array(rows * words);
    for (const [key, set] of this.writers) {
      const target = new Int32Array(words);
      target.set(set);
      this.writers.set(key, target);
    }
    this.rows = rows;
    this.words = words;
  }
}

function bitOf(position: number): number {
  return 1 << (position & 31);
}

function or(row: Int32Array, at: number, bits: number): void {
  row[at] = (row[at] ?? 0) | bits;
}
