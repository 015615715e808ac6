// Input of the checks of levels: committed transactions with their reads and writes, and the reads that no level
// allows.
import type { History } from "./history";

/** A read that no level allows. Numbers are those of the history. */
export interface ReadViolation {
  readonly kind: ReadViolationKind;
  readonly transaction: number;
  readonly operation: number;
  /** The transaction whose value was read, if there is one and it is another. */
  readonly writer?: number;
  /** The other operation that explains it: the write that was read, or the own write that should have been. */
  readonly because?: number;
}

export type ReadViolationKind =
  | "thin-air-read"
  | "aborted-read"
  | "intermediate-read"
  | "future-read"
  | "own-write-not-read"
  | "incompatible-lists"
  | "duplicate-element";

/**
 * Committed transactions, and those of unknown fate that somebody read from (these have committed then; the others
 * cannot be told from aborted ones), numbered from 1, session by session; 0 is the transaction that wrote all initial
 * versions.
 */
export interface Resolved {
  readonly history: History;
  readonly count: number;
  /** The history's number of each transaction; -1 for 0. */
  readonly original: Int32Array;
  readonly sessionOf: Int32Array;
  /** The reads of transaction `t`, in program order, are `readFrom[t]` up to `readFrom[t + 1]`; own writes excepted. */
  readonly readFrom: Int32Array;
  readonly readKey: Int32Array;
  readonly readWriter: Int32Array;
  /** The history's number of the operation. */
  readonly readOperation: Int32Array;
  /** The keys that `t` wrote, ascending and each once. */
  readonly writeFrom: Int32Array;
  readonly writeKey: Int32Array;
  /** Pairs (before, after) of writers of a key that lists order. */
  readonly ordered: readonly VersionOrder[];
  readonly violations: readonly ReadViolation[];
  /** Reads of a value that was written more than once: who wrote it is not known, so they are not used. */
  readonly ambiguousReads: number;
  readonly firstAmbiguous?: number;
  /** Transactions of unknown fate that must have committed, as their writes were read. */
  readonly mustHaveCommitted: number;
}

export interface VersionOrder {
  readonly key: number;
  readonly before: number;
  readonly after: number;
  /** The read of a list (operation of the history) that shows the order. */
  readonly operation: number;
}
