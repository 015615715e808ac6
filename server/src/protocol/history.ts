// The result of judging a recorded history, as JSON of the CLI and as input of every view.

export type HistoryVerdict = "ok" | "violated" | "unknown";

/** A place in a recorded file: a line of a text (from 1) or a byte of a binary file. */
export interface HistoryPlace {
  readonly file: string;
  readonly line?: number;
  readonly byte?: number;
}

/** One read or write of the counterexample. */
export interface HistoryOperation {
  readonly kind: "read" | "write" | "failed-write";
  readonly key: string;
  /** The value as in the file; a list as "[1 2]" (shortened by "..."), and "nil" for the initial value of a key. */
  readonly value: string;
  readonly place: HistoryPlace;
  /** "reads x = 1". */
  readonly text: string;
  /** For reads: the transaction of the counterexample whose write was read; null for the initial value. */
  readonly writer?: string | null;
}

export interface HistoryTransaction {
  /** The name as in the file, such as "T12"; "S1.3" for the third transaction of the first session if there are no names. */
  readonly name: string;
  readonly session: string;
  readonly status: "committed" | "aborted" | "unknown";
  readonly operations: readonly HistoryOperation[];
}

/** The reason for a dependency: a sentence with the places that show it, and its supporting sentences. */
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

/** A violation of a level, shown by the smallest part of the history that has it. */
export interface HistoryViolation {
  /** The literature's name in kebab-case, such as `lost-update`. */
  readonly kind: string;
  /** The kind's name for people. */
  readonly title: string;
  /** The definition of the kind, in one sentence. */
  readonly meaning: string;
  /** The weakest level that is violated. */
  readonly level: string;
  /** One sentence on what happened, beginning with the title. */
  readonly message: string;
  readonly transactions: readonly string[];
  /** The dependencies of the cycle; empty for a read that no level allows. */
  readonly edges: readonly HistoryEdge[];
  /** Further dependencies: those that the reasons rest on, and those that connect a transaction. */
  readonly support?: readonly HistoryEdge[];
  /** The minimal history in the checker's format: without any one of its transactions the rest is possible at the level. */
  readonly minimal: unknown;
  /** The same for people, in a readable order. */
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
  /** The file or folder as the user named it. */
  readonly file: string;
  /** The recognised format. */
  readonly format: string;
  readonly sessions: number;
  readonly transactions: number;
  readonly operations: number;
  /** True if recorded times were checked against the levels as well. */
  readonly strict: boolean;
  /** Verdicts by full level name, weakest to strongest. */
  readonly verdicts: Readonly<Record<string, HistoryVerdict>>;
  /** The reason for an unknown verdict. */
  readonly unknown?: string;
  readonly violation: HistoryViolation | null;
  readonly remarks: readonly HistoryRemark[];
}
