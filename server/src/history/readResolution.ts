// The input of the level checks: committed transactions with their reads and writes, and the reads that no level allows.
import type { History } from "./history";

/** A read that no level allows. Numbers are those of the history. */
export interface ReadViolation {
  readonly kind: ReadViolationKind;
  readonly transaction: number;
  readonly operation: number;
  /** The transaction whose value was read, if it is another one. */
  readonly writer?: number;
  /** The operation that explains it: the write that was read, or the own write that should have been read. */
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
 * Committed transactions, and those of unknown fate that somebody read from (these must have committed; the others are treated as aborted),
 * numbered from 1 by session; 0 is the transaction that wrote all initial versions.
 */
export interface Resolved {
  readonly history: History;
  readonly count: number;
  /** The history's number of each transaction; -1 for 0. */
  readonly original: Int32Array;
  readonly sessionOf: Int32Array;
  /** The reads of transaction `t` in program order, without those of own writes: `readFrom[t]` up to `readFrom[t + 1]`. */
  readonly readFrom: Int32Array;
  readonly readKey: Int32Array;
  readonly readWriter: Int32Array;
  /** The history's number of the operation. */
  readonly readOperation: Int32Array;
  /** The keys that `t` wrote, ascending and each once. */
  readonly writeFrom: Int32Array;
  readonly writeKey: Int32Array;
  /** Pairs (before, after) of a key's writers that lists order. */
  readonly ordered: readonly VersionOrder[];
  readonly violations: readonly ReadViolation[];
  /** The number of unused reads of a value that was written more than once, so that its writer is unknown. */
  readonly ambiguousReads: number;
  readonly firstAmbiguous?: number;
  /** The number of transactions of unknown fate that must have committed, since their writes were read. */
  readonly mustHaveCommitted: number;
}

export interface VersionOrder {
  readonly key: number;
  readonly before: number;
  readonly after: number;
  /** The read of a list (operation of the history) that shows the order. */
  readonly operation: number;
}
