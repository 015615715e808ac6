// The second half of explore-ce (Bouajjani, Enea and Roman-Calvo, PLDI 2023): after a commit, earlier reads may read from it instead. The
// choice of tried reads ensures that every history occurs exactly once.
import { CommitOrder } from "./commitOrder";
import type { WeakLevel } from "./commitOrder";
import type { Event, History, Transaction, TransactionId } from "./history";
import { INITIAL } from "./history";
import { writesOf } from "./log";

/**
 * The prefixes of histories in which an earlier read reads from the transaction that has just committed, the last one of the log. `order`
 * is the order of that log. O(n^2 r) constraints for n transactions with r reads.
 * A read may be moved behind t if it is no causal predecessor of t; what t does not need is then dropped and run again later. To occur once
 * only, all dropped reads must be in canonical position: they read the latest writer of their causal past, and were not moved themselves.
 */
export function reorderings(
  transactions: readonly Transaction[],
  order: CommitOrder,
  level: WeakLevel,
): readonly History[] {
  const last = transactions.at(-1);
  if (last === undefined) return [];
  const written = writesOf(last);
  if (written.size === 0) return [];
  const at = transactions.length;
  const forgotten = (position: number): boolean => position !== at && !order.inPast(position, at);
  const judge = firstRoads(transactions, order, level, forgotten);
  const found: History[] = [];
  transactions.forEach((transaction, index) => {
    if (!forgotten(index + 1)) return;
    transaction.events.forEach((event, place) => {
      if (!isExternal(event) || !written.has(event.key)) return;
      if (!judge(index, place)) return;
      const moved = swap(transactions, index, place, last, forgotten);
      if (orderOf(moved.transactions, level) !== undefined) found.push(moved);
    });
  });
  return found;
}

/** The order of a log; undefined if the level forbids its reads. */
export function orderOf(
  transactions: readonly Transaction[],
  level: WeakLevel,
): CommitOrder | undefined {
  const order = new CommitOrder(level);
  const positions = new Map<TransactionId, number>([[INITIAL, 0]]);
  for (const transaction of transactions)
    if (!append(order, positions, transaction)) return undefined;
  return order;
}

function append(
  order: CommitOrder,
  positions: Map<TransactionId, number>,
  transaction: Transaction,
): boolean {
  const at = order.enter(transaction.session);
  for (const event of transaction.events)
    if (isExternal(event) && !reads(order, event, positions)) return false;
  positions.set(transaction.id, at);
  order.commit(writesOf(transaction).keys());
  return true;
}

function reads(
  order: CommitOrder,
  { key, from, statement }: Read,
  positions: ReadonlyMap<TransactionId, number>,
): boolean {
  return order.read(key, positions.get(from) ?? -1, statement);
}

type Read = Extract<Event, { kind: "read" }>;

/** True for a read that is not answered by the transaction's own write. */
export function isExternal(event: Event): event is Read {
  return event.kind === "read" && event.from >= INITIAL;
}

/**
 * The log after the move: everything before the reader, what the writer needs of the rest, and the reader up to the read, which reads from
 * the writer.
 */
function swap(
  transactions: readonly Transaction[],
  reader: number,
  place: number,
  writer: Transaction,
  forgotten: (position: number) => boolean,
): History {
  const kept = transactions.filter((_, index) => index < reader || !forgotten(index + 1));
  const cut = transactions[reader];
  const read = cut?.events[place];
  if (cut === undefined || read?.kind !== "read") return { transactions: kept };
  const { id, session, index, name } = cut;
  const events: Event[] = [...cut.events.slice(0, place), { ...read, from: writer.id }];
  kept.push({ id, session, index, name, events, status: "open" });
  return { transactions: kept };
}

/**
 * Checks that everything dropped by moving the event at `place` of a transaction is in canonical position: the paper's Optimality. Answers
 * do not depend on the moved read and are memoised.
 */
function firstRoads(
  transactions: readonly Transaction[],
  order: CommitOrder,
  level: WeakLevel,
  forgotten: (position: number) => boolean,
): (index: number, place: number) => boolean {
  const offRoad = new Map<number, number>();
  const positions = new Map<TransactionId, number>([[INITIAL, 0]]);
  transactions.forEach(({ id }, index) => positions.set(id, index + 1));

  /** The last event of a transaction that is not in canonical position; -1 if there is none. */
  const lastOff = (index: number): number => {
    let last = offRoad.get(index);
    if (last === undefined)
      offRoad.set(
        index,
        (last = lastOffRoad(transactions, index, order, positions, level, forgotten)),
      );
    return last;
  };
  return (reader, place) => {
    if (lastOff(reader) >= place) return false;
    for (let index = reader + 1; index < transactions.length; index++)
      if (forgotten(index + 1) && lastOff(index) >= 0) return false;
    return true;
  };
}

function lastOffRoad(
  transactions: readonly Transaction[],
  index: number,
  order: CommitOrder,
  positions: ReadonlyMap<TransactionId, number>,
  level: WeakLevel,
  forgotten: (position: number) => boolean,
): number {
  const transaction = transactions[index];
  if (transaction === undefined) return -1;
  const around = transactions.filter(
    (_, other) => other < index || (other > index && !forgotten(other + 1)),
  );
  const there = new Map<TransactionId, number>([[INITIAL, 0]]);
  const before = new CommitOrder(level);
  for (const each of around) append(before, there, each);
  before.enter(transaction.session);
  let last = -1;
  transaction.events.forEach((event, place) => {
    if (!isExternal(event)) return;
    if (
      wasMoved(transactions, index, place, order, positions) ||
      latest(before, around, event) !== event.from
    )
      last = place;
    reads(before, event, there);
  });
  return last;
}

/** The latest writer that the last transaction of `order` has seen and may read; the initial state if there is none. */
function latest(
  order: CommitOrder,
  transactions: readonly Transaction[],
  { key, statement }: Read,
): TransactionId | undefined {
  const reader = order.count - 1;
  for (let position = reader - 1; position > 0; position--)
    if (
      order.writes(position, key) &&
      order.inPast(position, reader) &&
      order.allows(key, position, statement)
    )
      return transactions[position - 1]?.id;
  return order.allows(key, 0, statement) ? INITIAL : undefined;
}

/**
 * True if a read is there because it was moved behind its writer: the writer is younger in session order, no older transaction before the
 * reader needs the writer, and no earlier read of the same transaction brought the writer in. The last condition is wider than the paper's
 * "first read from the writer": an earlier read's writer may have brought it in as a causal predecessor.
 */
function wasMoved(
  transactions: readonly Transaction[],
  index: number,
  place: number,
  order: CommitOrder,
  positions: ReadonlyMap<TransactionId, number>,
): boolean {
  const reader = transactions[index];
  const read = reader?.events[place];
  if (reader === undefined || read === undefined || !isExternal(read)) return false;
  if (read.from <= reader.id) return false;
  const writer = positions.get(read.from) ?? -1;
  for (let earlier = 0; earlier < place; earlier++) {
    const other = reader.events[earlier];
    if (other === undefined || !isExternal(other)) continue;
    if (other.from === read.from) return false;
    if (other.from !== INITIAL && order.inPast(writer, positions.get(other.from) ?? -1))
      return false;
  }
  for (let before = 0; before < index; before++) {
    const other = transactions[before];
    if (other !== undefined && other.id < reader.id && order.inPast(writer, before + 1))
      return false;
  }
  return true;
}
