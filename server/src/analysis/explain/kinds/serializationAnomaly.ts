import { type AnomalyKind } from "./kind";

/** Any other cycle: no serial order explains it and the literature has no shorter name. */
export const serializationAnomaly: AnomalyKind = {
  name: "serialization-anomaly",
  title: "Serialization anomaly",
  of: "cycle",
  definition:
    "The transactions depend on each other in a circle, and what they return or leave behind is not what any order of them, one at a time, gives.",
  reference: "Adya 1999",
  matches: () => true,
  sentence: (context) => {
    const names = [...new Set(context.shape.instances.map(context.nameOf))];
    return `no order of ${names.join(", ")} one at a time gives this result`;
  },
};
