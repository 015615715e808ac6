// Append-only lists show the version order: every read is a prefix of the longest one (Kingsbury and Alvaro, Elle, VLDB 2020). Finds that
// order, the writers that reads saw, and reads that contradict every order.
import type { History } from "./history";
import { APPEND, READ_LIST, listVersions } from "./history";
import type { ReadViolation, VersionOrder } from "./readResolution";
import type { Writers } from "./writers";
import { isAmbiguous, isIntermediate, isRefused } from "./writers";

export interface ResolvedLists {
  readonly ordered: readonly VersionOrder[];
  /** The read's writer (a resolved number, 0 for the initial version); undefined if it cannot be used. */
  writerOf(operation: number): number | undefined;
  /** Reads with an element that was appended more than once: only part of their information is used. */
  readonly ambiguous: readonly number[];
}

interface ListRead {
  readonly transaction: number;
  readonly operation: number;
  /** The elements appended by others: the list without the reader's own appends at its end. */
  readonly seen: Int32Array;
}

/**
 * Resolves all list reads of the numbered transactions. Linear in the total length of the lists. A list consists of the others' appends
 * followed by the reader's own.
 */
export function resolveLists(
  history: History,
  writers: Writers,
  number: Int32Array,
  report: (violation: ReadViolation) => void,
): ResolvedLists {
  const writerOfRead = new Map<number, number>();
  const ordered: VersionOrder[] = [];
  const ambiguous: number[] = [];
  if (history.lists.length > 1) {
    const { reads, appenders } = collect(history, writers, number, report);
    for (const [key, all] of reads) {
      const longest = all.reduce((best, each) =>
        each.seen.length > best.seen.length ? each : best,
      );
      for (const read of all) {
        if (!isPrefix(read.seen, longest.seen)) {
          report({
            kind: "incompatible-lists",
            transaction: read.transaction,
            operation: read.operation,
            because: longest.operation,
            writer: longest.transaction,
          });
          continue;
        }
        const last = read.seen.at(-1);
        if (read.seen.some((version) => isAmbiguous(writers, version)))
          ambiguous.push(read.operation);
        if (last === undefined) writerOfRead.set(read.operation, 0);
        else if (!isAmbiguous(writers, last)) {
          const writer = writers.of[last] ?? -1;
          if (writer < 0) continue;
          if (isIntermediate(writers, last))
            report({
              kind: "intermediate-read",
              transaction: read.transaction,
              operation: read.operation,
              writer,
            });
          const from = number[writer] ?? -1;
          if (from >= 0) writerOfRead.set(read.operation, from);
        }
      }
      checkElements(longest, writers, report);
      const named = appenders.get(key) ?? [];
      const doubtful = new Set(longest.seen.filter((version) => isAmbiguous(writers, version)));
      const sure =
        doubtful.size === 0 ? named : named.filter((t) => !appendsAny(history, t, doubtful));
      ordered.push(...orderOf(key, longest, writers, number, sure));
    }
  }
  return { ordered, ambiguous, writerOf: (operation) => writerOfRead.get(operation) };
}

interface Collected {
  readonly reads: ReadonlyMap<number, readonly ListRead[]>;
  readonly appenders: ReadonlyMap<number, readonly number[]>;
}

function collect(
  history: History,
  writers: Writers,
  number: Int32Array,
  report: (violation: ReadViolation) => void,
): Collected {
  const reads = new Map<number, ListRead[]>();
  const appenders = new Map<number, number[]>();
  for (let t = 0; t < history.transactions; t++) {
    if ((number[t] ?? -1) < 0) continue;
    const own = new Map<number, number[]>();
    for (let at = history.from[t] ?? 0; at < (history.to[t] ?? 0); at++) {
      const key = history.key[at] ?? 0;
      if (history.kind[at] === APPEND) {
        const before = own.get(key);
        if (before !== undefined) before.push(at);
        else {
          own.set(key, [at]);
          entryOf(appenders, key).push(t);
        }
      } else if (history.kind[at] === READ_LIST) {
        const seen = withoutOwn(history, writers, t, at, own.get(key) ?? [], report);
        if (seen !== undefined) entryOf(reads, key).push({ transaction: t, operation: at, seen });
      }
    }
  }
  return { reads, appenders };
}

function entryOf<T>(map: Map<number, T[]>, key: number): T[] {
  const known = map.get(key);
  if (known !== undefined) return known;
  const fresh: T[] = [];
  map.set(key, fresh);
  return fresh;
}

function withoutOwn(
  history: History,
  writers: Writers,
  transaction: number,
  operation: number,
  own: readonly number[],
  report: (violation: ReadViolation) => void,
): Int32Array | undefined {
  const list = listVersions(history, history.version[operation] ?? 0);
  const start = list.length - own.length;
  const missing = own.find((at, index) => list[start + index] !== history.version[at]);
  if (missing !== undefined) {
    report({ kind: "own-write-not-read", transaction, operation, because: missing });
    return undefined;
  }
  const seen = list.subarray(0, start);
  // An own element before the end was appended after it was read, or occurs twice.
  if (seen.some((v) => writers.of[v] === transaction && !isAmbiguous(writers, v))) {
    const again = own.some((at) => seen.includes(history.version[at] ?? -1));
    report({ kind: again ? "duplicate-element" : "future-read", transaction, operation });
    return undefined;
  }
  return seen;
}

function isPrefix(list: Int32Array, whole: Int32Array): boolean {
  return list.every((version, index) => version === whole[index]);
}

function checkElements(
  read: ListRead,
  writers: Writers,
  report: (violation: ReadViolation) => void,
): void {
  const { transaction, operation } = read;
  const met = new Set<number>();
  for (const version of read.seen) {
    if (isAmbiguous(writers, version)) continue;
    if (met.has(version)) report({ kind: "duplicate-element", transaction, operation });
    met.add(version);
    if ((writers.of[version] ?? -1) >= 0) continue;
    const kind = isRefused(writers, version) ? "aborted-read" : "thin-air-read";
    report({ kind, transaction, operation });
  }
}

function appendsAny(history: History, transaction: number, versions: ReadonlySet<number>): boolean {
  const end = history.to[transaction] ?? 0;
  for (let at = history.from[transaction] ?? 0; at < end; at++)
    if (history.kind[at] === APPEND && versions.has(history.version[at] ?? 0)) return true;
  return false;
}

/** The writers along the longest list, then the appenders whose appends nobody saw. */
function orderOf(
  key: number,
  longest: ListRead,
  writers: Writers,
  number: Int32Array,
  appenders: readonly number[],
): readonly VersionOrder[] {
  const ordered: VersionOrder[] = [];
  const observed = new Set<number>();
  let last = 0;
  for (const version of longest.seen) {
    if (isAmbiguous(writers, version)) continue;
    const writer = writers.of[version] ?? -1;
    const after = writer < 0 ? -1 : (number[writer] ?? -1);
    if (after < 0) continue;
    observed.add(after);
    if (last > 0 && last !== after)
      ordered.push({ key, before: last, after, operation: longest.operation });
    last = after;
  }
  if (last === 0) return ordered;
  for (const appender of appenders) {
    const after = number[appender] ?? -1;
    if (after < 0 || observed.has(after)) continue;
    ordered.push({ key, before: last, after, operation: longest.operation });
  }
  return ordered;
}
