// Explores all histories at levels up to causal consistency: explore-ce of Bouajjani, Enea and Roman-Calvo (PLDI 2023) with a repaired
// condition for moved reads (`reorderings.ts`). Sound, complete, no duplicates, no abandoned runs.
import type { WeakLevel } from "./commitOrder";
import type { Work } from "./exploration";
import type { FinalRun, Ground, Steps } from "./ground";
import type { History, Transaction, TransactionId } from "./history";
import { writesOf } from "./log";
import { orderOf, reorderings } from "./reorderings";
import { beginningAt, runLog } from "./runLog";
import type { ReadPlace } from "./runLog";

/** An alternative writer for a read; all alternatives of a run share its history. */
export interface Branch extends ReadPlace {
  readonly kind: "branch";
  readonly from: TransactionId;
}

/** The reads that may move behind a transaction of a run, computed when it is their turn. */
export interface LaterMoves {
  readonly kind: "later moves";
  readonly transactions: readonly Transaction[];
  /** The number of transactions run when that one committed. */
  readonly count: number;
}

/** The remaining work of a finished run, as plain data. */
export function workOf(left: Work | Branch | LaterMoves): Work {
  switch (left.kind) {
    case "branch":
      return { kind: "history", history: beginningAt(left, left.from) };
    case "later moves":
      return { kind: "moves", history: { transactions: left.transactions.slice(0, left.count) } };
    default:
      return left;
  }
}

/** The prefixes that moves lead to; the last one is explored first. */
export function movesOf({ transactions }: History, level: WeakLevel): readonly Work[] {
  const order = orderOf(transactions, level);
  if (order === undefined) return [];
  return reorderings(transactions, order, level).map((history) => ({ kind: "history", history }));
}

/**
 * Runs the first history that extends `beginning`, and returns the prefixes of all others. The last of these is explored first; the number
 * of pending prefixes is then bounded by the decisions of one history.
 */
export function runCausal(
  ground: Ground,
  level: WeakLevel,
  beginning: History,
  more: (left: Branch | LaterMoves) => void,
): Steps<FinalRun> {
  return runLog(ground, level, beginning, {
    nextSession: ([first = 0]) => first,
    read: ([chosen = 0, ...others], at) => {
      for (const from of others.reverse()) more({ kind: "branch", ...at, from });
      return chosen satisfies TransactionId;
    },
    committed: (transactions) => {
      const last = transactions.at(-1);
      if (last !== undefined && writesOf(last).size > 0)
        more({ kind: "later moves", transactions, count: transactions.length });
    },
  });
}
