// Content of the mock database: versions of keys in the order of their commits, and the transactions that read and
// wrote them. How a transaction's reads are chosen is the level's business (`policy.ts`).
import type { Key, Lookup, LookupIndex, Value } from "../../exploration/client";
import { createIndexes, type Indexes } from "./indexes";
import { createKeyOrder } from "./keyOrder";

/** The number of what was there at the start, as a writer. */
export const INITIAL = 0;

export interface Version {
  readonly value: Value;
  /** The number of its transaction. */
  readonly writer: number;
  /** How many had committed before it. */
  readonly position: number;
  /** The version before it; absent at the initial one, and where the past is forgotten. */
  readonly previous?: Version | undefined;
  /** The place of the write among those of its transaction, from 0, where the version was read before its commit. */
  readonly write?: number;
}

/** The initial version of all keys that were not there at the start. */
const ABSENT: Stored = { value: undefined, writer: INITIAL, position: 0, previous: undefined };

export interface ReadFrom {
  readonly key: Key;
  readonly from: number;
  readonly write?: number;
}

/** One statement's reads: single keys, and prefixes of which every key was read, those included that come later. */
export interface ReadLogEntry {
  readonly kind: "read";
  readonly reads: ReadFrom[];
  readonly scans: readonly string[];
  readonly lookups?: readonly Lookup[];
}

export interface LoggedWrite {
  readonly kind: "write";
  readonly key: Key;
}

export interface Transaction {
  readonly number: number;
  readonly session: number;
  status: "open" | "committed" | "aborted";
  readonly log: (ReadLogEntry | LoggedWrite)[];
  /** Entries of the log that are about keys which may come later. */
  readonly predicates: ReadLogEntry[];
  /** Its own last write of each key. */
  readonly writes: Map<Key, Value>;
  /** How many had committed when it did. */
  position: number;
}

export interface Database {
  /** By number; 0 is the initial state, committed before all others. Those that are forgotten are absent. */
  readonly transactions: ReadonlyMap<number, Transaction>;
  /** Numbers in the order of their commits. */
  readonly commits: number[];
  /** Those that have not ended, in the order of their beginnings. */
  readonly open: readonly Transaction[];
  readonly indexes: Indexes;
  /** The last committed version of a key; the initial one may say that it is absent. */
  newest(key: Key): Version;
  /** Last write of another transaction there that is not committed; undefined if none has. */
  uncommitted(key: Key, reader: Transaction): Version | undefined;
  /** The keys that begin so, sorted. */
  keys(prefix: string): readonly Key[];
  /** The keys of which a version, committed or not, holds the value or has held it, sorted. */
  found(lookup: Lookup): readonly Key[];
  /** A version is about to be written, and look-ups find its key from now on. */
  announce(key: Key, value: Value): void;
  /** Makes the indexes that look-ups need; where that takes long, others have their turns in between. */
  prepare(lookups: readonly LookupIndex[]): Promise<void> | undefined;
  begin(session: number): Transaction;
  /** The transaction is about to write there. */
  write(transaction: Transaction, key: Key, value: Value): void;
  commit(transaction: Transaction): void;
  abort(transaction: Transaction): void;
  /** Takes away an open transaction that has done nothing. */
  drop(transaction: Transaction): void;
  /** Drops, of the keys that an ended transaction wrote, the versions that no snapshot from `oldest` on can see. */
  forget(transaction: Transaction, oldest: number): void;
}

/**
 * A database that holds this at the start, with indexes that know it, if there are any. Where it forgets, transactions are
 * not found by their numbers.
 */
export function createDatabase(
  initial: ReadonlyMap<Key, Value>,
  isForgetful = false,
  indexes: Indexes = createIndexes(),
): Database {
  const start = transaction(INITIAL, -1);
  start.status = "committed";
  const transactions = new Map([[INITIAL, start]]);
  let begun = 0;
  const commits = [INITIAL];
  const last = new Map<Key, Stored>();
  // Sets whose members come and go keep the memory of those before for long.
  const open: Transaction[] = [];
  const close = (ended: Transaction): void => {
    open.splice(open.indexOf(ended), 1);
  };
  const order = createKeyOrder();
  /** Indexes that are being made. */
  const making = new Map<string, Promise<void>>();
  for (const [key, value] of initial) {
    last.set(key, { value, writer: INITIAL, position: 0, previous: undefined });
    order.add(key);
  }

  /** Everything that is or was written below a prefix. */
  function* valuesBelow(prefix: string): Generator<readonly [Key, Value]> {
    // Open transactions go first: they may be committed before the end.
    for (const { writes } of open)
      for (const [key, value] of writes) if (key.startsWith(prefix)) yield [key, value];
    for (const key of order.each(prefix))
      for (let each = last.get(key); each !== undefined; each = each.previous)
        yield [key, each.value];
  }

  /** The key exists from now on; predicates of open transactions have seen that it did not. */
  function add(key: Key): Stored {
    order.add(key);
    for (const each of open) {
      for (const { scans, reads } of each.predicates)
        if (scans.some((prefix) => key.startsWith(prefix))) reads.push({ key, from: INITIAL });
    }
    return ABSENT;
  }

  return {
    transactions,
    commits,
    open,
    indexes,
    keys: (prefix) => order.below(prefix),
    found: (lookup) => indexes.keys(lookup),
    prepare(lookups) {
      for (const lookup of lookups) {
        const waiting = making.get(lookup.index);
        if (waiting !== undefined) return waiting.then(() => this.prepare(lookups));
        const steps = indexes.make(lookup, valuesBelow);
        if (steps === undefined || steps.next().done === true) continue;
        const made = inTurns(steps).then(() => {
          making.delete(lookup.index);
        });
        making.set(lookup.index, made);
        return made.then(() => this.prepare(lookups));
      }
      return undefined;
    },
    newest: (key) => last.get(key) ?? ABSENT,
    uncommitted(key, reader) {
      const writer = open.findLast((each) => each !== reader && each.writes.has(key));
      if (!writer) return undefined;
      const writes = writer.log.filter(({ kind }) => kind === "write");
      const write = writes.findLastIndex((entry) => entry.kind === "write" && entry.key === key);
      const position = commits.length;
      return { value: writer.writes.get(key), writer: writer.number, position, write };
    },
    announce: indexes.note,
    begin(session) {
      begun += 1;
      const fresh = transaction(begun, session);
      if (!isForgetful) transactions.set(begun, fresh);
      open.push(fresh);
      return fresh;
    },
    write({ writes, log }, key, value) {
      writes.set(key, value);
      log.push({ kind: "write", key });
    },
    drop(empty) {
      transactions.delete(empty.number);
    },
    abort(ended) {
      ended.status = "aborted";
      close(ended);
    },
    commit(ended) {
      close(ended);
      ended.status = "committed";
      ended.position = commits.length;
      commits.push(ended.number);
      const { number: writer, position } = ended;
      for (const [key, value] of ended.writes)
        last.set(key, { value, writer, position, previous: last.get(key) ?? add(key) });
    },
    forget({ writes }, oldest) {
      for (const key of writes.keys()) {
        let seen = last.get(key);
        while (seen !== undefined && seen.position >= oldest) seen = seen.previous;
        if (seen !== undefined && seen !== ABSENT) seen.previous = undefined;
      }
    },
  };
}

/** A version that may forget what was before. */
interface Stored extends Version {
  previous: Stored | undefined;
}

/** That version and all before it, oldest first. */
export function versionsOf(newest: Version): readonly Version[] {
  const all: Version[] = [];
  for (let each: Version | undefined = newest; each !== undefined; each = each.previous)
    all.push(each);
  return all.reverse();
}

function transaction(number: number, session: number): Transaction {
  return {
    number,
    session,
    status: "open",
    log: [],
    predicates: [],
    writes: new Map(),
    position: 0,
  };
}

async function inTurns(steps: Iterator<undefined>): Promise<void> {
  while (steps.next().done !== true) await new Promise((resolve) => setImmediate(resolve));
}

/** True if the transaction has changed anything. */
export function isWriter({ writes }: Transaction): boolean {
  return writes.size > 0;
}

/** Reads of the transaction from others so far, oldest first. */
export function* readsOf({ log }: Transaction): Generator<ReadFrom> {
  for (const entry of log) if (entry.kind === "read") yield* entry.reads;
}
