// Pairs of which one transaction can miss a write of one that commits earlier (and not see any other of its writes),
// whatever others do: each of their views is a state of its own, which others may have written in any way. What cannot
// be here cannot be a step of any larger cycle. Steps along the order of commits are hardly ever impossible, and not
// asked about.
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
 * Encodes what may lie between two transactions, the first of which commits first, in the company of others (all
 * of the tuple). Every execution of the whole tuple is one of these if only the two are looked at: the values of their
 * views are free, what searches find is free beyond one row, and neither invariants, checks nor unique keys are relied
 * on. So an answer "unsat" holds in every tuple of that company. Undefined where the text alone rules it out. Size: as one
 * run of a pair.
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

/** True if the open form represents the transaction: conditions over all rows that a search finds are not in it. */
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
