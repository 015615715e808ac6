// Pairs in which one transaction can miss a write of an earlier committer (and see none of its other writes), whatever others do: each view
// is a separate state that others may have written arbitrarily. A step that is impossible here is impossible in every larger cycle. Steps
// along the commit order are rarely impossible and are not checked.
import type { Levels } from "../../../isolation/mixedLevels";
import type { FlatProgram, FlatTransaction, Term } from "../../operations/operation";
import { subterms } from "../../operations/terms";
import { withoutPromises } from "../relational/meeting";
import { FALSE, createScript, imp, not } from "../smt";
import { allowedBy, someDependency } from "./encoding";
import { makeDatabase } from "./database";
import { makeRun } from "./run";
import { makeSnapshots } from "./snapshots";
import { makeTuple, roots } from "./tuple";

/** Assumption: the earlier committer depends on the later one. */
export const BACKWARD = "M_backward";

/** Assumption: the later one does not depend on the earlier one. */
export const ALONE = "M_alone";

/**
 * Encodes the possible steps between two transactions, the first of which commits first, in the company of others (all of the tuple). It
 * over-approximates every execution of the tuple, restricted to the two: values of views are free, search results are free beyond one row,
 * and invariants, checks and unique keys are not assumed. So "unsat" holds in every tuple with that company. Undefined if the text alone
 * rules it out. Size: as one run of a pair.
 */
export function encodeMeeting(
  flat: FlatProgram,
  levels: Levels,
  pair: readonly [number, number],
  company: readonly number[],
): string | undefined {
  const script = createScript();
  const tuple = makeTuple(withoutPromises(flat), levels, pair, company);
  const database = makeDatabase(script, tuple, { open: true });
  const snapshots = makeSnapshots(script, tuple);
  const options = { ...snapshots, order: [0, 1], serial: false, open: true };
  const run = makeRun(script, tuple, database, options);
  const dependencies = allowedBy(script, tuple, run, snapshots);
  const backward = someDependency(dependencies, 1, 0);
  if (backward === FALSE) return undefined;
  script.assert(imp(script.constant(BACKWARD, "Bool"), backward));
  const forward = someDependency(dependencies, 0, 1);
  script.assert(imp(script.constant(ALONE, "Bool"), not(forward)));
  return script.take();
}

/** True if the open form can represent the transaction: it has no conditions over all rows of a search. */
export function canMeet(transaction: FlatTransaction): boolean {
  const terms: readonly Term[] = [
    ...roots(transaction),
    ...transaction.operations.flatMap((each) => [
      ...Object.values(each.outputs),
      ...Object.values(each.update ?? {}),
      ...(each.updateWhere ? [each.updateWhere] : []),
      ...(each.aggregate?.operand ? [each.aggregate.operand] : []),
      ...(each.undone ?? []).map(({ when }) => when),
    ]),
  ];
  return ![...subterms(...terms)].some(({ kind }) => kind === "over");
}
