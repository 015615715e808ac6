// When statements of databases whose writers lock read what they read. A dependency leads against the order of commits
// only from a read of something older than a later commit. Along a cycle, a transaction that is come to at a moment no
// later than the read by which it is left can be passed over: who comes to it committed before that moment, and whom it
// leads to committed after it. So on every cycle there is one for which this is not so.
import type { Level } from "../../isolation/levels";
import type { StaticEdge } from "../encoding/relational/edges";
import { EXISTENCE, isPoint } from "../encoding/relational/instances";
import type { Site } from "../encoding/relational/instances";
import type { FlatProgram, FlatTransaction, Operation } from "../operations/operation";
import { columnsIn } from "../operations/terms";
import { asPaper } from "./setting";

/** Views of a transaction's statements at a level of such a database. */
export interface Views {
  /** Plain reads: all of one state of the database, of one state a statement, or of one from the first of them on. */
  readonly plain: "transaction" | "statement" | "first-plain-read";
  /** Locking statements keep others from all that they searched, gaps between rows included. */
  readonly holdsAll: boolean;
  /** Changes fail where a row is not as that one state has it. */
  readonly firstUpdaterWins: boolean;
}

/** Where a cycle comes to a transaction. */
export interface Entry {
  readonly operation: Operation;
  /** Because it overwrites what was read. */
  readonly overwrites: boolean;
  /** By a read of something older: it may have committed later than what it leads to. */
  readonly older: boolean;
}

/** The views of a level; undefined where plain reads lock, or see what is not committed. */
export function viewsOf(level: Level): Views | undefined {
  if (level.family !== "product" || level.plainRead !== "snapshot") return undefined;
  // Where a snapshot decides which rows are changed, something must happen to those that changed since.
  if (level.conflict === "none" && level.candidates === "snapshot") return undefined;
  const plain =
    level.snapshot === "statement" || level.snapshot === "first-plain-read"
      ? level.snapshot
      : "transaction";
  const firstUpdaterWins = asPaper(level) !== undefined;
  const holdsAll = level.gaps && level.locks === "scanned" && !firstUpdaterWins;
  return { plain, holdsAll, firstUpdaterWins };
}

/** True if what the reader takes from the row may be older than the other's commit. */
export function readsOlder(
  flat: FlatProgram,
  views: Views,
  reader: FlatTransaction,
  { from, to }: StaticEdge,
): boolean {
  const { operation } = from;
  // An insertion that goes on without its row keeps no lock on the row that is there.
  if (operation.kind === "insert")
    return operation.onDuplicate === "nothing" || (operation.caught ?? []).length > 0;
  if (lockOf(operation) === "key-share") return true;
  if (operation.kind === "read" && lockOf(operation) === "none") return true;
  if (releasesLocks(reader)) return true;
  if (views.holdsAll) return false;
  // A locking statement keeps no lock on rows that it did not choose.
  const condition = new Set(columnsIn(operation.where));
  if (operation.orderBy) condition.add(operation.orderBy.column);
  const looked = [...to.writes].some((column) => condition.has(column));
  const comes = to.operation.kind === "insert" || !isPoint(flat, operation);
  return looked || (comes && comesAndGoes(to));
}

/** Returning to a savepoint, or handling an error, gives up the locks that were taken since. */
export function releasesLocks({ operations }: FlatTransaction): boolean {
  return operations.some(
    ({ undone = [], caught = [], unlocks, lock }) =>
      undone.length > 0 || caught.length > 0 || (unlocks === true && lock !== "none"),
  );
}

/** A read by which a cycle may leave the transaction, and how it may come to it later than that. */
export function findSplit<Way extends Entry>(
  flat: FlatProgram,
  transaction: FlatTransaction,
  views: Views,
  leaving: ReadonlySet<Operation>,
  entering: readonly Way[],
): { readonly read: Operation; readonly entry: Way } | undefined {
  const isOfState = (each: Operation): boolean => readsState(transaction, views, each);
  const first = Math.min(...transaction.operations.filter(isOfState).map(({ step }) => step));
  const isSplit = (read: Operation, entry: Way): boolean => {
    // One row is looked at once, and where it is changed, nothing older was read.
    if (entry.operation === read && isPoint(flat, read)) return false;
    if (entry.older) return true;
    // A row that is seen, or changed, was committed before the one state that all statements see.
    if (views.firstUpdaterWins) return entry.overwrites || entry.operation.kind === "insert";
    return !isNoLater(views, first, isOfState, entry.operation, read);
  };
  for (const read of leaving) {
    const entry = entering.find((each) => isSplit(read, each));
    if (entry) return { read, entry };
  }
  return undefined;
}

/**
 * True if all that the first reads or changes is so at a moment no later than those of the second's reads. `firstPlain`
 * is the step of the first read of the one state.
 */
function isNoLater(
  views: Views,
  firstPlain: number,
  isOfState: (operation: Operation) => boolean,
  first: Operation,
  second: Operation,
): boolean {
  if (isOfState(second) && views.plain !== "statement") {
    if (isOfState(first)) return true;
    return views.plain === "first-plain-read" && first.step < firstPlain;
  }
  // A plain read of a fixed state is never later than a statement that acts on the newest rows.
  if (first.step < second.step) return true;
  return first.step === second.step && isOfState(first) && isOfState(second);
}

/** True if it reads the state that plain reads of its transaction, or of its statement, have in common. */
export function readsState(
  { operations }: FlatTransaction,
  { holdsAll }: Views,
  { kind, lock, mustMiss, step }: Operation,
): boolean {
  // A look-up that must find nothing looks at the newest rows.
  if (kind !== "read" || lock !== "none" || mustMiss === true) return false;
  // Rows that decide a change are read among the newest rows where all that is searched stays locked.
  return !holdsAll || !operations.some((each) => each.step === step && each.kind !== "read");
}

/** The lock that it takes for certain. */
export function lockOf({ lock, perhaps }: Operation): Operation["lock"] {
  return perhaps === true ? "none" : lock;
}

function comesAndGoes({ writes }: Site): boolean {
  return writes.has(EXISTENCE);
}
