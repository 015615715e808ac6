// Orders that locks exclude. Writers hold their locks until they commit, so of two instances that lock a row incompatibly, the later
// committer acts after the earlier one's commit; no other times are needed.
import { FALSE, TRUE, and, imp, not, or } from "../smt";
import type { Script, Smt } from "../smt";
import type { RowKey } from "./database";
import { keysOf, mayRefuse, refusedBy } from "./keys";
import { looksFor, mayConflict, reaches, rowsOf, waitsFor } from "./rowLocks";
import { waitsForTable } from "./tableLocks";
import { isBefore } from "./times";
import { EXISTS, hasOwnSnapshots, isWrite, mayWait, opensSnapshot } from "./tuple";
import type { Access, ProductTuple } from "./tuple";
import type { Snapshots, Run } from "./execution";

/** Asserts lock waits and, at levels that have it, first-updater-wins. */
export function assertLocks(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
): void {
  const locks: Locks = { script, tuple, run, snapshots };
  for (const [instance, accesses] of tuple.accesses.entries())
    for (const later of accesses) {
      if (later.plain) continue;
      for (let earlier = 0; earlier < instance; earlier += 1)
        for (const first of tuple.accesses[earlier] ?? []) {
          assertRefusal(locks, first, later);
          if (!first.plain && first.table === later.table && mayConflict(tuple, first, later)) {
            assertWaits(locks, first, later);
            assertFirstWins(locks, first, later);
            assertQueue(locks, first, later);
          }
        }
      if (tuple.levels[instance]?.conflict === "first-updater-wins")
        assertVisibleConflict(locks, later);
    }
  for (const instance of tuple.transactions.keys()) assertInstant(locks, instance);
}

/** A single-statement transaction commits right after its statement: if it missed the last commit before its own, it waited for that. */
function assertInstant(locks: Locks, instance: number): void {
  const { script, tuple, run, snapshots } = locks;
  const part = tuple.parts[instance];
  if (part?.single !== true || instance === 0) return;
  const seen = snapshots.seesAt(instance - 1, instance, part.from);
  if (seen === TRUE) return;
  const all = tuple.accesses[instance] ?? [];
  if (all.some((each) => each.plain && mayWait(each))) return;
  const own = all.filter(({ plain }) => !plain);
  const waits = (tuple.accesses[instance - 1] ?? []).flatMap((first) =>
    own.flatMap((later) =>
      !first.plain && first.table === later.table && mayConflict(tuple, first, later)
        ? rowsOf(run, first, later).map((row) => heldUp(locks, first, later, row))
        : [],
    ),
  );
  const forTables = (tuple.accesses[instance - 1] ?? []).flatMap((first) =>
    all.map((later) => waitsForTable(run, first, later)),
  );
  script.assert(or(seen, ...waits, ...forTables));
  // A lock that the unit released at an earlier commit was taken again later.
  const unit = tuple.units.find((each) => each.includes(instance - 1)) ?? [];
  const before = unit.findLast((each) => each < instance - 1);
  if (before !== undefined) script.assert(snapshots.seesAt(before, instance, part.from));
}

interface Locks {
  readonly script: Script;
  readonly tuple: ProductTuple;
  readonly run: Run;
  readonly snapshots: Snapshots;
}

/** A transaction that begins, or looks, after a lock that was waited for comes after the holder's commit. */
function assertWaits(locks: Locks, first: Access, later: Access): void {
  const { script, run } = locks;
  for (const row of rowsOf(run, first, later)) {
    const after = comingAfter(locks, first, later, row).filter((each) => each !== TRUE);
    if (after.length === 0) continue;
    const waits = heldUp(locks, first, later, row);
    if (waits !== FALSE) for (const each of after) script.assert(imp(waits, each));
  }
}

/** An insertion is refused a key when the row that has it is committed; ON CONFLICT fails where its snapshot does not have that row. */
function assertRefusal(locks: Locks, first: Access, later: Access): void {
  const { script, run, snapshots } = locks;
  const { row } = run.done[later.instance]?.[later.operation.index] ?? {};
  if (row === undefined || !mayRefuse(first, later)) return;
  const refused = and(refusedBy(run, first, later), not(run.undone(first)));
  for (const after of comingAfter(locks, first, later, row))
    if (after !== TRUE) script.assert(imp(refused, after));
  if (!needsSight(locks, later)) return;
  const taken = run.state(later, "current", EXISTS, row).value;
  const seen = snapshots.seesAt(first.instance, later.instance, later.operation.step);
  script.assert(imp(and(refused, not(taken)), seen));
}

/** True for DO NOTHING under a snapshot, by one key beside the primary one: of several, any may be met first. */
function needsSight({ tuple }: Locks, { instance, operation, table, view }: Access): boolean {
  const { onDuplicate, caught } = operation;
  if (onDuplicate !== "nothing" || caught !== undefined || view !== "snapshot") return false;
  return (
    tuple.levels[instance]?.conflict === "first-updater-wins" && keysOf(table.table).length <= 1
  );
}

function comingAfter(
  { tuple, run, snapshots }: Locks,
  first: Access,
  later: Access,
  row: RowKey,
): readonly Smt[] {
  const { instance, operation } = later;
  const level = tuple.levels[instance];
  const next = snapshots.nextStep(instance, operation.step);
  const result: Smt[] = [];
  if (next !== undefined) result.push(snapshots.beginsAfter(first.instance, instance, next));
  if (operation.asksFree)
    result.push(snapshots.beginsAfter(first.instance, instance, operation.step));
  if (snapshots.times !== undefined) {
    const { ends, acts } = snapshots.times;
    result.push(isBefore(ends(first.instance), acts(instance, operation.step)));
  }
  if (later.view === "look") result.push(snapshots.looksAfter(first.instance, later, row));
  // A check at the end of a statement is made while all of its locks are held.
  for (const check of tuple.accesses[instance] ?? []) {
    if (!check.operation.mustMiss || check.operation.step !== operation.step) continue;
    const searched = run.done[instance]?.[check.operation.index]?.row;
    for (const each of searched ? [searched] : run.rows(check.table))
      result.push(snapshots.looksAfter(first.instance, check, each));
  }
  if (level?.snapshot === "first-plain-read") {
    const opened = (tuple.accesses[instance] ?? [])
      .filter((each) => opensSnapshot(each) && each.operation.step < operation.step)
      .map((each) => run.exec(each));
    result.push(or(...opened, snapshots.seesAt(first.instance, instance, operation.step)));
  }
  return result;
}

/** The condition that the later access waits for a lasting lock: returning to a savepoint releases what is undone. */
function heldUp({ tuple, run }: Locks, first: Access, later: Access, row: RowKey): Smt {
  const both = waitsFor(tuple, run, first, later, row);
  return both === FALSE ? FALSE : and(both, not(run.undone(first)));
}

/** Asserts that a transaction fails, or its statement restarts, if the snapshot lacks a write to a row that it locks. */
function assertFirstWins(
  { script, tuple, run, snapshots }: Locks,
  first: Access,
  later: Access,
): void {
  const { instance, operation } = later;
  const conflict = tuple.levels[instance]?.conflict;
  if ((conflict !== "first-updater-wins" && conflict !== "restart") || !isWrite(first)) return;
  const inserts = operation.kind === "insert";
  if (inserts && (operation.onDuplicate === "error" || conflict === "restart")) return;
  const seen = snapshots.seesAt(first.instance, instance, operation.step);
  for (const row of rowsOf(run, first, later)) {
    // DO NOTHING fails on the newest version of its row as DO UPDATE does, though it takes no lock.
    const asked = inserts ? looksFor(run, later, row) : reaches(tuple, run, later, row);
    const met = and(asked, run.makesVersion(first, row));
    // ON CONFLICT on a row that has been deleted inserts it.
    const both = inserts ? and(met, run.state(later, "current", EXISTS, row).value) : met;
    if (both !== FALSE) script.assert(imp(both, seen));
  }
}

/**
 * Asserts that a statement on one row that began before the other's commit was blocked by it, so the other had begun by then. Otherwise the
 * later one would have to pause between its snapshot and its lock, which no schedule can enforce.
 */
function assertQueue(locks: Locks, first: Access, later: Access): void {
  const { script, tuple, run, snapshots } = locks;
  const { instance, operation } = later;
  if (!later.point || !showsBeginning(tuple, later)) return;
  if (first.instance === 0 && tuple.parts[0] === undefined) return;
  const { snapshot, conflict } = tuple.levels[first.instance] ?? {};
  if (snapshot === "first-plain-read" || conflict === "restart") return;
  const seen = snapshots.seesAt(first.instance, instance, operation.step);
  if (seen === TRUE) return;
  for (const row of rowsOf(run, first, later)) {
    const held = and(heldUp(locks, first, later, row), isFirstHolder(locks, first, later, row));
    const both = and(held, not(seen));
    if (both === FALSE) continue;
    if (tuple.parts[first.instance]?.single === true) {
      // A single-statement transaction holds its locks for no time, except while it waits itself.
      const previous = first.instance - 1;
      script.assert(
        imp(both, not(snapshots.seesAt(previous, first.instance, first.operation.step))),
      );
    }
    for (let before = 0; before < first.instance; before += 1) {
      const begun = begunAfter(snapshots, before, first);
      const known = snapshots.seesAt(before, instance, operation.step);
      if (begun !== TRUE) script.assert(imp(and(both, begun), known));
    }
  }
}

/** A statement that waits for the lock of a statement without a snapshot: under `literal` the holder must have begun before. */
export interface LockQueue {
  readonly holder: Access;
  readonly waiter: Access;
  readonly literal: Smt;
}

/**
 * Lock queues for tuples of three or more: the schedule must say when statements without a snapshot begin, if another statement that begins
 * before an intermediate commit waits for their lock.
 */
export function lockQueues(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
): readonly LockQueue[] {
  if (tuple.transactions.length < 3) return [];
  const locks: Locks = { script, tuple, run, snapshots };
  const waiters = tuple.accesses.flat().filter((each) => !each.plain && each.point);
  return waiters.flatMap((waiter) => {
    if (!showsBeginning(tuple, waiter)) return [];
    const holders = tuple.accesses.slice(1, waiter.instance).flat();
    return holders.flatMap((holder): readonly LockQueue[] => {
      const { instance, operation, plain, table } = holder;
      if (plain || table !== waiter.table || !mayConflict(tuple, holder, waiter)) return [];
      const seen = snapshots.seesAt(instance, waiter.instance, waiter.operation.step);
      if (seen === TRUE || snapshots.seesAt(0, instance, operation.step) !== TRUE) return [];
      const waits = rowsOf(run, holder, waiter).map((row) =>
        and(heldUp(locks, holder, waiter, row), isFirstHolder(locks, holder, waiter, row)),
      );
      const condition = and(or(...waits), not(seen));
      return condition === FALSE
        ? []
        : [{ holder, waiter, literal: script.name(condition, "Bool") }];
    });
  });
}

/** The condition that no earlier statement of the holder's instance locks the row: the waiter might wait for that one. */
function isFirstHolder(locks: Locks, holder: Access, waiter: Access, row: RowKey): Smt {
  const before = heldBefore(locks.tuple, holder);
  return not(or(...before.map((each) => heldUp(locks, each, waiter, row))));
}

/** Earlier statements of its instance that may lock the row. */
function heldBefore(
  tuple: ProductTuple,
  { instance, operation, table }: Access,
): readonly Access[] {
  return (tuple.accesses[instance] ?? []).filter(
    (each) => each.table === table && !each.plain && each.operation.step < operation.step,
  );
}

/** The condition that the statement, or the last earlier one whose beginning matters, began after an earlier commit. */
function begunAfter(snapshots: Snapshots, earlier: number, { instance, operation }: Access): Smt {
  for (let { step } = operation; step >= 0; step -= 1) {
    const begun = snapshots.seesAt(earlier, instance, step);
    if (begun !== TRUE) return begun;
  }
  return TRUE;
}

/** True if the content of the statement's snapshot shows when it began. */
function showsBeginning(tuple: ProductTuple, { instance, operation }: Access): boolean {
  if (hasOwnSnapshots(tuple, instance)) return true;
  const first = tuple.parts[instance]?.from ?? 0;
  return tuple.levels[instance]?.snapshot === "first-statement" && operation.step === first;
}

/** Asserts that ON CONFLICT fails on a row that the transaction's snapshot does not contain. */
function assertVisibleConflict({ script, run }: Locks, access: Access): void {
  const { operation } = access;
  if (operation.kind !== "insert" || operation.onDuplicate === "error") return;
  if (access.view !== "snapshot") return;
  const own = run.done[access.instance]?.[operation.index];
  if (!own?.row) return;
  const taken = run.state(access, "current", EXISTS, own.row).value;
  const visible = run.state(access, "snapshot", EXISTS, own.row).value;
  script.assert(imp(and(own.exec, taken), visible));
}
