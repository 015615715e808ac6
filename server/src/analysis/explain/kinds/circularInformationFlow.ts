import { type AnomalyKind, both } from "./kind";

/** Only write-read and write-write dependencies: each depends on the other's effects (Adya G1c). */
export const circularInformationFlow: AnomalyKind = {
  name: "circular-information-flow",
  title: "Circular information flow",
  of: "cycle",
  definition:
    "Each transaction sees or overwrites effects of the other, so neither can come first.",
  reference: "G1c in Adya 1999",
  matches: ({ edges }) => edges.every((edge) => edge.dependency.dependency !== "rw"),
  sentence: (context) => {
    const [first] = context.shape.edges;
    if (!first) return "";
    return `${both(context, first.from.instance, first.to.instance)} each meet effects of the other`;
  },
};
