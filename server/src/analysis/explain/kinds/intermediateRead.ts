import { type AnomalyKind, dataOf, other } from "./kind";

/** A committed transaction read a version that its writer itself replaced later (Adya G1b). */
export const intermediateRead: AnomalyKind = {
  name: "intermediate-read",
  title: "Intermediate read",
  of: "dirty-read",
  definition:
    "A transaction reads a value that another one wrote on its way and replaced itself before it committed: no order of whole transactions shows that value.",
  reference: "G1b in Adya 1999",
  matches: ({ dirtyRead }) => dirtyRead === "replaced",
  sentence: (context) => {
    const [read] = context.shape.edges;
    if (!read) return "";
    const reader = context.nameOf(read.to.instance);
    const writer = other(context, read.from.instance, read.to.instance);
    return `${reader} reads ${dataOf(read)} between two writes of ${writer}, which then replaces what ${reader} has seen`;
  },
};
