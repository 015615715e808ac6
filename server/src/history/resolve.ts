// Read consistency: finds the writer of every read, and reads that no database may return at any level. The result is the input of the
// level checks: which committed transaction read which key from whom, and who wrote what.
import type { History } from "./history";
import {
  APPEND,
  COMMITTED,
  FAILED_WRITE,
  READ,
  READ_LIST,
  UNKNOWN,
  WRITE,
  isInitial,
} from "./history";
import type { ReadViolation, Resolved } from "./readResolution";
import { resolveLists } from "./resolveLists";
import type { Writers } from "./writers";
import { NOBODY, findWrite, findWriters, isAmbiguous, isIntermediate, isRefused } from "./writers";

/** Limit of collected violations; more add nothing. */
const VIOLATION_LIMIT = 1000;

/** Resolves all reads. Linear in the number of operations. */
export function resolve(history: History): Resolved {
  const writers = findWriters(history);
  const { flagged } = writers;
  const included = includedTransactions(history, writers);
  const { original, number } = renumber(history, included);
  const violations: ReadViolation[] = [];
  const report = (violation: ReadViolation) => {
    if (violations.length < VIOLATION_LIMIT) violations.push(violation);
  };

  const { kind, key, version } = history;
  const count = original.length;
  const readFrom = new Int32Array(count + 1);
  const writeFrom = new Int32Array(count + 1);
  let reads = 0;
  let writes = 0;
  for (let t = 1; t < count; t++) {
    const h = original[t] ?? 0;
    for (let at = history.from[h] ?? 0; at < (history.to[h] ?? 0); at++) {
      const what = kind[at] ?? 0;
      if (what === READ || what === READ_LIST) reads++;
      else if (what !== FAILED_WRITE) writes++;
    }
  }
  const readKey = new Int32Array(reads);
  const readWriter = new Int32Array(reads);
  const readOperation = new Int32Array(reads);
  const writeKey = new Int32Array(writes);
  reads = 0;
  writes = 0;
  let ambiguousReads = 0;

  const lists = resolveLists(history, writers, number, report);
  let firstAmbiguous = lists.ambiguous[0];
  const ownWrites = ownWritesOf(history);
  for (let t = 1; t < count; t++) {
    const h = original[t] ?? 0;
    const firstWrite = writes;
    const start = history.from[h] ?? 0;
    const end = history.to[h] ?? 0;
    const isLong = end - start > FEW;
    for (let at = start; at < end; at++) {
      const what = kind[at] ?? 0;
      const k = key[at] ?? 0;
      if (what === WRITE || what === APPEND) {
        if (ownWrites.before(start, at, t, isLong) < 0) writeKey[writes++] = k;
        if (isLong) ownWrites.note(at, t);
        continue;
      }
      if (what === FAILED_WRITE) continue;
      if (what === READ_LIST) {
        const from = lists.writerOf(at);
        if (from === undefined) continue;
        readKey[reads] = k;
        readOperation[reads] = at;
        readWriter[reads++] = from;
        continue;
      }
      const v = version[at] ?? 0;
      const writer = writers.of[v] ?? NOBODY;
      const refused = flagged && isRefused(writers, v);
      const own = ownWrites.before(start, at, t, isLong);
      if (own >= 0) {
        if (version[own] !== v)
          report({
            kind: "own-write-not-read",
            transaction: h,
            operation: at,
            because: own,
            ...(writer >= 0 && writer !== h && { writer }),
          });
        continue;
      }
      if (flagged && isAmbiguous(writers, v)) {
        ambiguousReads++;
        firstAmbiguous ??= at;
        continue;
      }
      if (writer < 0) {
        if (!refused && isInitial(history, v)) {
          readKey[reads] = k;
          readOperation[reads] = at;
          readWriter[reads++] = 0;
        } else if (refused) {
          const place = findWrite(history, v);
          report({ kind: "aborted-read", transaction: h, operation: at, ...place });
        } else report({ kind: "thin-air-read", transaction: h, operation: at });
        continue;
      }
      if (writer === h) {
        report({ kind: "future-read", transaction: h, operation: at });
        continue;
      }
      if (flagged && isIntermediate(writers, v))
        report({
          kind: "intermediate-read",
          transaction: h,
          operation: at,
          ...findWrite(history, v),
        });
      readKey[reads] = k;
      readOperation[reads] = at;
      readWriter[reads++] = number[writer] ?? 0;
    }
    sortRange(writeKey, firstWrite, writes);
    readFrom[t + 1] = reads;
    writeFrom[t + 1] = writes;
  }
  return {
    history,
    count,
    original,
    sessionOf: sessionsOf(history, original),
    readFrom,
    readKey: readKey.subarray(0, reads),
    readWriter: readWriter.subarray(0, reads),
    readOperation: readOperation.subarray(0, reads),
    writeFrom,
    writeKey: writeKey.subarray(0, writes),
    ordered: lists.ordered,
    violations,
    ambiguousReads: ambiguousReads + lists.ambiguous.length,
    ...(firstAmbiguous !== undefined && { firstAmbiguous }),
    mustHaveCommitted: included.observed,
  };
}

/** Transactions with at most this many operations are scanned: they are contiguous in memory, unlike a table. */
const FEW = 24;

/** Finds a transaction's last own write to an operation's key. Transactions are visited in order, from 1. */
function ownWritesOf({ kind, key, keys }: History) {
  const lastWriter = new Int32Array(keys);
  const lastWrite = new Int32Array(keys);
  return {
    /** The last write before operation `at` in a transaction that begins at `start`, or -1. */
    before(start: number, at: number, transaction: number, isLong: boolean): number {
      const wanted = key[at] ?? 0;
      if (isLong) return lastWriter[wanted] === transaction ? (lastWrite[wanted] ?? -1) : -1;
      for (let earlier = at - 1; earlier >= start; earlier--)
        if (key[earlier] === wanted && (kind[earlier] === WRITE || kind[earlier] === APPEND))
          return earlier;
      return -1;
    },
    /** Called for each write of a long transaction. */
    note(at: number, transaction: number): void {
      lastWriter[key[at] ?? 0] = transaction;
      lastWrite[key[at] ?? 0] = at;
    },
  };
}

function sessionsOf(history: History, original: Int32Array): Int32Array {
  const sessionOf = new Int32Array(original.length).fill(-1);
  for (let t = 1; t < original.length; t++) sessionOf[t] = history.sessionOf[original[t] ?? 0] ?? 0;
  return sessionOf;
}

interface Included {
  readonly flags: Uint8Array;
  /** The number of those with unknown fate. */
  readonly observed: number;
}

/**
 * The committed transactions, and those of unknown fate that a transaction in the set read from. Leaving the others out is exact: nobody
 * depends on them, and removing an unread transaction keeps a history valid.
 */
function includedTransactions(history: History, writers: Writers): Included {
  const { status, kind, version } = history;
  const flags = Uint8Array.from(status, (each) => (each === COMMITTED ? 1 : 0));
  if (!status.includes(UNKNOWN)) return { flags, observed: 0 };
  const waiting: number[] = [];
  for (let t = 0; t < history.transactions; t++) if (status[t] === COMMITTED) waiting.push(t);
  let observed = 0;
  const see = (v: number) => {
    const writer = writers.of[v] ?? NOBODY;
    if (writer < 0 || isAmbiguous(writers, v) || flags[writer] === 1) return;
    flags[writer] = 1;
    observed++;
    waiting.push(writer);
  };
  for (let t = waiting.pop(); t !== undefined; t = waiting.pop())
    for (let at = history.from[t] ?? 0; at < (history.to[t] ?? 0); at++) {
      const v = version[at] ?? 0;
      if (kind[at] === READ) see(v);
      else if (kind[at] === READ_LIST)
        history.elements.subarray(history.lists[v] ?? 0, history.lists[v + 1] ?? 0).forEach(see);
    }
  return { flags, observed };
}

function renumber(
  history: History,
  included: Included,
): { readonly original: Int32Array; readonly number: Int32Array } {
  const number = new Int32Array(history.transactions).fill(NOBODY);
  const original = new Int32Array(history.transactions + 1);
  original[0] = -1;
  let count = 1;
  for (let t = 0; t < history.transactions; t++)
    if (included.flags[t] === 1) {
      original[count] = t;
      number[t] = count++;
    }
  return { original: original.subarray(0, count), number };
}

function sortRange(array: Int32Array, from: number, to: number): void {
  if (to - from > 24) {
    array.subarray(from, to).sort();
    return;
  }
  for (let i = from + 1; i < to; i++) {
    const moving = array[i] ?? 0;
    let j = i - 1;
    for (; j >= from && (array[j] ?? 0) > moving; j--) array[j + 1] = array[j] ?? 0;
    array[j + 1] = moving;
  }
}
