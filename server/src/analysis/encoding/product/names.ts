// Names of the Boolean constants that queries assume.

/** Small values, so that people can read the witness. */
export const READABLE = "READABLE";

/** At most one unnamed row per table: less to read, and loops run one round. */
export const SPARSE = "SPARSE";

/** The usual case: nothing is absent or NULL unless some transaction tests for that, and settings are the same for all. */
export const PRESENCE = "FILLED";

/** Searches visit rows in key order, and pause only where another transaction blocks them. */
export const IN_ORDER = "IN_ORDER";

/** The final state differs from that of every serial order. */
export const OTHER_STATE = "OTHER_STATE";

/** The final rows of a table differ from those of so many serial runs. */
export function otherRowsName(table: number, runs: number): string {
  return `OTHER_ROWS_${String(table)}_${String(runs)}`;
}

/** The final state, or a value that callers receive, differs from every serial order. */
export const OTHER_VALUE = "OTHER_VALUE";

/** Some read differs from every serial order. */
export const OTHER_READ = "OTHER_READ";

/** The snapshot of a statement (or of its transaction) contains the earlier committer. */
export function snapshotName(earlier: number, instance: number, step: number | "all"): string {
  return `S${String(earlier)}_${String(instance)}_${String(step)}`;
}

/** The instance looks at a row after the earlier committer; looks are numbered. */
export function lookName(earlier: number, instance: number, number: number): string {
  return `K${String(earlier)}_${String(instance)}_${String(number)}`;
}

/** Some dependency over the table leads from one instance to another. */
export function dependencyName(from: number, to: number, table: number): string {
  return `E${String(from)}_${String(to)}_${String(table)}`;
}

/** The position of an instance at SERIALIZABLE in an order consistent with its dependencies. */
export function serialPlaceName(instance: number): string {
  return `O${String(instance)}`;
}
