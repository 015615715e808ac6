// The writer of each version, and versions that nobody should have been able to read.
import type { History } from "./history";
import {
  ABORTED,
  APPEND,
  COMMITTED,
  FAILED_WRITE,
  READ,
  READ_LIST,
  WRITE,
  isInitial,
} from "./history";

export const NOBODY = -1;
/** Flags of versions. */
const INTERMEDIATE = 1;
const AMBIGUOUS = 2;
const REFUSED = 4;

/** Per version: the transaction of the history that wrote it, or -1, and flags. */
export interface Writers {
  readonly of: Int32Array;
  readonly flags: Uint8Array;
  /** True if any version has a flag; otherwise flag look-ups, each a cache miss, can be skipped. */
  readonly flagged: boolean;
}

export function isIntermediate(writers: Writers, version: number): boolean {
  return ((writers.flags[version] ?? 0) & INTERMEDIATE) !== 0;
}

export function isAmbiguous(writers: Writers, version: number): boolean {
  return ((writers.flags[version] ?? 0) & AMBIGUOUS) !== 0;
}

export function isRefused(writers: Writers, version: number): boolean {
  return ((writers.flags[version] ?? 0) & REFUSED) !== 0;
}

/** Finds the writers of all versions, including those of aborted transactions and failed writes. Linear. */
export function findWriters(history: History): Writers {
  const of = new Int32Array(history.versions).fill(NOBODY);
  const flags = new Uint8Array(history.versions);
  const { kind, key, version, status } = history;
  const lastWriter = new Int32Array(history.keys).fill(NOBODY);
  const lastVersion = new Int32Array(history.keys);
  const add = (v: number, flag: number) => {
    flags[v] = (flags[v] ?? 0) | flag;
  };
  for (let t = 0; t < history.transactions; t++) {
    const lost = status[t] === ABORTED;
    const end = history.to[t] ?? 0;
    for (let at = history.from[t] ?? 0; at < end; at++) {
      const what = kind[at] ?? 0;
      if (what === READ || what === READ_LIST) continue;
      const v = version[at] ?? 0;
      const writer = of[v] ?? NOBODY;
      const refused = lost || what === FAILED_WRITE;
      // The same value written twice in one transaction is one version; otherwise the read writer is ambiguous. An element appended twice
      // occurs twice in the list.
      const known = writer !== NOBODY || ((flags[v] ?? 0) & REFUSED) !== 0;
      const isOne = refused ? writer === NOBODY : writer === t && what !== APPEND;
      if (known && !isOne) add(v, AMBIGUOUS);
      if (refused) {
        add(v, REFUSED);
        continue;
      }
      of[v] = t;
      const k = key[at] ?? 0;
      if (lastWriter[k] === t && lastVersion[k] !== v) add(lastVersion[k] ?? 0, INTERMEDIATE);
      lastWriter[k] = t;
      lastVersion[k] = v;
      if (writer === t) flags[v] = (flags[v] ?? 0) & ~INTERMEDIATE;
    }
  }
  for (let v = 0; v < history.versions; v++) {
    if (!isInitial(history, v)) continue;
    const writer = of[v] ?? NOBODY;
    const written = writer !== NOBODY || ((flags[v] ?? 0) & REFUSED) !== 0;
    if (written && !initialises(history, writer)) add(v, AMBIGUOUS);
  }
  return { of, flags, flagged: flags.some((flag) => flag !== 0) };
}

/** True if the recording begins with a transaction that writes the initial values: reading them is reading from it. */
function initialises(history: History, transaction: number): boolean {
  if (!history.zeroIsInitial || history.status[transaction] !== COMMITTED) return false;
  const session = history.sessionOf[transaction] ?? 0;
  if (history.sessionFirst[session] !== transaction) return false;
  for (let at = history.from[transaction] ?? 0; at < (history.to[transaction] ?? 0); at++)
    if (history.kind[at] !== WRITE || !isInitial(history, history.version[at] ?? 0)) return false;
  return true;
}

/** The operation that wrote the version, for messages. */
export function findWrite(
  history: History,
  wanted: number,
): { readonly writer?: number; readonly because?: number } {
  for (let t = 0; t < history.transactions; t++)
    for (let at = history.from[t] ?? 0; at < (history.to[t] ?? 0); at++) {
      const what = history.kind[at];
      if (history.version[at] === wanted && what !== READ && what !== READ_LIST)
        return { writer: t, because: at };
    }
  return {};
}
