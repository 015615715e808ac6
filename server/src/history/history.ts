// A recorded history: which transactions ran in which session and what they read and wrote. Columns of numbers, so that
// millions of operations fit into memory; texts are made only for people. `builder.ts` makes histories.
import type { NameTable } from "./intern";
import { INTEGER, NOTHING, integerText } from "./intern";

/** Facts about the end of a transaction. `UNKNOWN` (Jepsen's `:info`) may have committed or not. */
export const COMMITTED = 0;
export const ABORTED = 1;
export const UNKNOWN = 2;
export type TransactionStatus = typeof COMMITTED | typeof ABORTED | typeof UNKNOWN;

/** Reads that returned nothing known are no operations: they say nothing. */
export const READ = 0;
export const WRITE = 1;
/** A write that the database refused, in whatever transaction: nobody may read it. */
export const FAILED_WRITE = 2;
/** Appends one element to the list at a key. Its version is the element. */
export const APPEND = 3;
/** Reads the whole list at a key. Its "version" is the number of a list, see `History.lists`. */
export const READ_LIST = 4;
export type OperationKind =
  typeof READ | typeof WRITE | typeof FAILED_WRITE | typeof APPEND | typeof READ_LIST;

export interface History {
  /** Transactions are numbered session by session: session `s` has `sessionFirst[s]` up to `sessionFirst[s + 1]`. */
  readonly sessions: number;
  readonly sessionFirst: Int32Array;
  readonly sessionOf: Int32Array;

  readonly transactions: number;
  readonly status: Uint8Array;
  /** The operations of transaction `t`, in program order, are `from[t]` up to `to[t]` (not included). */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** When the transaction was invoked and when it returned; NaN where that was not recorded. */
  readonly begin?: Float64Array;
  readonly end?: Float64Array;
  /** How many transactions or sessions have recorded times that contradict each other; these are left out above. */
  readonly unusedTimes: number;

  readonly operations: number;
  readonly kind: Uint8Array;
  readonly key: Int32Array;
  readonly version: Int32Array;
  /** Where the operation stands in its file: a line (from 1) or a byte offset. */
  readonly place: Uint32Array;

  readonly keys: number;
  /** A version is a value of a key: equal numbers mean the same key and the same value. */
  readonly versions: number;
  /** Three integers per version: key and kind of value, see `isInitial`, and the value's halves. */
  readonly versionEntries: Int32Array;
  /** True if the integer 0 is the value that a key has before anybody wrote it. */
  readonly zeroIsInitial: boolean;

  /** The elements that list `l` held are `elements[lists[l]]` up to `elements[lists[l + 1]]`, as versions. */
  readonly lists: Int32Array;
  readonly elements: Int32Array;

  readonly labels: HistoryLabels;
  /** Defects of the recording, at most `PROBLEM_LIMIT` of them. */
  readonly problems: readonly HistoryProblem[];
}

/** Parts that only people need. */
export interface HistoryLabels {
  readonly keys: NameTable;
  readonly sessions: NameTable;
  readonly transactions: NameTable;
  readonly valueTexts: readonly string[];
  /** The name of each transaction, as a number of `transactions`. */
  readonly transactionName: Int32Array;
  /** 64-bit integers are printed without sign. */
  readonly unsigned: boolean;
  readonly placeUnit: "line" | "byte";
  /** The files that the history was read from, and which of them each transaction stands in (absent: the first). */
  readonly files: readonly string[];
  readonly fileOf?: Uint16Array;
}

export interface HistoryProblem {
  readonly message: string;
  /** Number of the file among `labels.files`, and the line or byte in it. */
  readonly file?: number;
  readonly place?: number;
}

export const PROBLEM_LIMIT = 100;

/** True if the version is the one that its key has before anybody wrote it, unless somebody wrote this very value. */
export function isInitial(history: History, version: number): boolean {
  const entries = history.versionEntries;
  const at = version * 3;
  const kind = (entries[at] ?? 0) & 3;
  if (kind === NOTHING) return true;
  return (
    history.zeroIsInitial && kind === INTEGER && entries[at + 1] === 0 && entries[at + 2] === 0
  );
}

/** The key's name as it stands in the file. */
export function keyText(history: History, key: number): string {
  return history.labels.keys.textFor(key, history.labels.unsigned) ?? String(key);
}

/** The key in a sentence: a key that is a mere number is called a key, since "reads 0 = 4" says little. */
export function keyWords(history: History, key: number): string {
  const text = keyText(history, key);
  return /^-?\d+$/u.test(text) ? `key ${text}` : text;
}

/** The value of a version as it stands in the file; `nil` where a key was read before anybody wrote it. */
export function valueText(history: History, version: number): string {
  const [head, low, high] = history.versionEntries.subarray(version * 3, version * 3 + 3);
  const kind = (head ?? 0) & 3;
  if (kind === NOTHING) return "nil";
  if (kind === INTEGER) return integerText(low ?? 0, high ?? 0, history.labels.unsigned);
  return history.labels.valueTexts[low ?? 0] ?? "";
}

/** The versions that a list held when it was read. */
export function listVersions(history: History, list: number): Int32Array {
  return history.elements.subarray(history.lists[list] ?? 0, history.lists[list + 1] ?? 0);
}

/** `T12` for the transaction that the file calls 12, its own text, or `S1.3` for the third of a session without names. */
export function transactionLabel(history: History, transaction: number): string {
  const { transactions, transactionName, unsigned } = history.labels;
  const text = transactions.textFor(transactionName[transaction] ?? 0, unsigned);
  if (text !== undefined) return /^\d/.test(text) ? `T${text}` : text;
  const session = history.sessionOf[transaction] ?? 0;
  const ordinal = transaction - (history.sessionFirst[session] ?? 0) + 1;
  return `S${sessionLabel(history, session)}.${ordinal}`;
}

/** The session's name in the file, or its number from 1. */
export function sessionLabel(history: History, session: number): string {
  return history.labels.sessions.textFor(session, history.labels.unsigned) ?? String(session + 1);
}
