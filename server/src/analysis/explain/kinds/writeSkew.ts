import { type AnomalyKind, both, dataOf, pattern } from "./kind";

/** Each reads what the other changes; neither sees the other's write (Adya G2-item with two transactions). */
export const writeSkew: AnomalyKind = {
  name: "write-skew",
  title: "Write skew",
  of: "cycle",
  definition:
    "Two transactions each read data that the other changes, and both commit: a rule that each of them checked can be broken by both together.",
  reference: "A5B in Berenson et al., SIGMOD 1995; G2-item in Adya 1999",
  matches: (shape) =>
    shape.edges.length === 2 &&
    pattern(shape) === "rw rw" &&
    shape.edges.every((edge) => !edge.dependency.predicate),
  sentence: (context) => {
    const [first, second] = context.shape.edges;
    if (!first || !second) return "";
    const data = new Set([dataOf(first), dataOf(second)]);
    return `${both(context, first.from.instance, first.to.instance)} each decide on ${[...data].join(" and ")} while the other changes ${[...data].some((each) => each.startsWith("rows")) || data.size > 1 ? "them" : "it"}`;
  },
};
