// Levels of real databases, by their rows in `isolation/productLevels.ts`: snapshots of statements or transactions, locks
// on what is read in order to write, and what happens when that has changed. They are real time, as the servers are: a
// snapshot holds all that was committed when the statement that takes it was sent, and perhaps what has come since.
import type { Key } from "../../exploration/client";
import { findLevel, type ProductLevel } from "../../isolation/levels";
import {
  INITIAL,
  isWriter,
  readsOf,
  type Database,
  type Transaction,
  type Version,
} from "./database";
import { createLockTable } from "./lockTable";
import {
  pick,
  SERIALIZATION_FAILURE,
  type Failure,
  type Policy,
  type ReadContext,
  type StrategyOf,
} from "./policy";
import { newestWhere } from "./snapshotPolicy";

/** Where the past is forgotten, statements that are delayed read what was there at most so many commits ago. */
const STALEST = 500;

interface Snapshot {
  readonly level: ProductLevel;
  /** How many commits it sees; undefined until it is taken. */
  taken?: number;
}

/** Transactions that ask for another level of the same product get it; `usual` is that of the others. */
export function productPolicy(
  usual: ProductLevel,
  database: Database,
  strategyOf: StrategyOf,
): Policy {
  const locks = createLockTable();
  const snapshots = new Map<number, Snapshot>();
  /** Snapshots before this one are not taken any more. */
  let oldest = 1;
  /** Writers whose level looks for dangerous structures; those that are not among them are in nobody's way. */
  const watched = new Set<number>();

  function levelOf({ number }: Transaction): ProductLevel {
    return snapshots.get(number)?.level ?? usual;
  }

  function newest(key: Key): Version | undefined {
    return database.versions(key).at(-1);
  }

  function isNewer(key: Key, than: number): boolean {
    const version = newest(key);
    return version !== undefined && version.position >= than;
  }

  function readsNow({ current, transaction }: ReadContext): boolean {
    return current || levelOf(transaction).plainRead !== "snapshot";
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
    if (snapshot && snapshot.level.snapshot !== "first-plain-read")
      snapshot.taken ??= database.commits.length;
    return snapshot?.taken;
  }

  return {
    begin({ number }, _random, asked) {
      const found =
        asked === undefined
          ? undefined
          : findLevel(`${usual.product}:${asked.replaceAll(" ", "-")}`);
      snapshots.set(number, { level: found?.family === "product" ? found : usual });
    },
    async before(context, keys, { scans, lookups }) {
      const { transaction, current } = context;
      const level = levelOf(transaction);
      if (!current && level.plainRead !== "locking") return undefined;
      const mode = current ? "exclusive" : "shared";
      if (level.gaps) locks.watch(transaction.number, lookups);
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
      const { level } = snapshot;
      const isKept = level.snapshot !== "statement" && snapshot.taken !== undefined;
      const waits = level.snapshot === "first-plain-read" && context.current;
      if (!isKept && !waits) {
        snapshot.taken = context.current
          ? now
          : pick(Math.max(context.arrived, oldest), now, strategyOf(transaction), random);
      }
    },
    choose(key, versions, context) {
      const level = levelOf(context.transaction);
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
      const level = levelOf(transaction);
      const failure =
        (await locks.take(number, key, "exclusive")) ??
        (level.gaps ? await locks.enter(number, key, value) : undefined);
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
      if (!levelOf(transaction).ssi || !isWriter(transaction) || snapshot === undefined)
        return undefined;
      for (const { key } of readsOf(transaction)) {
        const { position, writer } = newest(key) ?? { position: 0, writer: INITIAL };
        if (position >= snapshot && watched.has(writer)) return SERIALIZATION_FAILURE;
      }
      return undefined;
    },
    committed(transaction) {
      if (levelOf(transaction).ssi && isWriter(transaction)) watched.add(transaction.number);
    },
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
