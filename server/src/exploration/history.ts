// Histories as the explorer makes them: logs of transactions in the order in which they were run, with the writer that
// each read read from. Plain data, so that a history, or the beginning of one, can go to a worker or be kept.
import type { Key, Value } from "./client";

/**
 * A transaction's name in all histories of a client: sessions and their transactions in order. `INITIAL` wrote what
 * exists at the start. Numbers grow with session, then with the place in the session.
 */
export type TransactionId = number;

export const INITIAL: TransactionId = 0;

/** As the writer of a read: the transaction itself. */
export const OWN = -1;

/** More transactions than a session may run. */
export const SESSION_SPAN = 65_536;

export function transactionId(session: number, index: number): TransactionId {
  return session * SESSION_SPAN + index + 1;
}

export function indexOfId(id: TransactionId): number {
  return (id - 1) % SESSION_SPAN;
}

export type Event =
  | {
      readonly kind: "read";
      readonly key: Key;
      /** `OWN`, `INITIAL` or another transaction. */
      readonly from: TransactionId;
      /** Counts the statements of the transaction from 0. */
      readonly statement: number;
    }
  | { readonly kind: "write"; readonly key: Key; readonly value: Value };

export interface Transaction {
  readonly id: TransactionId;
  readonly session: number;
  readonly index: number;
  readonly name: string | undefined;
  readonly events: readonly Event[];
  readonly status: "open" | "committed" | "aborted";
  /** The reason why the store rolled it back. */
  readonly failure?: string;
  readonly result?: Value;
}

/** Each transaction comes after those of its session before it, and after those that it reads from. */
export interface History {
  readonly transactions: readonly Transaction[];
}

/** A key of a final state, and who wrote its last version. */
export type FinalState = ReadonlyMap<
  Key,
  { readonly writer: TransactionId; readonly value: Value }
>;
