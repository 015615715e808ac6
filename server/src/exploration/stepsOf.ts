// A history as steps over one copy of the database, for the levels that are defined so.
import type { History, Transaction } from "./history";
import { OWN } from "./history";
import { writesOf } from "./log";
import type { Step } from "./sequences";

/** Levels of one copy that the papers know. */
export type SnapshotLevel = "prefix" | "snapshot-isolation" | "serializable";

export function isSnapshotLevel(level: string): level is SnapshotLevel {
  return level === "prefix" || level === "snapshot-isolation" || level === "serializable";
}

/** The steps of a history's transactions; undefined where a transaction reads two versions of one key. */
export function stepsOf(history: History, level: SnapshotLevel): readonly Step[] | undefined {
  const steps: Step[] = [];
  for (const transaction of history.transactions) {
    const reads = readsOf(transaction);
    if (reads === undefined) return undefined;
    const commits = [...writesOf(transaction).keys()];
    steps.push(...stepsOfTransaction(transaction, reads, commits, level));
  }
  return steps;
}

/** One step, or two where others may commit between what it reads and its own commit. */
export function stepsOfTransaction(
  { session, id }: Pick<Transaction, "session" | "id">,
  reads: Step["reads"],
  commits: Step["commits"],
  level: SnapshotLevel,
): readonly [Step] | readonly [Step, Step] {
  const holds = level === "snapshot-isolation" ? commits : [];
  const step = { session, transaction: id, reads, commits, holds };
  if (level === "serializable" || commits.length === 0)
    return [{ ...step, first: true, last: true }];
  return [
    { ...step, commits: [], first: true, last: false },
    { ...step, reads: [], holds: [], first: false, last: true },
  ];
}

/** Each version that a transaction read from others, once. */
export function readsOf({ events }: Pick<Transaction, "events">): Step["reads"] | undefined {
  const reads = new Map<string, number>();
  for (const event of events) {
    if (event.kind !== "read" || event.from === OWN) continue;
    const other = reads.get(event.key);
    if (other !== undefined && other !== event.from) return undefined;
    reads.set(event.key, event.from);
  }
  return [...reads].map(([key, from]) => ({ key, from }));
}
