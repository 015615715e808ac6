// A recorded history: the transactions of each session with their reads and writes. Columns of numbers, so that millions of operations fit
// into memory; texts are made only for people. `builder.ts` makes histories.
import type { NameTable } from "./intern";
import { INTEGER, NOTHING, integerText } from "./intern";

/** The fate of a transaction. `UNKNOWN` (Jepsen's `:info`) may have committed or not. */
export const COMMITTED = 0;
export const ABORTED = 1;
export const UNKNOWN = 2;
export type TransactionStatus = typeof COMMITTED | typeof ABORTED | typeof UNKNOWN;

/** A read. Reads without a known result are no operations. */
export const READ = 0;
export const WRITE = 1;
/** A write that the database refused, in whatever transaction: it must not be read. */
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
  /** Invocation and return time; NaN if not recorded. */
  readonly begin?: Float64Array;
  readonly end?: Float64Array;
  /** The number of transactions or sessions with contradictory recorded times, which are left out above. */
  readonly unusedTimes: number;

  readonly operations: number;
  readonly kind: Uint8Array;
  readonly key: Int32Array;
  readonly version: Int32Array;
  /** The operation's place in its file: a line (from 1) or a byte offset. */
  readonly place: Uint32Array;

  readonly keys: number;
  /** The number of versions. A version is a value of a key: equal numbers mean the same key and value. */
  readonly versions: number;
  /** Three integers per version: key and kind of value, see `isInitial`, and the value's halves. */
  readonly versionEntries: Int32Array;
  /** True if the integer 0 is the initial value of a key. */
  readonly zeroIsInitial: boolean;

  /** The elements that list `l` held are `elements[lists[l]]` up to `elements[lists[l + 1]]`, as versions. */
  readonly lists: Int32Array;
  readonly elements: Int32Array;

  readonly labels: HistoryLabels;
  /** Errors in the recording, at most `PROBLEM_LIMIT`. */
  readonly problems: readonly HistoryProblem[];
}

/** Data for display only. */
export interface HistoryLabels {
  readonly keys: NameTable;
  readonly sessions: NameTable;
  readonly transactions: NameTable;
  readonly valueTexts: readonly string[];
  /** The name of each transaction, as a number of `transactions`. */
  readonly transactionName: Int32Array;
  /** True to print 64-bit integers unsigned. */
  readonly unsigned: boolean;
  readonly placeUnit: "line" | "byte";
  /** The files of the history, and the file of each transaction (the first if absent). */
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

/** True for the initial version of its key, unless somebody wrote this very value. */
export function isInitial(history: History, version: number): boolean {
  const entries = history.versionEntries;
  const at = version * 3;
  const kind = (entries[at] ?? 0) & 3;
  if (kind === NOTHING) return true;
  return (
    history.zeroIsInitial && kind === INTEGER && entries[at + 1] === 0 && entries[at + 2] === 0
  );
}

/** The key's name as in the file. */
export function keyText(history: History, key: number): string {
  return history.labels.keys.textFor(key, history.labels.unsigned) ?? String(key);
}

/** The key in a sentence: a purely numeric key is called a key, since "reads 0 = 4" is unclear. */
export function keyWords(history: History, key: number): string {
  const text = keyText(history, key);
  return /^-?\d+$/u.test(text) ? `key ${text}` : text;
}

/** The value of a version as in the file; `nil` for the initial version. */
export function valueText(history: History, version: number): string {
  const [head, low, high] = history.versionEntries.subarray(version * 3, version * 3 + 3);
  const kind = (head ?? 0) & 3;
  if (kind === NOTHING) return "nil";
  if (kind === INTEGER) return integerText(low ?? 0, high ?? 0, history.labels.unsigned);
  return history.labels.valueTexts[low ?? 0] ?? "";
}

/** The versions in a list when it was read. */
export function listVersions(history: History, list: number): Int32Array {
  return history.elements.subarray(history.lists[list] ?? 0, history.lists[list + 1] ?? 0);
}

/** `T12` for the transaction named 12 in the file, its own text, or `S1.3` for the third of a session without names. */
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
