// Which earlier commits a snapshot contains: one Boolean per earlier committer and statement (per transaction, where
// the level keeps one snapshot), closed under program order and under commit order.
import { snapshotName } from "./productNames";
import { hasOwnSnapshots } from "./productTuple";
import type { Access, ProductTuple } from "./productTuple";
import { FALSE, TRUE, imp } from "./smt";
import type { Script, Smt } from "./smt";

export interface Snapshots {
  /** Whether the access sees the instance's commit in its snapshot; false for later committers. */
  sees(earlier: number, access: Access): Smt;
  /** The same for a statement by its number; true when that statement's snapshot does not matter. */
  seesAt(earlier: number, instance: number, step: number): Smt;
  /** The first statement behind `step` whose snapshot matters. */
  nextStep(instance: number, step: number): number | undefined;
}

/** Declares the snapshots of a tuple and asserts what makes them prefixes of the commit order. */
export function makeSnapshots(script: Script, tuple: ProductTuple): Snapshots {
  const perStatement = tuple.transactions.map((_, instance) => hasOwnSnapshots(tuple, instance));
  const steps = tuple.accesses.map((accesses) => {
    const needed = accesses.filter((each) => each.needsSnapshot);
    return [...new Set(needed.map((each) => each.operation.step))].sort((a, b) => a - b);
  });
  const literal = (earlier: number, instance: number, step: number): Smt =>
    script.constant(snapshotName(earlier, instance, perStatement[instance] ? step : "all"), "Bool");
  const seesAt = (earlier: number, instance: number, step: number): Smt => {
    if (earlier >= instance) return FALSE;
    if (perStatement[instance] && !steps[instance]?.includes(step)) return TRUE;
    return literal(earlier, instance, step);
  };
  for (const [instance, needed] of steps.entries()) {
    const own = perStatement[instance] ? needed : [0];
    for (const [at, step] of own.entries())
      for (let earlier = 0; earlier < instance; earlier += 1) {
        const sees = literal(earlier, instance, step);
        if (earlier > 0) script.assert(imp(sees, literal(earlier - 1, instance, step)));
        const next = own[at + 1];
        if (next !== undefined) script.assert(imp(sees, literal(earlier, instance, next)));
      }
  }
  return {
    sees: (earlier, access) => seesAt(earlier, access.instance, access.operation.step),
    seesAt,
    nextStep: (instance, step) => steps[instance]?.find((each) => each > step),
  };
}
