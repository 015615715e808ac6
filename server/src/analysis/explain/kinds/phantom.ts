import { type AnomalyKind, dataOf, halves, other } from "./kind";

/** A predicate read misses rows of a transaction whose other effects are seen or overwritten. */
export const phantom: AnomalyKind = {
  name: "phantom",
  title: "Phantom",
  of: "cycle",
  definition:
    "A transaction looks for rows that satisfy a condition, another one adds, removes or changes such rows, and the first goes on with the old answer although it meets the other's effects later.",
  reference: "P3 and A3 in Berenson et al., SIGMOD 1995",
  matches: (shape) => {
    const found = halves(shape);
    if (found?.old.dependency.predicate !== true) return false;
    const { old, met } = found;
    return met.dependency.dependency === "ww" || met.dependency.to > old.dependency.from;
  },
  sentence: (context) => {
    const [read] = context.shape.edges;
    if (!read) return "";
    const reader = read.from.instance;
    return `${context.nameOf(reader)} looks at ${dataOf(read)} before ${other(context, read.to.instance, reader)} changes which rows match, and meets its effects afterwards`;
  },
};
