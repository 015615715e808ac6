import { type AnomalyKind, type KindContext, dataOf, halves, other } from "./kind";

/** Exactly one anti-dependency (Adya G-single) and none of the more specific patterns. */
export const readSkew: AnomalyKind = {
  name: "read-skew",
  title: "Read skew",
  of: "cycle",
  definition:
    "A transaction reads one thing from before another transaction and meets a second thing from after it: the two do not fit together.",
  reference: "A5A in Berenson et al., SIGMOD 1995; G-single in Adya 1999",
  matches: ({ edges }) =>
    edges.length >= 2 &&
    edges.every((edge, at) => (edge.dependency.dependency === "rw") === (at === 0)),
  sentence: (context) => {
    const found = halves(context.shape);
    if (!found) return overSeveral(context);
    const { old: read, met: back } = found;
    const reader = context.nameOf(read.from.instance);
    const writer = other(context, read.to.instance, read.from.instance);
    const [before, after] = [dataOf(read), dataOf(back)];
    const data =
      before === after
        ? `${before} of one row from before ${writer} and of another row from after it`
        : `${before} from before ${writer} and ${after} from after it`;
    return `${reader} uses ${data}`;
  },
};

/** The sentence for several rows: those that the reader missed, and those that it saw from a later transaction. */
function overSeveral(context: KindContext): string {
  const { edges } = context.shape;
  const [read, met] = [edges[0], edges.at(-1)];
  if (!read || !met) return "";
  const [reader, missed, last] = [read.from, read.to, met.from].map((step) =>
    context.nameOf(step.instance),
  );
  return `${reader ?? ""} uses ${dataOf(read)} from before ${missed ?? ""} and ${dataOf(met)} from after ${last ?? ""}, which came after ${missed ?? ""}`;
}
