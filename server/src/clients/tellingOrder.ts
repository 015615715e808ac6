// The order in which a run's steps are explained: one that may have happened. A run is executed transaction by transaction; a statement
// that saw the state before a commit is placed before that commit.
import type { Key } from "../exploration/client";
import { INITIAL, type History, type TransactionId } from "../exploration/history";
import { rowKey } from "./rowKeys";
import type { ObservedStep } from "./sqlSession";

export interface ToldStep {
  readonly step: ObservedStep;
  /** The writers of its reads of other transactions, by key. */
  readonly reads: ReadonlyMap<Key, TransactionId>;
}

/**
 * The steps in an order in which each session's are in sequence, commits are as in the history, a write follows the commit of the row's
 * last writer, and a read is between the commit of its version and that of the next one. Steps move as little as possible. If there is no
 * such order, which some levels allow, the execution order is kept.
 */
export function tellingOrder(
  observed: readonly ToldStep[],
  history: History,
  nameOf: (id: TransactionId) => string,
): readonly ToldStep[] {
  const before = observed.map(() => new Set<number>());
  const precede = (first: number | undefined, second: number | undefined): void => {
    if (first !== undefined && second !== undefined && first !== second) before[second]?.add(first);
  };
  const stepsOf = new Map<string, number[]>();
  observed.forEach(({ step }, at) => {
    stepsOf.set(step.instance, [...(stepsOf.get(step.instance) ?? []), at]);
  });
  const endOf = (id: TransactionId): number | undefined => stepsOf.get(nameOf(id))?.at(-1);

  const sessions = new Map<number, number>();
  for (const { id, session } of history.transactions) {
    const own = stepsOf.get(nameOf(id)) ?? [];
    precede(sessions.get(session), own[0]);
    own.forEach((at, n) => {
      precede(own[n - 1], at);
    });
    const last = own.at(-1);
    if (last !== undefined) sessions.set(session, last);
  }

  const committed = history.transactions.filter(({ status }) => status === "committed");
  committed.forEach(({ id }, n) => {
    const earlier = committed[n - 1];
    if (earlier) precede(endOf(earlier.id), endOf(id));
  });
  const writers = new Map<Key, TransactionId[]>();
  for (const { id, events } of committed) {
    for (const event of events) {
      if (event.kind !== "write") continue;
      const known = writers.get(event.key) ?? [];
      if (known.at(-1) !== id) writers.set(event.key, [...known, id]);
    }
  }

  observed.forEach(({ step, reads }, at) => {
    for (const [key, from] of reads) {
      const own = writers.get(key) ?? [];
      if (from !== INITIAL) precede(endOf(from), at);
      const next = own.slice(own.indexOf(from) + 1).find((id) => nameOf(id) !== step.instance);
      if (next !== undefined) precede(at, endOf(next));
    }
    for (const { table, key } of step.writes) {
      const own = writers.get(rowKey(table, key)) ?? [];
      const place = own.findIndex((id) => nameOf(id) === step.instance);
      const last = own[place - 1];
      if (last !== undefined) precede(endOf(last), at);
    }
  });
  return inOrder(observed, before);
}

/** Repeatedly takes the first step whose predecessors are done. */
function inOrder(
  observed: readonly ToldStep[],
  before: readonly ReadonlySet<number>[],
): readonly ToldStep[] {
  const left = new Set(observed.keys());
  const order: ToldStep[] = [];
  while (left.size > 0) {
    const next = [...left].find((at) => [...(before[at] ?? [])].every((each) => !left.has(each)));
    const told = next === undefined ? undefined : observed[next];
    if (next === undefined || told === undefined) return observed;
    left.delete(next);
    order.push(told);
  }
  return order;
}
