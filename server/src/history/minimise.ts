// Minimal violating parts of a history: no transaction and no operation can be removed.
import { checkHistory } from "./check";
import type { History } from "./history";
import { APPEND, FAILED_WRITE, READ_LIST, WRITE, listVersions } from "./history";
import { HISTORY_LEVELS, type HistoryLevel } from "./levels";
import type { Poll } from "./limits";
import type { Part } from "./part";
import { partWith } from "./part";
import type { ReadViolation } from "./readResolution";
import { findWriters } from "./writers";

/**
 * The minimal part that violates the level by a cycle, starting from likely transactions. Undefined if the history does not violate it.
 */
export function minimalViolation(
  history: History,
  level: HistoryLevel,
  blamed: readonly number[],
  strict: boolean,
  poll: Poll,
): Part | undefined {
  return minimised(history, blamed, (part) => {
    poll();
    const { resolved, verdicts } = checkHistory(part, { levels: [level], strict });
    return resolved.violations.length === 0 && verdicts.get(level) === "violated";
  });
}

/**
 * The minimal part around an impossible read that no level allows. Its violation may differ from the read: it is what remains at the end.
 */
export function minimiseRead(
  history: History,
  violation: ReadViolation,
  poll: Poll,
): Part | undefined {
  const { transaction, writer, operation, because } = violation;
  const { of } = findWriters(history);
  const listed = [operation, because ?? operation].flatMap((at) =>
    history.kind[at] === READ_LIST
      ? Array.from(listVersions(history, history.version[at] ?? 0), (each) => of[each] ?? -1)
      : [],
  );
  return minimised(history, [transaction, writer ?? transaction, ...listed], (part) => {
    poll();
    const { verdicts } = checkHistory(part, { levels: ["read-committed"] });
    return verdicts.get("read-committed") === "violated";
  });
}

/**
 * Minimises from transactions that probably violate; if they do not, wider parts are tried, finally the whole history. Parts of a history
 * that satisfies a level satisfy it, so greedy removal ends with a minimal part.
 */
function minimised(
  history: History,
  start: readonly number[],
  accepts: (part: History) => boolean,
): Part | undefined {
  const writers = findWriters(history);
  const left = new Set<number>();
  const partFor = (transactions: readonly number[]) =>
    partWith(history, writers, transactions, (operation) => !left.has(operation));
  const violates = (transactions: readonly number[]) => accepts(partFor(transactions).history);
  let transactions = [...new Set(start)].filter((t) => t >= 0);
  for (let round = 0; !violates(transactions); round++) {
    if (transactions.length >= history.transactions) return undefined;
    transactions =
      round < 3
        ? neighbours(history, writers.of, transactions)
        : Array.from({ length: history.transactions }, (_, t) => t);
  }
  transactions = shrunk(transactions, violates);
  for (const write of [false, true])
    for (const t of transactions)
      for (let at = history.from[t] ?? 0; at < (history.to[t] ?? 0); at++) {
        if (isWrite(history, at) !== write) continue;
        left.add(at);
        if (!violates(transactions)) left.delete(at);
      }
  return partFor(transactions);
}

/** The weakest level that the part violates. */
export function weakestViolated(part: History, strict: boolean): HistoryLevel | undefined {
  const { verdicts } = checkHistory(part, { strict });
  return HISTORY_LEVELS.find((level) => verdicts.get(level) === "violated");
}

/** Removes halves, quarters and so on down to single items, while the rest still violates. */
function shrunk(
  items: readonly number[],
  violates: (rest: readonly number[]) => boolean,
): number[] {
  let kept = [...items];
  for (let size = kept.length >> 1; size >= 1; size >>= 1)
    for (let at = 0; at < kept.length;) {
      const rest = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (rest.length > 0 && violates(rest)) kept = rest;
      else at += size;
    }
  return kept;
}

/** The transactions with those they read from, their predecessors in their sessions, and those that read from them. */
function neighbours(
  history: History,
  writerOf: Int32Array,
  transactions: readonly number[],
): number[] {
  const found = new Set(transactions);
  const inside = new Set(transactions);
  for (let t = 0; t < history.transactions; t++)
    for (let at = history.from[t] ?? 0; at < (history.to[t] ?? 0); at++) {
      if (isWrite(history, at)) continue;
      const version = history.version[at] ?? 0;
      const read = history.kind[at] === READ_LIST ? listVersions(history, version) : [version];
      for (const each of read) {
        const writer = writerOf[each] ?? -1;
        if (inside.has(t) && writer >= 0) found.add(writer);
        if (inside.has(writer)) found.add(t);
      }
    }
  return [...found];
}

function isWrite(history: History, operation: number): boolean {
  const kind = history.kind[operation];
  return kind === WRITE || kind === APPEND || kind === FAILED_WRITE;
}
