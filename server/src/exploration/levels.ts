// Decides whether a level allows a complete history.
import { isWeakLevel } from "./commitOrder";
import type { StoreLevel } from "./exploration";
import type { History } from "./history";
import { versionOrders } from "./parallelSnapshot";
import { orderOf } from "./reorderings";
import { isPossible } from "./sequences";
import { copyRules } from "./copyRules";
import { stepsOf } from "./stepsOf";

/**
 * True if the level allows the history, whose transactions follow those that they read from. Polynomial up to causal consistency; above it
 * a search, exponential in the worst case. Undefined at products' levels, where histories lack information: which reads lock, and when a
 * snapshot was taken.
 */
export function allows(history: History, level: StoreLevel): boolean | undefined {
  if (isWeakLevel(level)) return orderOf(history.transactions, level) !== undefined;
  if (level === "parallel-snapshot-isolation") return versionOrders(history).next().done !== true;
  const rules = copyRules(level);
  if (rules === undefined || rules.moment === "statement") return undefined;
  const steps = stepsOf(history, rules);
  return steps !== undefined && isPossible(steps);
}
