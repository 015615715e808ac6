// Remedies for a chain that is in the way of a proof: the program is changed as the advice says, and the chain is asked
// about again. Only what was answered so is told as a remedy.
import { distinctLevels } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import { isPoint, tableOf } from "../encoding/relational/instances";
import type { FlatProgram, FlatTransaction, Operation } from "../operations/operation";
import { TRUE } from "../operations/terms";
import type { Obstacle, ObstacleStep, Remedy } from "./answer";

/** The obstacle with the remedies that make its chain impossible: of its last step for which there is one. */
export function withRemedies(
  flat: FlatProgram,
  levels: Levels,
  obstacle: Obstacle,
  isPossible: (changed: FlatProgram) => boolean,
): Obstacle {
  // The papers' levels know no locks.
  const isLocking = distinctLevels(levels).every(({ family }) => family === "product");
  const kinds: readonly Remedy["kind"][] = isLocking ? ["lock", "change"] : ["change"];
  for (const [step, what] of [...obstacle.steps.entries()].reverse()) {
    const member = obstacle.members[step];
    if (what.dependency !== "rw" || member === undefined) continue;
    const remedies = kinds.flatMap((kind): Remedy[] => {
      const changed = changedProgram(flat, member, what, kind);
      return changed && !isPossible(changed) ? [{ kind, step }] : [];
    });
    if (remedies.length > 0) return { ...obstacle, remedies };
  }
  return obstacle;
}

/** The program with that read as the remedy has it; undefined where there is no such read. */
function changedProgram(
  flat: FlatProgram,
  member: number,
  step: ObstacleStep,
  kind: Remedy["kind"],
): FlatProgram | undefined {
  const transaction = flat.transactions[member];
  if (!transaction) return undefined;
  const isIt = (each: Operation): boolean =>
    each.statement === step.from &&
    each.table === step.table &&
    each.kind === "read" &&
    each.lock === "none";
  const changed = kind === "lock" ? locking(transaction, isIt) : changing(flat, transaction, isIt);
  if (!changed) return undefined;
  const transactions = flat.transactions.map((each, at) => (at === member ? changed : each));
  return { ...flat, transactions };
}

/** Its reads lock the rows that they find; what counts or adds up rows cannot. */
function locking(
  transaction: FlatTransaction,
  isIt: (each: Operation) => boolean,
): FlatTransaction | undefined {
  const reads = transaction.operations.filter(isIt);
  if (reads.length === 0 || reads.some(({ pick }) => pick === "all")) return undefined;
  const operations = transaction.operations.map((each): Operation =>
    isIt(each) ? { ...each, lock: "update" } : each,
  );
  return { ...transaction, operations };
}

/** The row that is read is written again at the end, with the values that it has. */
function changing(
  flat: FlatProgram,
  transaction: FlatTransaction,
  isIt: (each: Operation) => boolean,
): FlatTransaction | undefined {
  const { operations, steps } = transaction;
  const reads = operations.filter(isIt);
  if (reads.length === 0 || reads.some((each) => !isPoint(flat, each))) return undefined;
  const last = Math.max(...operations.map(({ step }) => step), (steps?.length ?? 0) - 1);
  const added = reads.map((read, at): Operation => {
    const { columns, primaryKey } = tableOf(flat, read.table);
    const kept = columns.filter(({ name }) => !primaryKey.includes(name));
    return {
      ...read,
      index: operations.length + at,
      step: last + 1 + at,
      kind: "update",
      where: TRUE,
      outputs: {},
      set: Object.fromEntries(kept.map(({ name }) => [name, { kind: "column", column: name }])),
    };
  });
  return {
    ...transaction,
    operations: [...operations, ...added],
    ...(steps && {
      steps: [...steps, ...added.map(({ guard, statement }) => ({ guard, statement }))],
    }),
  };
}
