import { type AnomalyKind, both, dataOf } from "./kind";

/** Writes of two transactions interleave: each overwrites the other somewhere (Adya G0). */
export const dirtyWrite: AnomalyKind = {
  name: "dirty-write",
  title: "Dirty write",
  of: "cycle",
  definition:
    "Two transactions overwrite each other in opposite orders on different data, so that the end is a mixture of both.",
  reference: "P0 in Berenson et al., SIGMOD 1995; G0 in Adya 1999",
  matches: ({ edges }) => edges.every((edge) => edge.dependency.dependency === "ww"),
  sentence: (context) => {
    const [first, second] = context.shape.edges;
    if (!first || !second) return "";
    const data = new Set([dataOf(first), dataOf(second)]);
    return `${both(context, first.from.instance, first.to.instance)} overwrite each other on ${[...data].join(" and ")} in opposite orders`;
  },
};
