import { type AnomalyKind, both, dataOf, pattern } from "./kind";

/** Write skew in which at least one transaction reads a predicate whose rows the other inserts or removes. */
export const predicateWriteSkew: AnomalyKind = {
  name: "predicate-write-skew",
  title: "Write skew on a predicate",
  of: "cycle",
  definition:
    "Two transactions each look for rows (or count them) and then add, remove or change rows that the other looked for: what both checked no longer holds.",
  reference: "G2 in Adya 1999; A5B with a predicate in Berenson et al., SIGMOD 1995",
  matches: (shape) =>
    shape.edges.length === 2 &&
    pattern(shape) === "rw rw" &&
    shape.edges.some((edge) => edge.dependency.predicate),
  sentence: (context) => {
    const [first, second] = context.shape.edges;
    if (!first || !second) return "";
    const looked = first.dependency.predicate ? first : second;
    return `${both(context, first.from.instance, first.to.instance)} both look at ${dataOf(looked)} before the other has changed them`;
  },
};
