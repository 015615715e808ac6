import { type AnomalyKind, dataOf, other, sameRow } from "./kind";

/** One transaction accesses the same row before and after another's change (by a read or an in-place update). */
export const nonRepeatableRead: AnomalyKind = {
  name: "non-repeatable-read",
  title: "Non-repeatable read",
  of: "cycle",
  definition:
    "A transaction reads a row, and when it reads or updates that row again it finds another transaction's change there: what it decided in between rests on the old value.",
  reference: "P2 in Berenson et al., SIGMOD 1995",
  matches: ({ edges, met }) => {
    const [read, back] = edges;
    if (edges.length !== 2 || !read || !back || !sameRow(read, back)) return false;
    const { dependency, predicate, table, key } = read.dependency;
    if (dependency !== "rw" || predicate || back.dependency.predicate) return false;
    const columns = [...read.dependency.columns, ...back.dependency.columns];
    return met(read.from.instance, { table, key, columns }, read.to.instance);
  },
  sentence: (context) => {
    const [read, back] = context.shape.edges;
    if (!read || !back) return "";
    const reader = context.nameOf(read.from.instance);
    const writer = other(context, read.to.instance, read.from.instance);
    const { table, key } = read.dependency;
    return context.shape.wroteRowAt(read.from.instance, table, key) === -1
      ? `${reader} reads ${dataOf(read)} twice, and ${writer} changes it in between`
      : `${reader} decides on ${dataOf(read)} as it was before ${writer}, then updates what ${writer} left`;
  },
};
