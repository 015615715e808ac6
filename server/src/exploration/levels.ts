// Whether a level allows a history, asked of the whole history.
import { isWeakLevel } from "./commitOrder";
import type { AxiomaticLevel } from "./exploration";
import type { History } from "./history";
import { versionOrders } from "./parallelSnapshot";
import { orderOf } from "./reorderings";
import { isPossible } from "./sequences";
import { stepsOf } from "./stepsOf";

/**
 * Whether the level allows the history, whose transactions come after those that they read from. In polynomial time up
 * to causal consistency; above it a search, exponential in the worst case.
 */
export function allows(history: History, level: AxiomaticLevel): boolean {
  if (isWeakLevel(level)) return orderOf(history.transactions, level) !== undefined;
  if (level === "parallel-snapshot-isolation") return versionOrders(history).next().done !== true;
  const steps = stepsOf(history, level);
  return steps !== undefined && isPossible(steps);
}
