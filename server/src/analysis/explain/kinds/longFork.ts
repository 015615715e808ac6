import { type AnomalyKind, pattern } from "./kind";

/** Two readers see two writers in opposite orders. */
export const longFork: AnomalyKind = {
  name: "long-fork",
  title: "Long fork",
  of: "cycle",
  definition:
    "Two transactions write different rows; one reader sees only the first of them, another reader only the second.",
  reference: "Sovran et al., SOSP 2011",
  matches: (shape) =>
    shape.edges.length === 4 &&
    pattern(shape) === "rw wr rw wr" &&
    shape.instances.filter((instance) => !shape.writes(instance)).length >= 2,
  sentence: (context) => {
    const [a, b, c, d] = context.shape.instances;
    if (!a || !b || !c || !d) return "";
    return `${context.nameOf(a)} sees ${context.nameOf(d)} but not ${context.nameOf(b)}, and ${context.nameOf(c)} sees ${context.nameOf(b)} but not ${context.nameOf(d)}`;
  },
};
