import { type AnomalyKind, dataOf, other } from "./kind";

/** Exactly one anti-dependency between two transactions, on different rows (Adya G-single). */
export const readSkew: AnomalyKind = {
  name: "read-skew",
  title: "Read skew",
  definition:
    "A transaction reads one thing from before another transaction and meets a second thing from after it: the two do not fit together.",
  reference: "A5A in Berenson et al., SIGMOD 1995; G-single in Adya 1999",
  matches: ({ edges }) => {
    const [read, back] = edges;
    return (
      edges.length === 2 &&
      read?.dependency.dependency === "rw" &&
      back !== undefined &&
      back.dependency.dependency !== "rw"
    );
  },
  sentence: (context) => {
    const [read, back] = context.shape.edges;
    if (!read || !back) return "";
    const reader = read.from.instance;
    return `Read skew: ${context.nameOf(reader)} uses ${dataOf(read)} from before ${other(context, read.to.instance, reader)} and ${dataOf(back)} from after it; ${context.level} allows it`;
  },
};
