// Explores all histories at the levels up to causal consistency: explore-ce of Bouajjani, Enea and Roman-Calvo (PLDI 2023)
// with a repaired condition for moved reads (`reorderings.ts`). Sound, complete, no history twice, none given up half-way.
import type { WeakLevel } from "./commitOrder";
import type { Work } from "./exploration";
import type { FinalRun, Ground, Steps } from "./ground";
import type { History, Transaction, TransactionId } from "./history";
import { writesOf } from "./log";
import { orderOf, reorderings } from "./reorderings";
import { beginningAt, runLog } from "./runLog";
import type { ReadPlace } from "./runLog";

/** Another writer for a read: of all choices of a run together, its history is kept once. */
export interface Branch extends ReadPlace {
  readonly kind: "branch";
  readonly from: TransactionId;
}

/** The reads that may move behind a transaction of a run, which are looked for when it is their turn. */
export interface LaterMoves {
  readonly kind: "later moves";
  readonly transactions: readonly Transaction[];
  /** How many transactions had been run when that one had committed. */
  readonly count: number;
}

/** Rest of a run, once it is over, as plain data. */
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

/** The beginnings that moves lead to; the last one is to be explored first. */
export function movesOf({ transactions }: History, level: WeakLevel): readonly Work[] {
  const order = orderOf(transactions, level);
  if (order === undefined) return [];
  return reorderings(transactions, order, level).map((history) => ({ kind: "history", history }));
}

/**
 * Runs the first history that begins with `beginning`, and hands on the beginnings of all others. Of these the last one
 * is to be explored first; then no more of them are kept at a time than decisions of one history allow.
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
