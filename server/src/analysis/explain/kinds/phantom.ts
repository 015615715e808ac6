import { type AnomalyKind, dataOf, other } from "./kind";

/** A predicate read misses rows of a transaction whose other effects are seen or overwritten. */
export const phantom: AnomalyKind = {
  name: "phantom",
  title: "Phantom",
  definition:
    "A transaction looks for rows that satisfy a condition, another one adds, removes or changes such rows, and the first goes on with the old answer although it meets the other's effects later.",
  reference: "P3 in Berenson et al., SIGMOD 1995; PMP in Adya 1999",
  matches: ({ edges }) => {
    const [read, back] = edges;
    return (
      edges.length === 2 &&
      read?.dependency.dependency === "rw" &&
      read.dependency.predicate &&
      back?.dependency.dependency !== "rw"
    );
  },
  sentence: (context) => {
    const [read] = context.shape.edges;
    if (!read) return "";
    const reader = read.from.instance;
    return `Phantom: ${context.nameOf(reader)} looks at ${dataOf(read)} before ${other(context, read.to.instance, reader)} changes which rows match, and meets its effects afterwards; ${context.level} allows it`;
  },
};
