// The smallest part of a history that still violates: no transaction and no operation of it can be left out.
import { checkHistory } from "./check";
import type { History } from "./history";
import { APPEND, FAILED_WRITE, READ_LIST, WRITE, listVersions } from "./history";
import { HISTORY_LEVELS, type HistoryLevel } from "./levels";
import type { Poll } from "./limits";
import type { Part } from "./part";
import { exactPart, partWith } from "./part";
import type { ReadViolation } from "./resolved";
import { resolve } from "./resolve";
import { findWriters } from "./writers";

/**
 * The smallest part that violates the level, starting from transactions that probably do. If they do not, wider parts
 * are tried, at last the whole history. Since parts of what satisfies a level satisfy it, leaving out one thing after
 * the other ends with a part none of whose transactions can be left out.
 */
export function minimalViolation(
  history: History,
  level: HistoryLevel,
  blamed: readonly number[],
  strict: boolean,
  poll: Poll,
): Part | undefined {
  const writers = findWriters(history);
  const partFor = (transactions: readonly number[], left: ReadonlySet<number>) =>
    partWith(history, writers, transactions, (operation) => !left.has(operation));
  const none = new Set<number>();
  const violates = (transactions: readonly number[], left: ReadonlySet<number> = none) => {
    poll();
    const result = checkHistory(partFor(transactions, left).history, { levels: [level], strict });
    return result.resolved.violations.length === 0 && result.verdicts.get(level) === "violated";
  };
  let transactions = [...new Set(blamed)].filter((t) => t >= 0);
  for (let round = 0; !violates(transactions); round++) {
    if (transactions.length >= history.transactions) return undefined;
    transactions =
      round < 3
        ? neighbours(history, writers.of, transactions)
        : Array.from({ length: history.transactions }, (_, t) => t);
  }
  transactions = shrunk(transactions, (rest) => violates(rest));
  const left = new Set<number>();
  for (const write of [false, true])
    for (const t of transactions)
      for (let at = history.from[t] ?? 0; at < (history.to[t] ?? 0); at++) {
        if (isWrite(history, at) !== write) continue;
        left.add(at);
        if (!violates(transactions, left)) left.delete(at);
      }
  return partFor(transactions, left);
}

/** The weakest level that the part violates. */
export function weakestViolated(part: History, strict: boolean): HistoryLevel | undefined {
  const { verdicts } = checkHistory(part, { strict });
  return HISTORY_LEVELS.find((level) => verdicts.get(level) === "violated");
}

/** The smallest part in which the same kind of impossible read occurs. */
export function minimalRead(history: History, violation: ReadViolation): Part {
  const writers = findWriters(history);
  const concerned = new Set([violation.transaction]);
  if (violation.writer !== undefined) concerned.add(violation.writer);
  for (const at of [violation.operation, violation.because ?? -1])
    if (history.kind[at] === READ_LIST)
      for (const element of listVersions(history, history.version[at] ?? 0))
        if ((writers.of[element] ?? -1) >= 0) concerned.add(writers.of[element] ?? 0);
  const key = history.key[violation.operation];
  const left = new Set<number>();
  const inOrder = [...concerned].sort((one, other) => one - other);
  const partFor = (transactions: readonly number[]) =>
    exactPart(
      history,
      transactions,
      (operation) => history.key[operation] === key && !left.has(operation),
    );
  const shows = (transactions: readonly number[]) => {
    const found = resolve(partFor(transactions).history).violations;
    return found.length > 0 && found.every((each) => each.kind === violation.kind);
  };
  if (!shows(inOrder)) return partFor(inOrder);
  const transactions = shrunk(inOrder, shows);
  for (const t of transactions)
    for (let at = history.from[t] ?? 0; at < (history.to[t] ?? 0); at++) {
      if (history.key[at] !== key) continue;
      left.add(at);
      if (!shows(transactions)) left.delete(at);
    }
  return partFor(transactions);
}

/** Leaves out halves, quarters and so on down to single items, as long as the rest still violates. */
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

/** The transactions with those they read from, those before them in their sessions, and those that read from them. */
function neighbours(
  history: History,
  writerOf: Int32Array,
  transactions: readonly number[],
): number[] {
  const found = new Set(transactions);
  const inside = new Set(transactions);
  for (let t = 0; t < history.transactions; t++)
    for (let at = history.from[t] ?? 0; at < (history.to[t] ?? 0); at++) {
      if (isWrite(history, at) || history.kind[at] === READ_LIST) continue;
      const writer = writerOf[history.version[at] ?? 0] ?? -1;
      if (inside.has(t) && writer >= 0) found.add(writer);
      if (inside.has(writer)) found.add(t);
    }
  return [...found];
}

function isWrite(history: History, operation: number): boolean {
  const kind = history.kind[operation];
  return kind === WRITE || kind === APPEND || kind === FAILED_WRITE;
}
