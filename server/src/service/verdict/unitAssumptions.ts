// The assumption on units that the server aborts none of them half-way. Runs in which it does, by a deadlock or serialization failure,
// leave the earlier commits and are not searched.
import type { FlatPart, FlatTransaction, Operation } from "../../analysis/operations/operation";
import type { Level } from "../../isolation/levels";
import { levelAt } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import type { Assumption } from "../../protocol/report";

/** One assumption for all units that the server may abort after one of their commits; else none. */
export function unitAssumptions(
  transactions: readonly FlatTransaction[],
  levels: Levels,
): readonly Assumption[] {
  const ids = transactions.filter((each) => mayEndHalfWay(each, levels)).map(({ id }) => id);
  if (ids.length === 0) return [];
  const text = `the server does not stop ${namesText(ids)} half-way, behind something that was committed (for a deadlock or a serialization failure)`;
  return [{ kind: "rollbacks", text, transactions: ids }];
}

function mayEndHalfWay({ id, parts = [], operations }: FlatTransaction, levels: Levels): boolean {
  const own = ({ from, to }: FlatPart): readonly Operation[] =>
    operations.filter(({ step }) => step >= from && step < to);
  const firstWrite = operations.find(({ kind }) => kind !== "read");
  if (firstWrite === undefined) return false;
  return parts.some(
    (part) => part.from > firstWrite.step && mayBeEnded(own(part), levelAt(levels, id, part.level)),
  );
}

/** True if a server may abort a transaction of these operations because of concurrent ones. */
function mayBeEnded(operations: readonly Operation[], level: Level): boolean {
  const locking = operations.filter(({ kind, lock }) => kind !== "read" || lock !== "none");
  if (level.family === "paper") return level.axioms.length > 0 && locking.length > 0;
  if (level.ssi || level.plainRead === "locking") return operations.length > 0;
  if (level.conflict === "first-updater-wins") return locking.length > 0;
  // A transaction that waits for its only lock blocks nobody else.
  return locking.length > 1 || locking.some(({ pick }) => pick === "all" || pick === "some");
}

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED);
  const rest = names.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${String(rest)} more`] : [])].join(", ");
}

const MOST_NAMED = 3;
