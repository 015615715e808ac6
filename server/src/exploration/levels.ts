// Whether a level allows a history, asked of the whole history.
import { isWeakLevel } from "./commitOrder";
import type { StoreLevel } from "./exploration";
import type { History } from "./history";
import { versionOrders } from "./parallelSnapshot";
import { orderOf } from "./reorderings";
import { isPossible } from "./sequences";
import { isSnapshotLevel, stepsOf } from "./stepsOf";

/**
 * Whether the level allows the history, whose transactions come after those that they read from. In polynomial time up
 * to causal consistency; above it a search, exponential in the worst case.
 */
export function allows(history: History, level: StoreLevel): boolean {
  if (isWeakLevel(level)) return orderOf(history.transactions, level) !== undefined;
  if (level === "parallel-snapshot-isolation") return versionOrders(history).next().done !== true;
  if (!isSnapshotLevel(level)) throw new Error(`cannot judge at ${level}`);
  const steps = stepsOf(history, level);
  return steps !== undefined && isPossible(steps);
}
