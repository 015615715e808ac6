import { type AnomalyKind, dataOf, halves, other } from "./kind";

/** One statement sees another transaction, a later statement no longer does (Bailis et al., OTV). */
export const observedTransactionVanishes: AnomalyKind = {
  name: "observed-transaction-vanishes",
  title: "Observed transaction vanishes",
  of: "cycle",
  definition:
    "A transaction sees one change of another transaction, and in a later statement something else as it was before that other transaction: what it had observed is gone again.",
  reference: "OTV in Bailis et al., VLDB 2014; PL-2L in Adya 1999",
  matches: (shape) => {
    const found = halves(shape);
    if (found?.met.dependency.dependency !== "wr") return false;
    return found.met.dependency.to < found.old.dependency.from;
  },
  sentence: (context) => {
    const found = halves(context.shape);
    if (!found) return "";
    const reader = found.old.from.instance;
    const writer = other(context, found.old.to.instance, reader);
    return `${context.nameOf(reader)} sees ${dataOf(found.met)} as ${writer} left it, and later ${dataOf(found.old)} from before ${writer}`;
  },
};
