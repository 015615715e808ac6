// The mock database's run as a recorded history in our own JSON, for the history checker. Versions are told apart by
// numbers instead of values, since rows may hold the same value twice.
import type { Key, Lookup } from "../../exploration/client";
import { isAbout } from "../../exploration/lookups";
import { INITIAL, versionsOf, type Database, type ReadFrom, type Transaction } from "./database";

export interface RecordedHistory {
  readonly format: "isolens-history";
  readonly version: 1;
  readonly sessions: readonly (readonly RecordedTransaction[])[];
}

export interface RecordedTransaction {
  readonly id: string;
  readonly status: "committed" | "aborted";
  readonly ops: readonly RecordedOperation[];
}

export type RecordedOperation =
  { readonly r: readonly [string, number | null] } | { readonly w: readonly [string, number] };

/**
 * All transactions; those that have not ended count as aborted. A write's number is unique in the whole run; null is the version before all writes.
 * A predicate has also read that keys which came later did not exist.
 */
export function recordHistory(database: Database): RecordedHistory {
  const names = versionNumbers(database);
  const sessions = new Map<number, RecordedTransaction[]>();
  for (const transaction of database.transactions.values()) {
    const { number, session, status } = transaction;
    if (number === INITIAL) continue;
    const list = sessions.get(session) ?? [];
    sessions.set(session, list);
    list.push({
      id: `t${String(number)}`,
      status: status === "committed" ? status : "aborted",
      ops: operations(transaction, database, names),
    });
  }
  return { format: "isolens-history", version: 1, sessions: [...sessions.values()] };
}

/** By transaction: the number of each write's version in the order of the log, and that of the last one of each key. */
type VersionNames = ReadonlyMap<
  number,
  { readonly all: readonly number[]; readonly last: ReadonlyMap<Key, number> }
>;

function versionNumbers({ transactions }: Database): VersionNames {
  let next = 1;
  return new Map(
    [...transactions.values()].map(({ number, log }) => {
      const all: number[] = [];
      const last = new Map<Key, number>();
      for (const entry of log) {
        if (entry.kind !== "write") continue;
        last.set(entry.key, next);
        all.push(next++);
      }
      return [number, { all, last }] as const;
    }),
  );
}

function operations(
  transaction: Transaction,
  database: Database,
  names: VersionNames,
): readonly RecordedOperation[] {
  const versionRead = ({ key, from, write }: ReadFrom): number | null => {
    const of = from === INITIAL ? undefined : names.get(from);
    return (write === undefined ? of?.last.get(key) : of?.all[write]) ?? null;
  };
  const own = names.get(transaction.number)?.all ?? [];
  let writes = 0;
  return transaction.log.flatMap((entry): RecordedOperation[] => {
    if (entry.kind === "write") return [{ w: [entry.key, own[writes++] ?? 0] }];
    const read = new Set(entry.reads.map(({ key }) => key));
    const scanned = entry.scans.flatMap((prefix) => database.keys(prefix));
    const found = (entry.lookups ?? []).flatMap((lookup) =>
      database.found(lookup).filter((key) => cameLater(key, lookup, transaction, database)),
    );
    const later = [...scanned, ...found].filter(
      (key) => !read.has(key) && !transaction.writes.has(key),
    );
    return [
      ...entry.reads.map((each): RecordedOperation => ({ r: [each.key, versionRead(each)] })),
      ...[...new Set(later)].map((key): RecordedOperation => ({ r: [key, null] })),
    ];
  });
}

/** True if nothing stood there before the transaction had ended, and then what it has looked for. */
function cameLater(
  key: Key,
  lookup: Lookup,
  { status, position }: Transaction,
  database: Database,
): boolean {
  const [first, ...others] = versionsOf(database.newest(key));
  return (
    status === "committed" &&
    first?.value === undefined &&
    others.every((version) => version.position >= position) &&
    isAbout(lookup, others[0]?.value)
  );
}
