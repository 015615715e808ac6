// The mock database's run as a recorded history in our own JSON, for the history checker. Versions are told apart by
// numbers instead of values, since rows may hold the same value twice.
import { INITIAL, type Database, type ReadFrom, type Transaction } from "./database";

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

/** By transaction: the number of each write's version, in the order of the log. */
function versionNumbers({ transactions }: Database): ReadonlyMap<number, readonly number[]> {
  let next = 1;
  return new Map(
    [...transactions.values()].map(({ number, log }) => [
      number,
      log.filter(({ kind }) => kind === "write").map(() => next++),
    ]),
  );
}

function operations(
  transaction: Transaction,
  database: Database,
  names: ReadonlyMap<number, readonly number[]>,
): readonly RecordedOperation[] {
  const versionRead = ({ key, from, write }: ReadFrom): number | null => {
    if (from === INITIAL) return null;
    const writes =
      database.transactions.get(from)?.log.filter(({ kind }) => kind === "write") ?? [];
    const last = writes.findLastIndex((entry) => entry.kind === "write" && entry.key === key);
    return names.get(from)?.[write ?? last] ?? null;
  };
  const own = names.get(transaction.number) ?? [];
  let writes = 0;
  return transaction.log.flatMap((entry): RecordedOperation[] => {
    if (entry.kind === "write") return [{ w: [entry.key, own[writes++] ?? 0] }];
    const read = new Set(entry.reads.map(({ key }) => key));
    const later = entry.scans.flatMap((prefix) =>
      database.keys(prefix).filter((key) => !read.has(key) && !transaction.writes.has(key)),
    );
    return [
      ...entry.reads.map((each): RecordedOperation => ({ r: [each.key, versionRead(each)] })),
      ...[...new Set(later)].map((key): RecordedOperation => ({ r: [key, null] })),
    ];
  });
}
