// Parallel snapshot isolation (Cerone and Gotsman, PODC 2016): everyone sees causally closed snapshots, and of two that write the same key
// one sees the other. Decided after the run, by a search for version orders.
import type { History } from "./history";
import { INITIAL } from "./history";
import { writersByKey } from "./log";
import type { Precedence } from "./precedence";
import { isExternal, orderOf } from "./reorderings";

/**
 * All visibility relations that the level allows for the history and in which all writers of a key are ordered, over positions from 1.
 * Exponential in the unordered pairs of writers.
 */
export function* versionOrders(history: History): Generator<Precedence> {
  const { transactions } = history;
  const causal = orderOf(transactions, "causal");
  if (causal === undefined) return;
  const count = transactions.length + 1;
  const writers = writersByKey(transactions);
  const position = new Map(transactions.map(({ id }, index) => [id, index + 1]));
  const reads = transactions.flatMap(({ events }, index) =>
    events.filter(isExternal).map(({ key, from }) => ({
      reader: index + 1,
      from: from === INITIAL ? 0 : (position.get(from) ?? 0),
      others: (writers.get(key) ?? []).filter((each) => each !== position.get(from)),
    })),
  );
  const pairs = [...writers.values()].flatMap((all) =>
    all.flatMap((a, index) => all.slice(index + 1).map((b) => [a, b] as const)),
  );

  /** A transaction that sees a writer of a key that it reads reads from a later one; applied to a fixpoint. */
  const settle = (visible: Precedence): boolean => {
    for (let changed = true; changed;) {
      changed = false;
      for (const { reader, from, others } of reads)
        for (const other of others) {
          if (!visible.has(other, reader) || other === reader) continue;
          if (from === 0) return false;
          if (visible.has(other, from)) continue;
          if (!visible.insert(other, from, count)) return false;
          changed = true;
        }
    }
    return true;
  };
  function* decide(visible: Precedence): Generator<Precedence> {
    if (!settle(visible)) return;
    const open = pairs.find(([a, b]) => !visible.has(a, b) && !visible.has(b, a));
    if (open === undefined) {
      yield visible;
      return;
    }
    const [a, b] = open;
    for (const [first, second] of [[a, b] as const, [b, a] as const]) {
      const tried = visible.copy();
      if (tried.insert(first, second, count)) yield* decide(tried);
    }
  }
  yield* decide(causal.past.copy());
}
