// The transactions of a tuple's units: their possible commit orders, and each of them alone.
import type { FlatTransaction, Operation } from "../../operations/operation";
import { HIDDEN } from "../../operations/operation";
import { FALSE as NEVER } from "../../operations/terms";

/** An instance of a tuple: a transaction, or one of a unit's. */
export interface Member {
  /** Index of the transaction or unit in the tuple. */
  readonly unit: number;
  /** Index of the transaction in its unit. */
  readonly part?: number;
}

/** Tuples with more commit orders are not searched. */
export const MOST_ORDERS = 252;

/**
 * The commit orders of these transactions and units; undefined if there are too many. Without units it is the given order. Adjacent
 * independent instances that nothing else can distinguish have one representative order. Orders with the fewest switches between units come
 * first.
 */
export function commitOrders(
  transactions: readonly FlatTransaction[],
): readonly (readonly Member[])[] | undefined {
  if (!transactions.some(({ parts }) => parts)) return [transactions.map((_, unit) => ({ unit }))];
  const lists = transactions.map(piecesOf);
  const orders: (readonly Member[])[] = [];
  const extend = (order: readonly Piece[], places: readonly number[]): boolean => {
    const last = order.at(-1);
    let isDone = true;
    for (const [unit, list] of lists.entries()) {
      const next = list[places[unit] ?? 0];
      if (!next) continue;
      isDone = false;
      if (isMirrored(transactions, places, unit)) continue;
      if (last && last.member.unit > unit && commute(last, next, lists)) continue;
      const further = places.map((place, at) => (at === unit ? place + 1 : place));
      if (!extend([...order, next], further)) return false;
    }
    if (isDone) orders.push(order.map(({ member }) => member));
    return orders.length <= MOST_ORDERS;
  };
  if (
    !extend(
      [],
      lists.map(() => 0),
    )
  )
    return undefined;
  return orders.sort((a, b) => changes(a) - changes(b));
}

/** One transaction of a unit; its operations keep their indexes in the unit. */
export function partTransaction(whole: FlatTransaction, part: number): FlatTransaction {
  const isFirst = part === 0;
  const isLast = part + 1 === whole.parts?.length;
  const { exceeds, observed, ...rest } = whole;
  return {
    ...rest,
    preconditions: isFirst ? whole.preconditions : [],
    aborts: isLast ? whole.aborts : NEVER,
    returns: isLast ? whole.returns : [],
    visible: isLast ? whole.visible : [],
    observed: isLast ? (observed ?? []) : [],
    ...(isFirst && exceeds && { exceeds }),
  };
}

/** The operations of an instance. */
export function operationsOf(whole: FlatTransaction, part?: number): readonly Operation[] {
  const own = part === undefined ? undefined : whole.parts?.[part];
  if (!own) return whole.operations;
  return whole.operations.filter(({ step }) => step >= own.from && step < own.to);
}

/** The transactions of the unit, by index, that touch tables while its session holds the lock. */
export function heldParts(
  { parts = [], operations }: FlatTransaction,
  { step, session }: Operation,
): readonly number[] {
  return parts.flatMap(({ from, to }, part) => {
    const isHeld = to > step && to <= (session?.until ?? Infinity);
    const touches = operations.some(
      (each) => each.step >= from && each.step < to && !each.table.startsWith(HIDDEN),
    );
    return isHeld && touches ? [part] : [];
  });
}

interface Piece {
  readonly member: Member;
  /** True if its statements see everything committed before its own commit. */
  readonly isInstant: boolean;
  readonly operations: readonly Operation[];
  /** True for one of several transactions that are run under a lock of the session: they are not moved apart. */
  readonly isTogether?: boolean;
}

function piecesOf(transaction: FlatTransaction, unit: number): readonly Piece[] {
  const { parts } = transaction;
  if (!parts) return [{ member: { unit }, isInstant: false, operations: transaction.operations }];
  const several = transaction.operations
    .flatMap((each) => (each.session ? [heldParts(transaction, each)] : []))
    .filter((held) => held.length > 1);
  const together = new Set(several.flat());
  return parts.map((each, part) => {
    const operations = operationsOf(transaction, part);
    const isTogether = together.has(part);
    return { member: { unit, part }, isInstant: each.single, operations, isTogether };
  });
}

/** Two instances of one unit are symmetric: the first one begins. */
function isMirrored(
  transactions: readonly FlatTransaction[],
  places: readonly number[],
  unit: number,
): boolean {
  if ((places[unit] ?? 0) > 0) return false;
  return transactions.some(
    (each, at) => at < unit && each === transactions[unit] && (places[at] ?? 0) === 0,
  );
}

/** True if two adjacent transactions can be swapped without a difference. */
function commute(first: Piece, second: Piece, lists: readonly (readonly Piece[])[]): boolean {
  if (conflict(first, second)) return false;
  if (isLocal(first, lists) || isLocal(second, lists)) return true;
  // A snapshot between the two could distinguish them.
  return lists.every((list) => list.every(({ isInstant }) => isInstant));
}

function isLocal(piece: Piece, lists: readonly (readonly Piece[])[]): boolean {
  return lists.every(
    (list, unit) => unit === piece.member.unit || !list.some((other) => conflict(piece, other)),
  );
}

function conflict(a: Piece, b: Piece): boolean {
  if (a.isTogether && b.isTogether) return true;
  return a.operations.some((one) =>
    b.operations.some(
      (other) => one.table === other.table && (one.kind !== "read" || other.kind !== "read"),
    ),
  );
}

function changes(order: readonly Member[]): number {
  return order.filter(({ unit }, at) => at > 0 && order[at - 1]?.unit !== unit).length;
}
