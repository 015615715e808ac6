// PostgreSQL's row locks and their conflicts, by its documentation of explicit locking, and their equivalents in products without the
// weaker ones.

/** Weakest to strongest: each conflicts with everything that the previous one does, and more. */
export const ROW_LOCKS = ["key-share", "share", "no-key-update", "update"] as const;

export type RowLock = (typeof ROW_LOCKS)[number];

const EXCLUDED: Readonly<Record<RowLock, readonly RowLock[]>> = {
  "key-share": ["update"],
  share: ["no-key-update", "update"],
  "no-key-update": ["share", "no-key-update", "update"],
  update: ["key-share", "share", "no-key-update", "update"],
};

/** True if two transactions cannot hold these locks on one row at the same time. Symmetric. */
export function rowLocksExclude(held: RowLock, wanted: RowLock): boolean {
  return EXCLUDED[held].includes(wanted);
}

/** The equivalent lock for products that act on current rows (InnoDB): shared or exclusive. */
export function plainRowLock(lock: RowLock): "share" | "update" {
  return lock === "share" || lock === "key-share" ? "share" : "update";
}

/** The stronger of two locks. */
export function strongerLock(left: RowLock, right: RowLock): RowLock {
  return ROW_LOCKS.indexOf(left) >= ROW_LOCKS.indexOf(right) ? left : right;
}
