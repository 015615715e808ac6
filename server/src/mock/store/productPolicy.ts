// Levels of real databases, by their rows in `isolation/productLevels.ts`: snapshots of statements or transactions, locks
// on what is read in order to write, and what happens when that has changed. They are real time, as the servers are: a
// snapshot holds all that was committed when the statement that takes it was sent, and perhaps what has come since.
import type { Key } from "../../exploration/client";
import type { ProductLevel } from "../../isolation/levels";
import { isWriter, readsOf, type Database, type Transaction, type Version } from "./database";
import { createLockTable } from "./lockTable";
import {
  pick,
  SERIALIZATION_FAILURE,
  type Failure,
  type Policy,
  type ReadContext,
  type Strategy,
} from "./policy";
import { newestWhere } from "./snapshotPolicy";

/** Where the past is forgotten, statements that are delayed read what was there at most so many commits ago. */
const STALEST = 500;

interface Snapshot {
  /** How many commits it sees; undefined until it is taken. */
  taken?: number;
}

export function productPolicy(level: ProductLevel, database: Database, strategy: Strategy): Policy {
  const locks = createLockTable();
  const snapshots = new Map<number, Snapshot>();
  /** Snapshots before this one are not taken any more. */
  let oldest = 1;
  const readsLock = level.plainRead === "locking";

  function newest(key: Key): Version | undefined {
    return database.versions(key).at(-1);
  }

  function isNewer(key: Key, than: number): boolean {
    const version = newest(key);
    return version !== undefined && version.position >= than;
  }

  function readsNow({ current }: Pick<ReadContext, "current">): boolean {
    return current || level.plainRead !== "snapshot";
  }

  async function lockAll(
    { number }: Transaction,
    names: readonly string[],
    mode: "shared" | "exclusive",
  ): Promise<Failure | undefined> {
    for (const name of [...names].sort()) {
      const failure = await locks.take(number, name, mode);
      if (failure) return failure;
    }
    return undefined;
  }

  /** The snapshot of a statement that writes without having read. */
  function takeForWrite({ number }: Transaction): number | undefined {
    const snapshot = snapshots.get(number);
    if (snapshot && level.snapshot !== "first-plain-read")
      snapshot.taken ??= database.commits.length;
    return snapshot?.taken;
  }

  return {
    begin({ number }) {
      snapshots.set(number, {});
    },
    async before(context, keys, scans) {
      const { transaction, current } = context;
      if (!current && !readsLock) return undefined;
      const mode = current ? "exclusive" : "shared";
      for (const prefix of level.gaps ? [...scans].sort() : []) {
        const failure = await locks.takePrefix(transaction.number, prefix);
        if (failure) return failure;
      }
      return lockAll(transaction, keys, mode);
    },
    statement(context) {
      const { transaction, random } = context;
      const snapshot = snapshots.get(transaction.number);
      if (!snapshot) return;
      const now = database.commits.length;
      const isKept = level.snapshot !== "statement" && snapshot.taken !== undefined;
      const waits = level.snapshot === "first-plain-read" && context.current;
      if (!isKept && !waits) {
        snapshot.taken = context.current
          ? now
          : pick(Math.max(context.arrived, oldest), now, strategy, random);
      }
    },
    choose(key, versions, context) {
      const snapshot = snapshots.get(context.transaction.number)?.taken;
      if (level.plainRead === "newest-uncommitted" && !context.current) {
        const dirty = database.uncommitted(key, context.transaction);
        if (dirty) return dirty;
      }
      if (!readsNow(context))
        return newestWhere(versions, ({ position }) => position < (snapshot ?? 1));
      if (context.current && level.conflict === "first-updater-wins" && isNewer(key, snapshot ?? 0))
        return SERIALIZATION_FAILURE;
      return newestWhere(versions, () => true);
    },
    async write(transaction, key, value) {
      const { number } = transaction;
      const failure =
        (await locks.take(number, key, "exclusive")) ??
        (level.gaps ? await locks.enter(number, key) : undefined);
      if (failure) return failure;
      const snapshot = takeForWrite(transaction);
      if (
        level.conflict === "first-updater-wins" &&
        snapshot !== undefined &&
        isNewer(key, snapshot)
      )
        return SERIALIZATION_FAILURE;
      const isSame =
        level.noVersionOnNoChange &&
        !transaction.writes.has(key) &&
        JSON.stringify(newest(key)?.value) === JSON.stringify(value);
      return isSame ? "no version" : undefined;
    },
    validate(transaction) {
      const snapshot = snapshots.get(transaction.number)?.taken;
      if (!level.ssi || !isWriter(transaction) || snapshot === undefined) return undefined;
      for (const { key } of readsOf(transaction))
        if (isNewer(key, snapshot)) return SERIALIZATION_FAILURE;
      return undefined;
    },
    committed: () => undefined,
    patience({ number }, patience) {
      locks.patience(number, patience);
    },
    ended({ number }) {
      snapshots.delete(number);
      locks.release(number);
    },
    oldestSnapshot() {
      const open = [...snapshots.values()].flatMap(({ taken }) => taken ?? []);
      oldest = Math.max(oldest, Math.min(database.commits.length - STALEST, ...open));
      return oldest;
    },
  };
}
