import type { CycleShape } from "../shape";
import { type AnomalyKind, dataOf, other, sameRow } from "./kind";

/** A reads a row, B changes it, A overwrites it from what it read. */
export const lostUpdate: AnomalyKind = {
  name: "lost-update",
  title: "Lost update",
  of: "cycle",
  definition:
    "A transaction reads a row, another one changes that row, and the first then writes it from the old value: the change in between is lost.",
  reference: "P4 in Berenson et al., SIGMOD 1995",
  matches: (shape) => {
    const [read, back] = shape.edges;
    if (shape.edges.length !== 2 || !read || !back || !sameRow(read, back)) return false;
    if (read.dependency.dependency !== "rw" || read.dependency.predicate) return false;
    return overwrites(shape, read.from.instance, read.to.instance);
  },
  sentence: (context) => {
    const [read] = context.shape.edges;
    if (!read) return "";
    const reader = read.from.instance;
    const writer = other(context, read.to.instance, reader);
    const { table, key, columns } = read.dependency;
    const lost = columns.filter((each) =>
      context.shape.wroteColumn(reader, { table, key, columns: [each] }),
    );
    const isKept = context.shape.keptRowAt(reader, table, key) !== -1;
    return lost.length === 0 && !isKept && columns.some((each) => each !== "@")
      ? `${context.nameOf(reader)} decides on ${dataOf(read)} as it was before ${writer}, then changes the same row`
      : `${context.nameOf(reader)} overwrites ${dataOf(read, lost.length === 0 ? columns : lost)} with a value computed before ${writer} changed it`;
  },
};

/**
 * True if the first transaction writes the cycle's row after the second, and saw neither the second's version of it nor the second's value
 * of a column that it read before and writes. (If both computed the same value, only one of them writes a version.)
 */
function overwrites(shape: CycleShape, first: string, second: string): boolean {
  const [read, back] = shape.edges;
  if (!read || !back) return false;
  const { table, key } = read.dependency;
  const cells = [...read.dependency.columns, ...back.dependency.columns];
  const columns = cells.filter((each) => each !== "@");
  const met = (which: readonly string[]): boolean =>
    shape.met(first, { table, key, columns: which }, second);
  const earlier = shape.wroteRowAt(second, table, key);
  const last = Math.max(shape.wroteRowAt(first, table, key), shape.keptRowAt(first, table, key));
  return (
    earlier !== -1 &&
    last > earlier &&
    (!met(columns) ||
      read.dependency.columns.some(
        (each) => shape.wroteColumn(first, { table, key, columns: [each] }) && !met([each]),
      ))
  );
}
