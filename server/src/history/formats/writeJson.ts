// Writes a history as our own JSON: as data for reports, or line by line for files of any size. Exact in 64 bits.
import {
  ABORTED,
  APPEND,
  FAILED_WRITE,
  READ,
  READ_LIST,
  UNKNOWN,
  isInitial,
  keyText,
  listVersions,
  valueText,
  type History,
} from "../history";
import { INTEGER } from "../intern";

/** A key or value: integers and texts differ, and null is the initial value. */
export type JsonName = number | bigint | string | null;

export type JsonOperation =
  | { readonly r: readonly [JsonName, JsonName | readonly JsonName[]] }
  | { readonly w: readonly [JsonName, JsonName]; readonly failed?: true }
  | { readonly a: readonly [JsonName, JsonName] };

export interface JsonTransaction {
  readonly id?: JsonName;
  readonly status: "committed" | "aborted" | "unknown";
  readonly begin?: number;
  readonly end?: number;
  readonly ops: readonly JsonOperation[];
}

/** A whole history as one object. */
export interface JsonHistory {
  readonly format: "isolens-history";
  readonly version: 1;
  readonly sessions: readonly (readonly JsonTransaction[])[];
}

/** The history as one object; for small histories. */
export function historyData(history: History): JsonHistory {
  const of = transactionData(history);
  const sessions: JsonTransaction[][] = [];
  for (let session = 0; session < history.sessions; session += 1) {
    const own: JsonTransaction[] = [];
    const to = history.sessionFirst[session + 1] ?? 0;
    for (let each = history.sessionFirst[session] ?? 0; each < to; each += 1) own.push(of(each));
    if (own.length > 0) sessions.push(own);
  }
  return { format: "isolens-history", version: 1, sessions };
}

/** Writes the history as one transaction per line, after a line with the format. */
export function writeJsonLines(history: History, write: (text: string) => void): void {
  write('{"format": "isolens-history", "version": 1}\n');
  const of = transactionData(history);
  for (let each = 0; each < history.transactions; each += 1) {
    const session = history.sessionOf[each] ?? 0;
    const name = nameData(history.labels.sessions.textFor(session, history.labels.unsigned));
    write(`${jsonText({ session: name ?? session + 1, ...of(each) })}\n`);
  }
}

/** JSON of plain data in which bigints are whole numbers. Without an indent on one line. */
export function jsonText(value: unknown, indent?: number): string {
  return text(value, indent ?? 0, indent === undefined ? "" : "\n");
}

function text(value: unknown, indent: number, line: string): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = line === "" ? "" : line + " ".repeat(indent);
  const separator = line === "" ? ", " : `,${inner}`;
  if (Array.isArray(value)) {
    const items = value.map((each) => text(each, indent, inner));
    return items.length === 0 ? "[]" : `[${inner}${items.join(separator)}${line}]`;
  }
  const members = Object.entries(value)
    .filter(([, held]) => held !== undefined)
    .map(([name, held]) => `${JSON.stringify(name)}: ${text(held, indent, inner)}`);
  return members.length === 0 ? "{}" : `{${inner}${members.join(separator)}${line}}`;
}

/** Builds a function that returns each transaction as data. */
function transactionData(history: History): (transaction: number) => JsonTransaction {
  const written = writtenVersions(history);
  const key = (operation: number): JsonName => {
    const name = history.labels.keys.textFor(history.key[operation] ?? 0, history.labels.unsigned);
    const isText = history.labels.keys.isText(history.key[operation] ?? 0);
    return isText
      ? (name ?? "")
      : (nameData(name) ?? keyText(history, history.key[operation] ?? 0));
  };
  const value = (version: number): JsonName => {
    if (isInitial(history, version) && written[version] !== 1) return null;
    const shown = valueText(history, version);
    const kind = (history.versionEntries[3 * version] ?? 0) & 3;
    return kind === INTEGER ? (nameData(shown) ?? shown) : shown;
  };
  const operation = (at: number): JsonOperation => {
    const version = history.version[at] ?? 0;
    switch (history.kind[at]) {
      case READ:
        return { r: [key(at), value(version)] };
      case READ_LIST:
        return { r: [key(at), [...listVersions(history, version)].map(value)] };
      case APPEND:
        return { a: [key(at), value(version)] };
      case FAILED_WRITE:
        return { w: [key(at), value(version)], failed: true };
      default:
        return { w: [key(at), value(version)] };
    }
  };
  return (transaction) => {
    const ops: JsonOperation[] = [];
    const to = history.to[transaction] ?? 0;
    for (let at = history.from[transaction] ?? 0; at < to; at += 1) ops.push(operation(at));
    const [begin, end] = [history.begin?.[transaction], history.end?.[transaction]];
    const status = history.status[transaction];
    return {
      ...idData(history, transaction),
      status: status === ABORTED ? "aborted" : status === UNKNOWN ? "unknown" : "committed",
      ...(begin !== undefined && Number.isFinite(begin) && { begin }),
      ...(end !== undefined && Number.isFinite(end) && { end }),
      ops,
    };
  };
}

function idData(history: History, transaction: number): { readonly id?: JsonName } {
  const { transactions, transactionName, unsigned } = history.labels;
  const name = transactionName[transaction] ?? 0;
  const shown = transactions.textFor(name, unsigned);
  if (shown === undefined) return {};
  return { id: transactions.isText(name) ? shown : (nameData(shown) ?? shown) };
}

/** A whole number's digits as a number, exactly. */
function nameData(digits: string | undefined): JsonName | undefined {
  if (digits === undefined || !/^-?\d+$/u.test(digits)) return digits;
  const small = Number(digits);
  return Number.isSafeInteger(small) ? small : BigInt(digits);
}

/** 1 for every version with a writer. */
export function writtenVersions(history: History): Uint8Array {
  const written = new Uint8Array(history.versions);
  for (let at = 0; at < history.operations; at += 1) {
    const kind = history.kind[at];
    if (kind !== READ && kind !== READ_LIST) written[history.version[at] ?? 0] = 1;
  }
  return written;
}
