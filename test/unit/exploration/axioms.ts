// The levels by their definitions, for comparison: a history is allowed if some total order of commits satisfies the
// level's axiom (Biswas and Enea, OOPSLA 2019). Tries all orders, so a handful of transactions is the most it can do.
import type { Key } from "../../../server/src/exploration/client";
import type { AxiomaticLevel } from "../../../server/src/exploration/exploration";
import type { Event, History, Transaction } from "../../../server/src/exploration/history";

interface Judged {
  readonly transaction: Transaction;
  readonly writes: ReadonlySet<Key>;
}

type Read = Extract<Event, { kind: "read" }>;

/** The orders of commits that the level allows, as lists of transactions of the history; stops where `found` says so. */
export function ordersOf(
  history: History,
  level: AxiomaticLevel,
  found: (order: readonly Transaction[]) => boolean,
): void {
  const all: readonly Judged[] = history.transactions.map((transaction) => ({
    transaction,
    writes: new Set(
      transaction.status !== "committed"
        ? []
        : transaction.events.flatMap((event) => (event.kind === "write" ? [event.key] : [])),
    ),
  }));
  const order: Judged[] = [];
  const place = (): boolean => {
    if (order.length === all.length)
      return satisfies(order, level) && found(order.map((each) => each.transaction));
    for (const each of all) {
      if (order.includes(each)) continue;
      const needed = all.filter((other) => precedes(other, each) && !order.includes(other));
      if (needed.length > 0) continue;
      order.push(each);
      if (place()) return true;
      order.pop();
    }
    return false;
  };
  place();
}

/** True if the level allows the history. */
export function satisfiesLevel(history: History, level: AxiomaticLevel): boolean {
  let any = false;
  ordersOf(history, level, () => (any = true));
  return any;
}

/** Session order or read-from. */
function precedes(a: Judged, b: Judged): boolean {
  return (
    (a.transaction.session === b.transaction.session &&
      a.transaction.index < b.transaction.index) ||
    readsOf(b).some((read) => read.from === a.transaction.id)
  );
}

function readsOf({ transaction }: Judged): readonly Read[] {
  return transaction.events.filter(
    (event): event is Read => event.kind === "read" && event.from >= 0,
  );
}

/**
 * The reads of a statement are as one at read committed, where a transaction may see more with each statement.
 *
 * Each other writer of what is read, if the reader may not overlook it, comes before the writer that is read from.
 */
function satisfies(order: readonly Judged[], level: AxiomaticLevel): boolean {
  const size = order.length;
  const edge = order.map((b, j) => order.map((a, i) => i < j && precedes(a, b)));
  const past = closed(edge);
  const sharing = order.map((b, j) =>
    order.map((a, i) => i < j && [...a.writes].some((key) => b.writes.has(key))),
  );
  const causal = closed(edge.map((row, j) => row.map((is, i) => is || sharing[j]?.[i] === true)));
  const overlooks = (t2: number, t3: number, until: readonly Read[]): boolean => {
    switch (level) {
      case "any":
        return true;
      case "read-committed":
        return !until.some((read) => read.from === order[t2]?.transaction.id);
      case "read-atomic":
        return edge[t3]?.[t2] !== true;
      case "causal":
        return past[t3]?.[t2] !== true;
      case "parallel-snapshot-isolation":
        return causal[t3]?.[t2] !== true;
      case "serializable":
        return t2 >= t3;
      case "prefix":
      case "snapshot-isolation":
        for (let t4 = 0; t4 < size; t4++) {
          if (t2 > t4) continue;
          if (edge[t3]?.[t4] === true) return false;
          if (level === "snapshot-isolation" && sharing[t3]?.[t4] === true) return false;
        }
        return true;
    }
  };
  return order.every((reader, t3) => {
    const reads = readsOf(reader);
    return reads.every((read, at) => {
      const t1 = order.findIndex((each) => each.transaction.id === read.from);
      return order.every(
        (other, t2) =>
          t2 === t1 ||
          t2 === t3 ||
          !other.writes.has(read.key) ||
          t2 < t1 ||
          overlooks(
            t2,
            t3,
            reads.filter((each, place) => place < at || each.statement === read.statement),
          ),
      );
    });
  });
}

/** Row j says who precedes j; closes it transitively. Those who precede come earlier. */
function closed(rows: readonly (readonly boolean[])[]): readonly (readonly boolean[])[] {
  const result: boolean[][] = [];
  rows.forEach((row, j) => {
    result.push(
      row.map((is, i) => is || row.some((via, k) => via && k < j && result[k]?.[i] === true)),
    );
  });
  return result;
}
