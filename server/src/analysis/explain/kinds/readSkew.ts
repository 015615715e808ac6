import { type AnomalyKind, dataOf, halves, other } from "./kind";

/** Exactly one anti-dependency between two transactions, on different rows (Adya G-single). */
export const readSkew: AnomalyKind = {
  name: "read-skew",
  title: "Read skew",
  of: "cycle",
  definition:
    "A transaction reads one thing from before another transaction and meets a second thing from after it: the two do not fit together.",
  reference: "A5A in Berenson et al., SIGMOD 1995; G-single in Adya 1999",
  matches: (shape) => halves(shape) !== undefined,
  sentence: (context) => {
    const found = halves(context.shape);
    if (!found) return "";
    const { old: read, met: back } = found;
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
