// Serializable snapshot isolation. Of transactions that run side by side a reader comes before those that overwrite what it
// read (an antidependency). A run that no serial order gives has two of them in a row, from one to a pivot to a third that
// committed first, and before the snapshot of the one if that only reads (Fekete et al. 2005, Ports and Grittner 2012).
// Whoever would complete such a structure fails.
import type { Key, Value } from "../../exploration/client";
import { isAbout } from "../../exploration/lookups";
import {
  isWriter,
  readsOf,
  type Database,
  type ReadLogEntry,
  type Transaction,
  type Version,
} from "./database";
import { partOf } from "./keyOrder";

export interface DangerousStructures {
  /** True if the commit of a transaction with that snapshot would complete one. */
  isCompletedBy(transaction: Transaction, snapshot: number): boolean;
  /** The transaction has just committed. */
  note(transaction: Transaction, snapshot: number): void;
  /** No snapshot before that one is open, or will be taken. */
  forget(oldest: number): void;
}

/** One that has committed, as long as others may run beside it. */
interface Committed {
  readonly position: number;
  readonly snapshot: number;
  readonly isWriter: boolean;
  readonly reads: Footprint;
  /** The first commit, before its own, of a transaction that overwrote what it read. */
  readonly overwritten: number | undefined;
}

interface Footprint {
  readonly keys: ReadonlySet<Key>;
  /** Tables of which so many rows were read that all count, as in PostgreSQL. */
  readonly parts: ReadonlySet<string>;
  readonly predicates: readonly ReadLogEntry[];
}

/** Keys of a transaction beyond which their tables stand for them. */
const MOST_KEYS = 1000;

export function createDangerousStructures(database: Database): DangerousStructures {
  const committed = new Map<number, Committed>();

  /** The commits, since the snapshot, of those that have overwritten what the transaction read. */
  function* overwritersOf(transaction: Transaction, snapshot: number): Generator<Committed> {
    for (const { key } of readsOf(transaction))
      for (
        let version = database.newest(key);
        version.position >= snapshot;
        version = version.previous ?? NONE
      ) {
        const writer = committed.get(version.writer);
        if (writer !== undefined) yield writer;
      }
  }

  function firstOverwriter(transaction: Transaction, snapshot: number): number | undefined {
    let first: number | undefined;
    for (const { position } of overwritersOf(transaction, snapshot))
      first = first === undefined ? position : Math.min(first, position);
    return first;
  }

  return {
    isCompletedBy(transaction, snapshot) {
      const writes = isWriter(transaction);
      let first: number | undefined;
      for (const { position, overwritten } of overwritersOf(transaction, snapshot)) {
        if (overwritten !== undefined && (writes || overwritten < snapshot)) return true;
        first = first === undefined ? position : Math.min(first, position);
      }
      if (first === undefined || !writes) return false;
      for (const reader of committed.values()) {
        const last = reader.isWriter ? reader.position : reader.snapshot - 1;
        if (reader.position < snapshot || first > last) continue;
        for (const [key, value] of transaction.writes)
          if (isRead(reader.reads, key, value)) return true;
      }
      return false;
    },
    note(transaction, snapshot) {
      const { number, position } = transaction;
      committed.set(number, {
        position,
        snapshot,
        isWriter: isWriter(transaction),
        reads: footprintOf(transaction),
        overwritten: isWriter(transaction) ? firstOverwriter(transaction, snapshot) : undefined,
      });
    },
    forget(oldest) {
      for (const [number, { position }] of committed) {
        if (position >= oldest) return;
        committed.delete(number);
      }
    },
  };
}

/** Before the first version of a key. */
const NONE: Version = { value: undefined, position: -1, writer: -1 };

function footprintOf(transaction: Transaction): Footprint {
  const keys = new Set<Key>();
  for (const { key } of readsOf(transaction)) keys.add(key);
  const { predicates } = transaction;
  if (keys.size <= MOST_KEYS) return { keys, parts: new Set(), predicates };
  const parts = new Set<string>();
  for (const key of keys) parts.add(partOf(key));
  const narrow = predicates.map((each): ReadLogEntry => ({ ...each, reads: [] }));
  return { keys: new Set(), parts, predicates: narrow };
}

/** True if the version would have been read, had it been there. */
function isRead({ keys, parts, predicates }: Footprint, key: Key, version: Value): boolean {
  return (
    keys.has(key) ||
    parts.has(partOf(key)) ||
    predicates.some(
      ({ scans, lookups = [] }) =>
        scans.some((prefix) => key.startsWith(prefix)) ||
        lookups.some((lookup) => key.startsWith(lookup.prefix) && isAbout(lookup, version)),
    )
  );
}
