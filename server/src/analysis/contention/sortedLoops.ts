// Loops over sorted lists: all runs take the locks of their rounds in the same order, so these cannot deadlock with each other.
import { walkCommand } from "../../frontend/sql/walk";
import type { Transaction } from "../../program/program";
import type { StatementId } from "../../program/statement";
import type { LockOrder } from "./locks";

/** The statements in loops over sorted lists, with the outermost such loop of each. */
export function sortedLoops({ body }: Transaction): ReadonlyMap<StatementId, string> {
  const loops = new Map<StatementId, string>();
  walkCommand(body, {
    command: (loop) => {
      if (loop.kind !== "loop" || loop.over.kind !== "count" || !loop.over.isSorted) return;
      walkCommand(loop.body, {
        statement: ({ id }) => {
          if (!loops.has(id)) loops.set(id, loop.id);
        },
      });
    },
  });
  return loops;
}

/** True for locks in two rounds of a loop over a sorted list. */
export function isAmongSorted(
  { holds, wants }: LockOrder,
  loops: ReadonlyMap<StatementId, string>,
): boolean {
  const loop = loops.get(holds.statement);
  return loop !== undefined && loop === loops.get(wants.statement) && holds.nth !== wants.nth;
}
