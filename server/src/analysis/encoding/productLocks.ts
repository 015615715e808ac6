// What locks exclude. Writers keep their locks until they commit, so of two instances that lock a row incompatibly the
// later committer acts after the earlier one's commit; no other times are needed.
import type { RowKey } from "./productDatabase";
import type { Run } from "./productRun";
import type { Snapshots } from "./productSnapshots";
import { EXISTS, hasOwnSnapshots, isWrite } from "./productTuple";
import type { Access, ProductTuple } from "./productTuple";
import { FALSE, TRUE, and, imp, not, sameAll } from "./smt";
import type { Script, Smt } from "./smt";

/** Asserts lock waits and, where the later one's level has it, that the first updater wins. */
export function assertLocks(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
): void {
  for (const [instance, accesses] of tuple.accesses.entries())
    for (const later of accesses) {
      if (later.plain) continue;
      for (let earlier = 0; earlier < instance; earlier += 1)
        for (const first of tuple.accesses[earlier] ?? [])
          if (!first.plain && first.table === later.table && conflict(first, later)) {
            assertPair(script, tuple, run, snapshots, first, later);
            assertQueue(script, tuple, run, snapshots, first, later);
          }
      if (tuple.levels[instance]?.conflict === "first-updater-wins")
        assertVisibleConflict(script, run, later);
    }
}

/** PostgreSQL's row locks: which of two statements on one row waits for the other. */
function conflict(a: Access, b: Access): boolean {
  const [left, right] = [strengthOf(a), strengthOf(b)];
  const weak = (each: Strength): boolean => each === "key-share" || each === "share";
  if (weak(left) && weak(right)) return false;
  if (left === "key-share" || right === "key-share") return left !== "change" && right !== "change";
  return true;
}

type Strength = "key-share" | "share" | "change" | "all";

function strengthOf(access: Access): Strength {
  const { operation } = access;
  if (operation.kind === "update") return "change";
  if (operation.kind !== "read") return "all";
  if (operation.keyLock === true) return "key-share";
  return operation.lock === "share" ? "share" : "all";
}

function assertPair(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
  first: Access,
  later: Access,
): void {
  const { instance, operation } = later;
  if (!hasOwnSnapshots(tuple, instance)) {
    const upsert = operation.kind === "insert" && operation.onDuplicate === "update";
    if (!isWrite(first) || (operation.kind === "insert" && !upsert)) return;
    for (const row of rowsOf(run, first, later)) {
      const both = and(locks(run, later, row), run.hits(first, row));
      const seen = snapshots.seesAt(first.instance, instance, operation.step);
      if (both !== FALSE) script.assert(imp(both, seen));
    }
    return;
  }
  const next = snapshots.nextStep(instance, operation.step);
  if (next === undefined) return;
  for (const row of rowsOf(run, first, later)) {
    const both = and(keeps(run, first, row), locks(run, later, row));
    if (both !== FALSE) script.assert(imp(both, snapshots.seesAt(first.instance, instance, next)));
  }
}

/**
 * A statement on one row that began before another's commit was held up by it: the other had begun by then. Without
 * this, the later one would have to pause between its snapshot and its lock, which nobody can make it do.
 */
function assertQueue(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
  first: Access,
  later: Access,
): void {
  const { instance, operation } = later;
  const perStatement = hasOwnSnapshots(tuple, instance);
  if (!later.point || first.instance === 0 || (!perStatement && operation.step > 0)) return;
  const seen = snapshots.seesAt(first.instance, instance, operation.step);
  if (seen === TRUE) return;
  for (const row of rowsOf(run, first, later)) {
    const both = and(keeps(run, first, row), locks(run, later, row), not(seen));
    if (both === FALSE) continue;
    for (let before = 0; before < first.instance; before += 1) {
      const begun = snapshots.seesAt(before, first.instance, first.operation.step);
      const known = snapshots.seesAt(before, instance, operation.step);
      if (begun !== TRUE) script.assert(imp(and(both, begun), known));
    }
  }
}

/** ON CONFLICT on a row that the transaction's snapshot does not contain fails. */
function assertVisibleConflict(script: Script, run: Run, access: Access): void {
  const { operation } = access;
  if (operation.kind !== "insert" || operation.onDuplicate === "error") return;
  const own = run.done[access.instance]?.[operation.index];
  if (!own?.row) return;
  const taken = run.state(access, "current", EXISTS, own.row).value;
  const visible = run.state(access, "snapshot", EXISTS, own.row).value;
  script.assert(imp(and(own.exec, taken), visible));
}

/** The rows on which two accesses can meet. */
export function rowsOf(run: Run, a: Access, b: Access): readonly RowKey[] {
  const own = (access: Access): RowKey | undefined =>
    run.done[access.instance]?.[access.operation.index]?.row;
  const row = own(a) ?? own(b);
  return row ? [row] : run.rows(a.table);
}

/** The statement locks the row until its transaction commits: returning to a savepoint releases what is undone. */
function keeps(run: Run, access: Access, row: RowKey): Smt {
  return and(locks(run, access, row), not(run.undone(access)));
}

/** The statement locks the row: it matches in its snapshot, whatever becomes of it. */
function locks(run: Run, access: Access, row: RowKey): Smt {
  const own = run.done[access.instance]?.[access.operation.index];
  const key = own?.row ? sameAll(own.row, row) : run.keyMatches(access, row);
  if (key === FALSE) return FALSE;
  if (access.skips)
    return and(run.exec(access), key, not(run.state(access, "snapshot", EXISTS, row).value));
  if (access.operation.kind === "insert") return and(run.exec(access), key);
  return and(run.exec(access), key, run.matches(access, "snapshot", row));
}
