// Locks that a session holds beyond its transactions: of two units that have the same one, one does all that it does with it before the
// other. Its statements that touch no table may stand anywhere in the commit order.
import { FALSE, TRUE, and, imp, not, or } from "../smt";
import type { Script, Smt } from "../smt";
import type { Run, Snapshots } from "./execution";
import { heldParts } from "./parts";
import { mayConflict, rowsOf, waitsFor } from "./rowLocks";
import { hasOwnSnapshots } from "./tuple";
import type { Access, ProductTuple } from "./tuple";

/** Asserts that the transactions of two units that have one lock are not interleaved, and that the later ones follow the earlier ones. */
export function assertSessionLocks(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
): void {
  const holders = tuple.accesses.flat().filter(({ operation }) => operation.session);
  for (const [at, one] of holders.entries())
    for (const other of holders.slice(at + 1)) {
      if (tuple.leads[one.instance] === tuple.leads[other.instance]) continue;
      const [first, later] = one.instance < other.instance ? [one, other] : [other, one];
      if (!mayConflict(tuple, first, later)) continue;
      const rows = rowsOf(run, first, later);
      const both = or(...rows.map((row) => waitsFor(tuple, run, first, later, row)));
      if (both === FALSE) continue;
      const [ours, theirs] = [instancesOf(tuple, one), instancesOf(tuple, other)];
      if (isBefore(ours, theirs)) assertAfter(script, tuple, snapshots, both, ours, theirs);
      else if (isBefore(theirs, ours)) assertAfter(script, tuple, snapshots, both, theirs, ours);
      else script.assert(not(both));
    }
}

/** The transactions of its unit that the lock's session commits while it has the lock. */
function instancesOf(
  { units, transactions }: ProductTuple,
  { instance, operation }: Access,
): readonly number[] {
  const unit = units.find((each) => each.includes(instance)) ?? [];
  const transaction = transactions[instance];
  return (transaction ? heldParts(transaction, operation) : []).flatMap((part) => unit[part] ?? []);
}

function isBefore(some: readonly number[], others: readonly number[]): boolean {
  return Math.max(-1, ...some) < Math.min(Infinity, ...others);
}

function assertAfter(
  script: Script,
  tuple: ProductTuple,
  snapshots: Snapshots,
  both: Smt,
  before: readonly number[],
  behind: readonly number[],
): void {
  const last = before.at(-1);
  if (last === undefined) return;
  for (const instance of behind) {
    const { from } = tuple.parts[instance] ?? {};
    // A lock that is taken within a transaction is waited for there.
    if (
      from === undefined ||
      (tuple.accesses[instance] ?? []).some((each) => each.operation.session)
    )
      continue;
    const next = snapshots.nextStep(instance, from - 1);
    const begun = next === undefined ? TRUE : snapshots.beginsAfter(last, instance, next);
    const seen = hasOwnSnapshots(tuple, instance) ? TRUE : snapshots.seesAt(last, instance, from);
    const after = and(begun, seen);
    if (after !== TRUE) script.assert(imp(both, after));
  }
}
