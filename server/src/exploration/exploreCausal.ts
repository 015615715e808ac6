// Explores all histories at the levels up to causal consistency: explore-ce of Bouajjani, Enea and Roman-Calvo (PLDI 2023)
// with a repaired condition for moved reads (`reorderings.ts`). Sound, complete, no history twice, none given up half-way.
import type { WeakLevel } from "./commitOrder";
import type { Work } from "./exploration";
import type { Finished, Ground, Steps } from "./ground";
import type { History, TransactionId } from "./history";
import { reorderings } from "./reorderings";
import { beginningAt, runLog } from "./runLog";
import type { ReadPlace } from "./runLog";

/** Another writer for a read: of all choices of a run together, its history is kept once. */
export interface Branch extends ReadPlace {
  readonly kind: "branch";
  readonly from: TransactionId;
}

/** A branch as the beginning that it is, once its run is over. */
export function branchWork(branch: Branch): Work {
  return { kind: "history", history: beginningAt(branch, branch.from) };
}

/**
 * Runs the first history that begins with `beginning`, and hands on the beginnings of all others. Of these the last one
 * is to be explored first; then no more of them are kept at a time than decisions of one history allow.
 */
export function runCausal(
  ground: Ground,
  level: WeakLevel,
  beginning: History,
  more: (work: Work | Branch) => void,
): Steps<Finished> {
  return runLog(ground, level, beginning, {
    nextSession: ([first = 0]) => first,
    read: ([chosen = 0, ...others], at) => {
      for (const from of others.reverse()) more({ kind: "branch", ...at, from });
      return chosen satisfies TransactionId;
    },
    committed: (transactions, order) => {
      for (const history of reorderings(transactions, order, level))
        more({ kind: "history", history });
    },
  });
}
