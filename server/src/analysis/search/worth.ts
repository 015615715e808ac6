// The order of solver queries: suspicion against cost.
import type { FlatProgram } from "../operations/operation";
import { suspicionOf } from "./suspicion";

/** The worth of searching a tuple, judged from the text alone. */
export interface Worth {
  /** Suspicion minus the cost of the query. */
  readonly value: number;
  /** 1 if a part was not understood, so that little can be confirmed; else 0. */
  readonly losses: number;
  /** 0 for tuples with few operations, plus one for each doubling. */
  readonly size: number;
}

/** Up to this many operations a query takes some milliseconds. */
const SHORT = 24;

/** The cost of doubling the operations, in steps of suspicion. */
const COST = 2;

/** The worth of tuples of one program. O(terms of the program) once, then as `suspicionOf`. */
export function worthOf(flat: FlatProgram): (transactions: readonly number[]) => Worth {
  const suspicion = suspicionOf(flat);
  return (transactions) => {
    const members = transactions.flatMap((each) => flat.transactions[each] ?? []);
    const operations = members.reduce((sum, each) => sum + each.operations.length, 0);
    const size = Math.max(0, Math.ceil(Math.log2(operations / SHORT)));
    const losses = members.some((each) => each.losses.length > 0) ? 1 : 0;
    return { value: suspicion(transactions) - COST * size, losses, size };
  };
}

/** Negative if `a` should be searched first: by worth, then fully understood, then short. */
export function compareWorth(a: Worth, b: Worth): number {
  return b.value - a.value || a.losses - b.losses || a.size - b.size;
}
