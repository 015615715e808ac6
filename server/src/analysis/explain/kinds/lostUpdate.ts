import type { CycleShape, ShapeEdge } from "../shape";
import { type AnomalyKind, dataOf, other, sameRow } from "./kind";

/** A reads a row, B changes it and commits, A overwrites it from what it read. */
export const lostUpdate: AnomalyKind = {
  name: "lost-update",
  title: "Lost update",
  definition:
    "A transaction reads a row, another one changes that row, and the first then writes it from the old value: the change in between is lost.",
  reference: "P4 in Berenson et al., SIGMOD 1995",
  matches: (shape) => {
    const [read, back] = shape.edges;
    if (!read || !back || !readsThenWrites(shape, read, back)) return false;
    return back.dependency.dependency !== "wr" && !sawBeforeWriting(back);
  },
  sentence: (context) => {
    const [read] = context.shape.edges;
    if (!read) return "";
    const reader = read.from.instance;
    const writer = other(context, read.to.instance, reader);
    return `Lost update: ${context.nameOf(reader)} overwrites ${dataOf(read)} with a value computed before ${writer} changed it; ${context.level} lets both commit`;
  },
};

/** A two-cycle on one row that its first instance first reads (missing the other's write) and also writes. */
function readsThenWrites(shape: CycleShape, read: ShapeEdge, back: ShapeEdge): boolean {
  const { dependency, table, key, predicate } = read.dependency;
  return (
    shape.edges.length === 2 &&
    dependency === "rw" &&
    !predicate &&
    shape.wroteRow(read.from.instance, table, key) &&
    sameRow(read, back)
  );
}

/** Whether the overwriting statement read the other's version of what it overwrites: then nothing is lost. */
function sawBeforeWriting(back: ShapeEdge): boolean {
  const { table, key, columns } = back.dependency;
  return back.to.reads.some(
    (cell) =>
      cell.table === table &&
      cell.key === key &&
      columns.includes(cell.column) &&
      cell.writer === back.from.instance,
  );
}
