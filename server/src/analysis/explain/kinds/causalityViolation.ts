import { type AnomalyKind } from "./kind";

/** A reader sees an effect but not its cause: a cycle of wr edges over three or more transactions, closed by one anti-dependency. */
export const causalityViolation: AnomalyKind = {
  name: "causality-violation",
  title: "Causality violation",
  of: "cycle",
  definition: "A transaction sees an effect without the earlier change that the effect builds on.",
  reference: "Lloyd et al., SOSP 2011",
  matches: ({ edges }) =>
    edges.length >= 3 &&
    edges[0]?.dependency.dependency === "rw" &&
    edges.slice(1).every((edge) => edge.dependency.dependency === "wr"),
  sentence: (context) => {
    const [reader, cause] = context.shape.instances;
    const effect = context.shape.instances.at(-1);
    if (!reader || !cause || !effect) return "";
    return `${context.nameOf(reader)} sees ${context.nameOf(effect)} but not ${context.nameOf(cause)}, which came before it`;
  },
};
