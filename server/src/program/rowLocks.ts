// The row locks of PostgreSQL and which of them exclude each other, as in its documentation of explicit locking, and what
// products without the weaker ones make of them.

/** From the weakest to the strongest: each excludes what the one before it does, and more. */
export const ROW_LOCKS = ["key-share", "share", "no-key-update", "update"] as const;

export type RowLock = (typeof ROW_LOCKS)[number];

const EXCLUDED: Readonly<Record<RowLock, readonly RowLock[]>> = {
  "key-share": ["update"],
  share: ["no-key-update", "update"],
  "no-key-update": ["share", "no-key-update", "update"],
  update: ["key-share", "share", "no-key-update", "update"],
};

/** True if two transactions cannot hold these locks on one row at a time. Symmetric. */
export function rowLocksExclude(held: RowLock, wanted: RowLock): boolean {
  return EXCLUDED[held].includes(wanted);
}

/** The lock that is taken where rows are acted on as they are newest (InnoDB): there are shared and exclusive ones. */
export function plainRowLock(lock: RowLock): "share" | "update" {
  return lock === "share" || lock === "key-share" ? "share" : "update";
}

/** The one of two locks that excludes more. */
export function strongerLock(left: RowLock, right: RowLock): RowLock {
  return ROW_LOCKS.indexOf(left) >= ROW_LOCKS.indexOf(right) ? left : right;
}
