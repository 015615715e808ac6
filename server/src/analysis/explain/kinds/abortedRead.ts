import { type AnomalyKind, dataOf, other } from "./kind";

/** A committed transaction read a version that its writer undid or rolled back (Adya G1a). */
export const abortedRead: AnomalyKind = {
  name: "aborted-read",
  title: "Dirty read (aborted read)",
  of: "dirty-read",
  definition:
    "A transaction reads what another one has written and not committed, and that write is then rolled back: it has seen something that never was.",
  reference: "P1 and A1 in Berenson et al., SIGMOD 1995; G1a in Adya 1999",
  matches: ({ dirtyRead }) => dirtyRead === "rolled-back",
  sentence: (context) => {
    const [read] = context.shape.edges;
    if (!read) return "";
    const reader = context.nameOf(read.to.instance);
    const writer = other(context, read.from.instance, read.to.instance);
    return `${reader} reads ${dataOf(read)} as ${writer} wrote it, and ${writer} then rolls that back`;
  },
};
