// Whether one transaction can depend on another at all, whatever others do: each of their views is a state of its own,
// which others may have written in any way. What cannot be here cannot be a step of any larger cycle.
import type { Levels } from "../../isolation/mixedLevels";
import type { FlatProgram, FlatTransaction, Term } from "../operations/operation";
import { subterms } from "../operations/terms";
import { allowedBy, someDependency } from "./product";
import { makeDatabase } from "./productDatabase";
import { makeRun } from "./productRun";
import { makeSnapshots } from "./productSnapshots";
import { makeTuple } from "./productTuple";
import { withoutPromises } from "./relationalMeeting";
import { FALSE, and, createScript, imp, not } from "./smt";
import type { Smt } from "./smt";

/** Assumption: the later committer depends on the earlier one, and not the other way round. */
export const FORWARD = "M_forward";
/** Assumption: the earlier committer depends on the later one alone. */
export const BACKWARD = "M_backward";

export interface Meeting {
  readonly text: string;
  /** Which of the two steps the text alone leaves open. */
  readonly open: readonly string[];
}

/**
 * Encodes what may lie between two transactions, the first of which commits first, in the company of others (all
 * of the tuple). Every execution of the whole tuple is one of these if only the two are looked at: the values of their
 * views are free, what searches find is free beyond one row, and neither invariants, checks nor unique keys are relied
 * on. So an answer "unsat" holds in every tuple of that company. Size: as one run of a pair.
 */
export function encodeMeeting(
  flat: FlatProgram,
  levels: Levels,
  pair: readonly [number, number],
  company: readonly number[],
): Meeting {
  const script = createScript();
  const tuple = makeTuple(withoutPromises(flat), levels, pair, company);
  const database = makeDatabase(script, tuple, { open: true });
  const snapshots = makeSnapshots(script, tuple);
  const options = { ...snapshots, order: [0, 1], serial: false, open: true };
  const run = makeRun(script, tuple, database, options);
  const dependencies = allowedBy(script, tuple, run, snapshots);
  const [forward, backward] = [
    someDependency(dependencies, 0, 1),
    someDependency(dependencies, 1, 0),
  ];
  const steps: readonly (readonly [string, Smt])[] = [
    [FORWARD, and(forward, not(backward))],
    [BACKWARD, and(backward, not(forward))],
  ];
  for (const [name, condition] of steps)
    script.assert(imp(script.constant(name, "Bool"), condition));
  return {
    text: script.take(),
    open: steps.filter(([, condition]) => condition !== FALSE).map(([name]) => name),
  };
}

/** Whether the open form represents the transaction: conditions over all rows that a search finds are not in it. */
export function canMeet(transaction: FlatTransaction): boolean {
  const terms: readonly Term[] = [
    transaction.aborts,
    ...(transaction.exceeds ? [transaction.exceeds] : []),
    ...transaction.returns,
    ...(transaction.steps ?? []).map((each) => each.guard),
    ...transaction.operations.flatMap((each) => [
      each.guard,
      each.where,
      ...Object.values(each.key),
      ...Object.values(each.set),
      ...Object.values(each.outputs),
      ...Object.values(each.update ?? {}),
      ...(each.updateWhere ? [each.updateWhere] : []),
      ...(each.aggregate?.operand ? [each.aggregate.operand] : []),
      ...(each.undone ?? []).map(({ when }) => when),
    ]),
  ];
  return ![...subterms(...terms)].some(({ kind }) => kind === "over");
}
