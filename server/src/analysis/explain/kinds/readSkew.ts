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
    const reader = context.nameOf(read.from.instance);
    const writer = other(context, read.to.instance, read.from.instance);
    const [before, after] = [dataOf(read), dataOf(back)];
    const data =
      before === after
        ? `${before} of one row from before ${writer} and of another row from after it`
        : `${before} from before ${writer} and ${after} from after it`;
    return `Read skew: ${reader} uses ${data}; ${context.level} allows it`;
  },
};
