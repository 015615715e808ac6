// Parts of histories: some transactions with some of their operations, under the same names. Used to minimise violations.
import { HistoryBuilder } from "./builder";
import type { History, OperationKind, TransactionStatus } from "./history";
import { READ, READ_LIST, listVersions } from "./history";
import type { Writers } from "./writers";
import { findWriters, isAmbiguous, isRefused } from "./writers";

export interface Part {
  readonly history: History;
  /** Numbers in the whole history of the part's transactions and operations. */
  readonly transactions: readonly number[];
  readonly operations: readonly number[];
}

/** The history without one transaction, and without reads from it. */
export function without(history: History, transaction: number): History {
  const rest = Array.from({ length: history.transactions }, (_, t) => t);
  return partOf(
    history,
    rest.filter((t) => t !== transaction),
  ).history;
}

/**
 * The part with these transactions. Reads (and list elements) of versions whose write is missing are removed too: a part of a history that
 * satisfies a level satisfies it.
 */
export function partOf(
  history: History,
  transactions: readonly number[],
  keeps: (operation: number) => boolean = () => true,
): Part {
  return partWith(history, findWriters(history), transactions, keeps);
}

/** As `partOf`, for many parts of one history. */
export function partWith(
  history: History,
  writers: Writers,
  transactions: readonly number[],
  keeps: (operation: number) => boolean,
): Part {
  const inOrder = [...transactions].sort((one, other) => one - other);
  const written = new Set<number>();
  eachOperation(history, inOrder, (at) => {
    const kind = history.kind[at];
    if (kind !== READ && kind !== READ_LIST && keeps(at)) written.add(history.version[at] ?? 0);
  });
  // A value without a writer (the initial version, or out of thin air) depends on no transaction.
  const readable = (version: number) =>
    !isAmbiguous(writers, version) &&
    (written.has(version) || ((writers.of[version] ?? -1) < 0 && !isRefused(writers, version)));
  return copied(history, inOrder, (at, transaction) => {
    if (!keeps(at)) return undefined;
    const version = history.version[at] ?? 0;
    if (history.kind[at] === READ) return readable(version) ? [] : undefined;
    if (history.kind[at] !== READ_LIST) return [];
    const list = listVersions(history, version);
    const last = list.findLast((element) => (writers.of[element] ?? -1) !== transaction);
    if (last !== undefined && !readable(last)) return undefined;
    return [...list.filter(readable)];
  });
}

function eachOperation(
  history: History,
  transactions: readonly number[],
  visit: (operation: number, transaction: number) => void,
): void {
  for (const t of transactions)
    for (let at = history.from[t] ?? 0; at < (history.to[t] ?? 0); at++) visit(at, t);
}

/** `select` returns the elements of an operation's list (none for others), or undefined to drop the operation. */
function copied(
  history: History,
  transactions: readonly number[],
  select: (operation: number, transaction: number) => readonly number[] | undefined,
): Part {
  const builder = new HistoryBuilder({
    zeroIsInitial: history.zeroIsInitial,
    placeUnit: history.labels.placeUnit,
    unsigned: history.labels.unsigned,
  });
  const operations: number[] = [];
  const arrived: number[] = [];
  for (const file of history.labels.files) builder.file(file);
  for (const t of transactions) {
    const copy = builder.copyTransaction(history, t);
    arrived.push(t);
    builder.setStatus(copy, statusOf(history, t));
    const begin = history.begin?.[t] ?? Number.NaN;
    const end = history.end?.[t] ?? Number.NaN;
    if (!Number.isNaN(begin) || !Number.isNaN(end)) builder.setTimes(copy, begin, end);
    for (let at = history.from[t] ?? 0; at < (history.to[t] ?? 0); at++) {
      const elements = select(at, t);
      if (elements === undefined) continue;
      const key = builder.copyKey(history, history.key[at] ?? 0);
      const place = history.place[at] ?? 0;
      operations.push(at);
      if (history.kind[at] === READ_LIST) {
        for (const element of elements)
          builder.listElement(builder.copyVersion(history, key, element));
        builder.addListRead(copy, key, place);
        continue;
      }
      const version = builder.copyVersion(history, key, history.version[at] ?? 0);
      builder.add(kindOf(history, at), copy, key, version, place);
    }
  }
  const part = builder.finish();
  return {
    history: part,
    transactions: Array.from(part.labels.transactionName, (name) => arrived[name] ?? 0),
    operations,
  };
}

function statusOf(history: History, transaction: number): TransactionStatus {
  const status = history.status[transaction];
  return status === 1 || status === 2 ? status : 0;
}

function kindOf(history: History, operation: number): OperationKind {
  const kind = history.kind[operation];
  return kind === 1 || kind === 2 || kind === 3 || kind === 4 ? kind : 0;
}
