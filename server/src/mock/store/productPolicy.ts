// Levels of real databases, by their rows in `isolation/productLevels.ts`: snapshots of statements or transactions, locks
// on what is read in order to write, and what happens when that has changed. They are real time, as the servers are: a
// snapshot holds all that was committed when the statement that takes it was sent, and perhaps what has come since.
import type { Key } from "../../exploration/client";
import { findLevel, type ProductLevel } from "../../isolation/levels";
import { createDangerousStructures } from "./dangerousStructures";
import type { Database, Transaction } from "./database";
import { createLockTable } from "./lockTable";
import {
  after,
  pick,
  SERIALIZATION_FAILURE,
  type Failure,
  type Policy,
  type ReadContext,
  type StrategyOf,
  type Waited,
} from "./policy";
import { newestWhere } from "./snapshotPolicy";

/** Where the past is forgotten, statements that are delayed read what was there at most so many commits ago. */
const STALEST = 500;

const DEPENDENCIES: Failure = {
  code: SERIALIZATION_FAILURE.code,
  message: "could not serialize access due to read/write dependencies among transactions",
};

interface Snapshot {
  /** The number of the transaction. */
  readonly number: number;
  readonly level: ProductLevel;
  /** How many commits it sees; undefined until it is taken. */
  taken?: number;
}

/**
 * The lock on a key. Where updates leave references alone, as PostgreSQL's FOR KEY SHARE and FOR NO KEY UPDATE do, there is
 * another one on its being there.
 */
function lockOf({ candidates }: ProductLevel, beingThere: boolean): (key: Key) => string {
  return beingThere && candidates !== "current" ? (key) => `${key} is there` : (key) => key;
}

/** Transactions that ask for another level of the same product get it; `usual` is that of the others. */
export function productPolicy(
  usual: ProductLevel,
  database: Database,
  strategyOf: StrategyOf,
): Policy {
  const locks = createLockTable();
  const snapshots: Snapshot[] = [];
  /** Snapshots before this one are not taken any more. */
  let oldest = 1;
  /** Those whose level looks for them; all others are in nobody's way. */
  const structures = createDangerousStructures(database);

  function snapshotOf({ number }: Transaction): Snapshot | undefined {
    return snapshots.find((each) => each.number === number);
  }

  function levelOf(transaction: Transaction): ProductLevel {
    return snapshotOf(transaction)?.level ?? usual;
  }

  function isNewer(key: Key, than: number): boolean {
    return database.newest(key).position >= than;
  }

  function readsNow({ current, transaction }: ReadContext): boolean {
    return current || levelOf(transaction).plainRead !== "snapshot";
  }

  /** Goes through all names, and waits wherever it has to; ends with the first failure. */
  function each(names: readonly string[], take: (name: string) => Waited, from = 0): Waited {
    for (let at = from; at < names.length; at++) {
      const end = take(names[at] ?? "");
      if (end instanceof Promise)
        return end.then((failure) => failure ?? each(names, take, at + 1));
      if (end) return end;
    }
    return undefined;
  }

  /** The snapshot of a statement that writes without having read. */
  function takeForWrite(transaction: Transaction): number | undefined {
    const snapshot = snapshotOf(transaction);
    if (snapshot && snapshot.level.snapshot !== "first-plain-read")
      snapshot.taken ??= database.commits.length;
    return snapshot?.taken;
  }

  return {
    begin({ number }, _random, asked) {
      const name =
        asked === undefined ? usual.name : `${usual.product}:${asked.replaceAll(" ", "-")}`;
      const found = name === usual.name ? usual : findLevel(name);
      snapshots.push({ number, level: found?.family === "product" ? found : usual });
    },
    before(context, keys, { scans, lookups }) {
      const { transaction, current, purpose } = context;
      const { number } = transaction;
      const level = levelOf(transaction);
      if (!current && level.plainRead !== "locking") return undefined;
      const mode = current && purpose !== "reference" ? "exclusive" : "shared";
      const lock = lockOf(level, purpose !== undefined);
      if (level.gaps) locks.watch(number, lookups);
      return after(
        each(level.gaps ? [...scans].sort() : [], (prefix) => locks.takePrefix(number, prefix)),
        (failure) =>
          failure ?? each([...keys].sort(), (key) => locks.take(number, lock(key), mode)),
      );
    },
    statement(context) {
      const { transaction, random } = context;
      const snapshot = snapshotOf(transaction);
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
    choose(key, newest, context) {
      const level = levelOf(context.transaction);
      const snapshot = snapshotOf(context.transaction)?.taken;
      if (level.plainRead === "newest-uncommitted" && !context.current) {
        const dirty = database.uncommitted(key, context.transaction);
        if (dirty) return dirty;
      }
      if (!readsNow(context))
        return newestWhere(newest, ({ position }) => position < (snapshot ?? 1));
      const isGone = context.purpose !== "reference" || newest.value === undefined;
      if (
        context.current &&
        level.conflict === "first-updater-wins" &&
        isGone &&
        isNewer(key, snapshot ?? 0)
      )
        return SERIALIZATION_FAILURE;
      return newest;
    },
    write(transaction, key, value) {
      const { number } = transaction;
      const level = levelOf(transaction);
      const names = value === undefined ? [key, lockOf(level, true)(key)] : [key];
      return after(
        after(
          each(names, (name) => locks.take(number, name, "exclusive")),
          (failure) => failure ?? (level.gaps ? locks.enter(number, key, value) : undefined),
        ),
        (failure) => {
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
            JSON.stringify(database.newest(key).value) === JSON.stringify(value);
          return isSame ? "no version" : undefined;
        },
      );
    },
    validate(transaction) {
      const snapshot = snapshotOf(transaction)?.taken;
      return levelOf(transaction).ssi &&
        snapshot !== undefined &&
        structures.isCompletedBy(transaction, snapshot)
        ? DEPENDENCIES
        : undefined;
    },
    committed(transaction) {
      const snapshot = snapshotOf(transaction)?.taken;
      if (levelOf(transaction).ssi && snapshot !== undefined)
        structures.note(transaction, snapshot);
    },
    patience({ number }, patience) {
      locks.patience(number, patience);
    },
    ended({ number }) {
      const at = snapshots.findIndex((each) => each.number === number);
      if (at >= 0) snapshots.splice(at, 1);
      locks.release(number);
    },
    oldestSnapshot() {
      const open = snapshots.flatMap(({ taken }) => taken ?? []);
      oldest = Math.max(oldest, Math.min(database.commits.length - STALEST, ...open));
      structures.forget(oldest);
      return oldest;
    },
  };
}
