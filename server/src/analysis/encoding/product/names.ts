// Names of Boolean constants that questions assume.

/** Values are small, so that people can read the witness. */
export const READABLE = "READABLE";

/** Leaves, of the rows that nobody names, the first of each table alone: less to read, and loops run one round. */
export const SPARSE = "SPARSE";

/** Nothing is missing or NULL but where some transaction asks whether it is. */
export const PRESENCE = "FILLED";

/** Searches go over rows in the order of their keys, and pause only where another transaction is in the way. */
export const IN_ORDER = "IN_ORDER";

/** Final states differ from those of every serial order. */
export const OTHER_STATE = "OTHER_STATE";

/** Final states, or values that callers get, differ from those of every serial order. */
export const OTHER_VALUE = "OTHER_VALUE";

/** Anything that is read differs from every serial order. */
export const OTHER_READ = "OTHER_READ";

/** The snapshot of a statement (of the transaction, where it has one) contains the earlier committer. */
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

/** The place of an instance at SERIALIZABLE in an order that its dependencies keep to. */
export function serialPlaceName(instance: number): string {
  return `O${String(instance)}`;
}
