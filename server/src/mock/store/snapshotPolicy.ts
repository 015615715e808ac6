// Levels at which a transaction reads one snapshot, by their operational definitions: prefix consistency, snapshot
// isolation and serializability read what a prefix of the commits left; parallel snapshot isolation what a causally
// closed set of them left. What the level forbids ends with 40001.
import { Precedence } from "../../exploration/precedence";
import {
  INITIAL,
  isWriter,
  readsOf,
  versionsOf,
  type Database,
  type Transaction,
  type Version,
} from "./database";
import { pick, SERIALIZATION_FAILURE, type Policy, type StrategyOf } from "./policy";

export type PrefixLevel = "prefix" | "snapshot-isolation" | "serializable";

/** Snapshots that are prefixes of the commits, not older than what the session has seen. */
export function prefixPolicy(
  level: PrefixLevel,
  database: Database,
  strategyOf: StrategyOf,
): Policy {
  /** How many commits each open transaction sees. */
  const snapshots = new Map<number, number>();
  const seenBySession = new Map<number, number>();

  function snapshotOf({ number }: Transaction): number {
    return snapshots.get(number) ?? 0;
  }

  function hasChanged(key: string, since: number): boolean {
    return database.newest(key).position >= since;
  }

  return {
    begin(transaction, random) {
      const oldest = seenBySession.get(transaction.session) ?? 1;
      snapshots.set(
        transaction.number,
        pick(oldest, database.commits.length, strategyOf(transaction), random),
      );
    },
    statement: () => undefined,
    choose(_key, newest, { transaction }) {
      const snapshot = snapshotOf(transaction);
      return newestWhere(newest, ({ position }) => position < snapshot);
    },
    validate(transaction) {
      const snapshot = snapshotOf(transaction);
      const changed = (key: string): boolean => hasChanged(key, snapshot);
      if (level === "prefix" || !isWriter(transaction)) return undefined;
      if ([...transaction.writes.keys()].some(changed)) return SERIALIZATION_FAILURE;
      if (level === "snapshot-isolation") return undefined;
      for (const { key } of readsOf(transaction)) if (changed(key)) return SERIALIZATION_FAILURE;
      return undefined;
    },
    committed(transaction) {
      const seen = isWriter(transaction) ? transaction.position + 1 : snapshotOf(transaction);
      seenBySession.set(transaction.session, seen);
      snapshots.delete(transaction.number);
    },
  };
}

/** Snapshots that hold, with each transaction, what that one has seen. */
export function parallelPolicy(database: Database, strategyOf: StrategyOf): Policy {
  /** The transactions that each one sees. */
  const visible = new Precedence();
  const bySession = new Map<number, number[]>();

  return {
    begin(transaction, random) {
      const { number, session } = transaction;
      visible.reserve(number + 1);
      visible.follow(INITIAL, number);
      for (const [other, commits] of bySession) {
        const count =
          other === session
            ? commits.length
            : pick(0, commits.length, strategyOf(transaction), random);
        const last = commits[count - 1];
        if (last !== undefined) visible.follow(last, number);
      }
    },
    statement: () => undefined,
    choose: (_key, newest, { transaction }) =>
      newestWhere(newest, ({ writer }) => visible.has(writer, transaction.number)),
    validate({ number, writes }) {
      for (const key of writes.keys()) {
        if (versionsOf(database.newest(key)).some(({ writer }) => !visible.has(writer, number)))
          return SERIALIZATION_FAILURE;
      }
      return undefined;
    },
    committed({ number, session }) {
      const commits = bySession.get(session);
      if (commits) commits.push(number);
      else bySession.set(session, [number]);
    },
  };
}

/** The last version, from this one back, for which that holds; the initial one is in every snapshot. */
export function newestWhere(newest: Version, holds: (version: Version) => boolean): Version {
  for (let each: Version | undefined = newest; each !== undefined; each = each.previous)
    if (holds(each)) return each;
  throw new Error("a snapshot without the initial state");
}
