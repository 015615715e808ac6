// Orders that LOCK TABLE excludes. A statement that waits for a table begins when it has got it, but for a snapshot that its
// transaction took before; LOCK TABLE itself takes none. Where it is not certain that a table is locked, it is not.
import { tableLocksExclude, type TableLock } from "../../../program/tableLocks";
import { FALSE, TRUE, and, imp, not, or } from "../smt";
import type { Script, Smt } from "../smt";
import { isTrue } from "../sqlValue";
import { isBefore } from "./times";
import { opensSnapshot } from "./tuple";
import type { Access, ProductTuple } from "./tuple";
import type { Snapshots, Run } from "./execution";

/** Asserts that who waits for a table comes after the commit of who had it. */
export function assertTableLocks(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
): void {
  for (const [instance, accesses] of tuple.accesses.entries())
    for (const first of tuple.accesses.slice(0, instance).flat())
      for (const later of accesses) {
        const waits = waitsForTable(run, first, later);
        if (waits === FALSE) continue;
        for (const after of comingAfter(tuple, run, snapshots, first, later))
          if (after !== TRUE) script.assert(imp(waits, after));
      }
}

/** The later statement waits for the lock of a table that the first one's transaction has. */
export function waitsForTable(run: Run, first: Access, later: Access): Smt {
  const asked = first.operation.tableLock ?? later.operation.tableLock;
  if (asked === undefined) return FALSE;
  const [held, wanted] = [first, later].map((access) => lockOn(asked.table, access));
  if (held === undefined || wanted === undefined || !tableLocksExclude(held, wanted)) return FALSE;
  const isReleased = [first, later].some(({ operation }) => operation.unlocks === true);
  return isReleased ? FALSE : and(run.exec(first), run.exec(later), not(run.undone(first)));
}

/** The lock that the access takes on the table, whether it is asked to or not. */
function lockOn(table: string, { operation }: Access): TableLock | undefined {
  const { tableLock, kind, lock, mustMiss = false } = operation;
  if (tableLock !== undefined) return tableLock.table === table ? tableLock.mode : undefined;
  if (operation.table !== table) return undefined;
  if (kind !== "read") return "row exclusive";
  // A row that others refer to is deleted once these were looked up with a lock.
  return lock === "none" && !mustMiss ? "access share" : "row share";
}

function comingAfter(
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
  first: Access,
  later: Access,
): readonly Smt[] {
  const { instance, operation } = later;
  const next = snapshots.nextStep(instance, operation.step);
  const result: Smt[] = [];
  if (next !== undefined) result.push(snapshots.beginsAfter(first.instance, instance, next));
  // The rows that a constraint looks up are locked when the statement has run.
  const isCheck = operation.mustFind || operation.mustMiss === true;
  if (!isCheck) result.push(snapshots.beginsAfter(first.instance, instance, operation.step));
  if (snapshots.times !== undefined) {
    const { ends, acts } = snapshots.times;
    result.push(isBefore(ends(first.instance), acts(instance, operation.step)));
  }
  const opened = snapshotBefore(tuple, run, later);
  if (opened !== undefined)
    result.push(or(opened, snapshots.seesAt(first.instance, instance, operation.step)));
  return result;
}

/** The one snapshot of its transaction is there before the statement waits; undefined where that is so, or there is none. */
function snapshotBefore(
  tuple: ProductTuple,
  run: Run,
  { instance, operation }: Access,
): Smt | undefined {
  const accesses = tuple.accesses[instance] ?? [];
  const { snapshot } = tuple.levels[instance] ?? {};
  if (snapshot === "first-plain-read")
    return or(
      ...accesses
        .filter((each) => opensSnapshot(each) && each.operation.step < operation.step)
        .map((each) => run.exec(each)),
    );
  if (snapshot !== "first-statement" || operation.tableLock?.isFirst !== true) return undefined;
  const steps = tuple.transactions[instance]?.steps ?? [];
  const from = tuple.parts[instance]?.from ?? 0;
  return or(
    ...steps
      .slice(from, operation.step)
      .flatMap(({ guard }, at) =>
        locksTable(accesses, from + at) ? [] : [isTrue(run.value(instance, guard))],
      ),
  );
}

/** True if the step is a LOCK TABLE that takes no snapshot. */
export function locksTable(accesses: readonly Access[], step: number): boolean {
  return accesses.some(
    ({ operation }) => operation.step === step && operation.tableLock?.isFirst === true,
  );
}
