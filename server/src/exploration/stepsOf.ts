// Transactions as steps over one copy of the database.
import type { CopyRules } from "./copyRules";
import type { History, Transaction } from "./history";
import { OWN } from "./history";
import { writesOf } from "./log";
import type { Step } from "./sequences";

/**
 * The steps of a history's transactions; undefined if a transaction reads two versions of one key, or if the level's steps are statements,
 * for which a history has too little information.
 */
export function stepsOf(history: History, rules: CopyRules): readonly Step[] | undefined {
  if (rules.moment === "statement") return undefined;
  const steps: Step[] = [];
  for (const transaction of history.transactions) {
    const reads = readsOf(transaction);
    if (reads === undefined) return undefined;
    const commits = [...writesOf(transaction).keys()];
    const holds = rules.exclusive ? commits : [];
    const { session, id } = transaction;
    const step = { session, transaction: id, reads, commits, holds };
    if (rules.moment === "transaction" || commits.length === 0)
      steps.push({ ...step, first: true, last: true });
    else
      steps.push(
        { ...step, commits: [], first: true, last: false },
        { ...step, reads: [], holds: [], first: false, last: true },
      );
  }
  return steps;
}

/** Each version that a transaction read from others, once; undefined if it read two of one key. */
function readsOf({ events }: Transaction): Step["reads"] | undefined {
  const reads = new Map<string, number>();
  for (const event of events) {
    if (event.kind !== "read" || event.from === OWN) continue;
    const other = reads.get(event.key);
    if (other !== undefined && other !== event.from) return undefined;
    reads.set(event.key, event.from);
  }
  return [...reads].map(([key, from]) => ({ key, from }));
}
