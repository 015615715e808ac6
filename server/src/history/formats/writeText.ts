// Writes a history in the text format of PolySI and Plume, which other checkers read.
import {
  ABORTED,
  APPEND,
  FAILED_WRITE,
  READ,
  READ_LIST,
  UNKNOWN,
  isInitial,
  valueText,
  type History,
} from "../history";
import { INTEGER, type NameTable } from "../intern";
import { writtenVersions } from "./writeJson";

export type WriteTextResult =
  | {
      readonly ok: true;
      /** Parts that the text cannot hold as they were, for people. */ readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

/**
 * Writes r(key,value,session,transaction) and w(...), value 0 for the initial value and transaction -1 for aborted writes. Names that are
 * no integers are numbered; a history with lists or transactions of unknown fate cannot be written.
 */
export function writeText(history: History, write: (text: string) => void): WriteTextResult {
  const refused = refusal(history);
  if (refused !== undefined) return { ok: false, message: refused };
  const { labels } = history;
  const notes: string[] = [];
  const key = names(labels.keys, history.keys, labels.unsigned, (number) => number);
  const session = names(labels.sessions, history.sessions, labels.unsigned, (number) => number + 1);
  const transaction = names(
    labels.transactions,
    history.transactions,
    labels.unsigned,
    (number) => number + 1,
  );
  const value = values(history);
  const renamed = [
    ...(key.renamed ? ["keys"] : []),
    ...(value.renamed ? ["values"] : []),
    ...(transaction.renamed ? ["transactions"] : []),
    ...(session.renamed ? ["sessions"] : []),
  ];
  if (renamed.length > 0)
    notes.push(`Names that are no whole numbers were numbered: ${renamed.join(", ")}.`);
  let dropped = 0;
  for (let each = 0; each < history.transactions; each += 1) {
    const aborted = history.status[each] === ABORTED;
    const inSession = session.of(history.sessionOf[each] ?? 0);
    const name = transaction.of(labels.transactionName[each] ?? each);
    const to = history.to[each] ?? 0;
    let lines = "";
    for (let at = history.from[each] ?? 0; at < to; at += 1) {
      const kind = history.kind[at];
      if (aborted && kind === READ) {
        dropped += 1;
        continue;
      }
      const failed = aborted || kind === FAILED_WRITE;
      const pair = `${key.of(history.key[at] ?? 0)},${value.of(history.version[at] ?? 0)}`;
      lines += `${kind === READ ? "r" : "w"}(${pair},${inSession},${failed ? "-1" : name})\n`;
    }
    write(lines);
  }
  if (dropped > 0) notes.push(`${String(dropped)} reads of aborted transactions were left out.`);
  if (history.begin) notes.push("The times were left out.");
  return { ok: true, notes };
}

function refusal(history: History): string | undefined {
  if (history.kind.some((kind) => kind === APPEND || kind === READ_LIST))
    return "the text format has no lists; --to json keeps them";
  if (history.status.some((status) => status === UNKNOWN))
    return "the text format cannot say that a transaction may have committed or not; --to json keeps it";
  return undefined;
}

interface Names {
  readonly renamed: boolean;
  of(number: number): string;
}

/** The names themselves if all are integers, else numbers. */
function names(
  table: NameTable,
  count: number,
  unsigned: boolean,
  otherwise: (number: number) => number,
): Names {
  for (let number = 0; number < count; number += 1) {
    const text = table.textFor(number, unsigned);
    if (text === undefined || table.isText(number) || text === "-1")
      return { renamed: text !== undefined, of: (each) => String(otherwise(each)) };
  }
  return { renamed: false, of: (number) => table.textFor(number, unsigned) ?? "" };
}

/** The values themselves if all are integers and 0 means the initial one, else numbers from 1. */
function values(history: History): Names {
  const written = writtenVersions(history);
  const initial = (version: number): boolean =>
    isInitial(history, version) && written[version] !== 1;
  let someNil = false;
  let writtenZero = false;
  let strangeZero = false;
  let plain = true;
  for (let version = 0; version < history.versions; version += 1) {
    const [head = 0, low, high] = history.versionEntries.subarray(3 * version, 3 * version + 3);
    const isInteger = (head & 3) === INTEGER;
    const isZero = isInteger && low === 0 && high === 0;
    if (isZero && written[version] === 1) writtenZero = true;
    if (isZero && written[version] !== 1 && !history.zeroIsInitial) strangeZero = true;
    if (!isInteger && initial(version)) someNil = true;
    plain &&= isInteger || initial(version);
  }
  // A written zero, or one that nobody can have read, must not be confused with the initial value.
  if (!plain || strangeZero || (writtenZero && (someNil || !history.zeroIsInitial)))
    return { renamed: true, of: (each) => (initial(each) ? "0" : String(each + 1)) };
  return { renamed: false, of: (each) => (initial(each) ? "0" : valueText(history, each)) };
}
