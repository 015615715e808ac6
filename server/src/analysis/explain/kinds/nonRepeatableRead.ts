import { type AnomalyKind, dataOf, other, pattern, sameRow } from "./kind";

/** One transaction reads the same row before and after another's change. */
export const nonRepeatableRead: AnomalyKind = {
  name: "non-repeatable-read",
  title: "Non-repeatable read",
  definition:
    "A transaction reads a row twice and gets two answers, because another transaction changed it in between.",
  reference: "P2 in Berenson et al., SIGMOD 1995",
  matches: (shape) => {
    const [read, again] = shape.edges;
    return (
      shape.edges.length === 2 &&
      pattern(shape) === "rw wr" &&
      read !== undefined &&
      again !== undefined &&
      !read.dependency.predicate &&
      !again.dependency.predicate &&
      sameRow(read, again)
    );
  },
  sentence: (context) => {
    const [read] = context.shape.edges;
    if (!read) return "";
    const reader = read.from.instance;
    return `Non-repeatable read: ${context.nameOf(reader)} reads ${dataOf(read)} twice and sees ${other(context, read.to.instance, reader)} only the second time; ${context.level} allows it`;
  },
};
