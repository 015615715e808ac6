// The result of judging a recorded history, as the CLI prints it in JSON and as every view renders it.

export type HistoryVerdict = "ok" | "violated" | "unknown";

/** Where something stands in a recorded file: a line of a text or a byte of a binary file; lines count from 1. */
export interface HistoryPlace {
  readonly file: string;
  readonly line?: number;
  readonly byte?: number;
}

/** One read or write of the counterexample. */
export interface HistoryOperation {
  readonly kind: "read" | "write" | "failed-write";
  readonly key: string;
  /** As in the file; a list as "[1 2]" (of a long one "..." stands for parts), and "nil" for what the key held before all writes. */
  readonly value: string;
  readonly place: HistoryPlace;
  /** "reads x = 1". */
  readonly text: string;
  /** Reads: the transaction of the counterexample whose write was read; null for the value at the start. */
  readonly writer?: string | null;
}

export interface HistoryTransaction {
  /** As in the file, such as "T12"; "S1.3" for the third transaction of the first session where there are no names. */
  readonly name: string;
  readonly session: string;
  readonly status: "committed" | "aborted" | "unknown";
  readonly operations: readonly HistoryOperation[];
}

/** The reason why a dependency holds: a sentence with the places that show it, resting on further sentences. */
export interface HistoryReason {
  readonly text: string;
  readonly places: readonly HistoryPlace[];
  readonly because: readonly HistoryReason[];
}

export type HistoryDependency = "so" | "wr" | "ww" | "rw" | "rt";

export interface HistoryEdge {
  readonly type: HistoryDependency;
  /** The key, for wr, ww and rw. */
  readonly key?: string;
  /** Names of transactions. */
  readonly from: string;
  readonly to: string;
  readonly reason: HistoryReason;
}

/** Part that no execution of a level has, by the smallest part of the history that shows it. */
export interface HistoryViolation {
  /** The literature's name in kebab-case, such as `lost-update`. */
  readonly kind: string;
  /** The kind's name for people. */
  readonly title: string;
  /** Meaning of the kind, in one sentence. */
  readonly meaning: string;
  /** The weakest level that is violated. */
  readonly level: string;
  /** One sentence about what happened that begins with the title. */
  readonly message: string;
  readonly transactions: readonly string[];
  /** The dependencies lead back to where they started; empty for a read that no level allows. */
  readonly edges: readonly HistoryEdge[];
  /** Dependencies beside these: what their reasons rest on, and what else connects a transaction. */
  readonly support?: readonly HistoryEdge[];
  /** Without any one of its transactions the rest is possible at the level. In the format that the checker reads. */
  readonly minimal: unknown;
  /** The same, for people, in an order that can be told. */
  readonly story: readonly HistoryTransaction[];
}

/** A remark on the recording, such as a value that was written twice. */
export interface HistoryRemark {
  readonly message: string;
  readonly place?: HistoryPlace;
}

export interface HistoryReport {
  readonly tool: string;
  readonly formatVersion: 1;
  /** The file or folder, as it was asked for. */
  readonly file: string;
  /** Format as which its content was recognised. */
  readonly format: string;
  readonly sessions: number;
  readonly transactions: number;
  readonly operations: number;
  /** True if the times were held against the levels as well. */
  readonly strict: boolean;
  /** By the full name of the level, from the weakest to the strongest that was asked for. */
  readonly verdicts: Readonly<Record<string, HistoryVerdict>>;
  /** The reason why something is unknown. */
  readonly unknown?: string;
  readonly violation: HistoryViolation | null;
  readonly remarks: readonly HistoryRemark[];
}
