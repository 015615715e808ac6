import { type AnomalyKind, dataOf, other, sameRow } from "./kind";

/** One transaction meets the same row before and after another's change (by a read, or by an update in place). */
export const nonRepeatableRead: AnomalyKind = {
  name: "non-repeatable-read",
  title: "Non-repeatable read",
  definition:
    "A transaction reads a row, and when it reads or updates that row again it finds another transaction's change there: what it decided in between rests on the old value.",
  reference: "P2 in Berenson et al., SIGMOD 1995",
  matches: ({ edges }) => {
    const [read, again] = edges;
    return (
      edges.length === 2 &&
      read?.dependency.dependency === "rw" &&
      again !== undefined &&
      again.dependency.dependency !== "rw" &&
      !read.dependency.predicate &&
      sameRow(read, again)
    );
  },
  sentence: (context) => {
    const [read, again] = context.shape.edges;
    if (!read || !again) return "";
    const reader = read.from.instance;
    const writer = other(context, read.to.instance, reader);
    const then = again.to.writes.length > 0 ? "updates" : "reads";
    return `Non-repeatable read: ${context.nameOf(reader)} reads ${dataOf(read)}, then ${writer} changes it before ${context.nameOf(reader)} ${then} it again; ${context.level} lets both commit`;
  },
};
