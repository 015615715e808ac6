// Histories of the explorer: logs of transactions in the order in which they were run, with the writer of each read. Plain data, so that a
// history, or its prefix, can be sent to a worker or saved.
import type { Key, Value } from "./client";

/**
 * A transaction's name in all histories of a client. `INITIAL` wrote the initial state. Numbers are ordered by session, then by index in
 * the session.
 */
export type TransactionId = number;

export const INITIAL: TransactionId = 0;

/** The writer of a read of the transaction's own write. */
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
      /** The index of the statement in the transaction, from 0. */
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
  /** The reason of a rollback by the store. */
  readonly failure?: string;
  readonly result?: Value;
}

/** Each transaction follows its session predecessors and those that it reads from. */
export interface History {
  readonly transactions: readonly Transaction[];
}

/** The keys of a final state, with the writer of each last version. */
export type FinalState = ReadonlyMap<
  Key,
  { readonly writer: TransactionId; readonly value: Value }
>;
