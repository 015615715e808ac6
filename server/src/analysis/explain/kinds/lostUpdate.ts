import { type AnomalyKind, dataOf, other, sameRow } from "./kind";

/** A reads a row, B changes it and commits, A overwrites it from what it read. */
export const lostUpdate: AnomalyKind = {
  name: "lost-update",
  title: "Lost update",
  definition:
    "A transaction reads a row, another one changes that row, and the first then writes it from the old value: the change in between is lost.",
  reference: "P4 in Berenson et al., SIGMOD 1995",
  matches: ({ edges, wroteRow }) => {
    const [read, back] = edges;
    if (edges.length !== 2 || read?.dependency.dependency !== "rw" || !back) return false;
    const { table, key, predicate } = read.dependency;
    if (predicate || !wroteRow(read.from.instance, table, key)) return false;
    return sameRow(read, back) && back.dependency.dependency !== "wr";
  },
  sentence: (context) => {
    const [read] = context.shape.edges;
    if (!read) return "";
    const reader = read.from.instance;
    const writer = other(context, read.to.instance, reader);
    return `Lost update: ${context.nameOf(reader)} overwrites ${dataOf(read)} with a value computed before ${writer} changed it; ${context.level} lets both commit`;
  },
};
