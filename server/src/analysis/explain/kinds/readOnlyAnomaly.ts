import { type AnomalyKind, dataOf } from "./kind";

/** Three transactions; one is read-only and sees a state that no serial order passes through. */
export const readOnlyAnomaly: AnomalyKind = {
  name: "read-only-anomaly",
  title: "Read-only transaction anomaly",
  of: "cycle",
  definition:
    "Two transactions would be fine alone, but a third one that only reads sees the effect of the later without the effect of the earlier: together no order explains all three.",
  reference: "Fekete, O'Neil and O'Neil, SIGMOD Record 2004",
  matches: ({ edges, instances, writes }) => {
    const [read, overtaken] = edges;
    const reader = instances[0];
    return (
      edges.length === 3 &&
      reader !== undefined &&
      !writes(reader) &&
      read?.dependency.dependency === "rw" &&
      overtaken?.dependency.dependency === "rw"
    );
  },
  sentence: (context) => {
    const [read, overtaken] = context.shape.edges;
    if (!read || !overtaken) return "";
    const [reader, pivot, first] = [read.from.instance, read.to.instance, overtaken.to.instance];
    return `${context.nameOf(reader)} sees ${context.nameOf(first)} but not ${context.nameOf(pivot)}, which decided on ${dataOf(overtaken)} before ${context.nameOf(first)}`;
  },
};
