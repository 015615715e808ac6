// Errors by SQLSTATE: those that statements and programs raise and handlers catch.

/** SQLSTATEs of errors that are followed into handlers. */
export const ERRORS = {
  duplicate: "23505",
  missingParent: "23503",
  check: "23514",
  notNull: "23502",
  noData: "P0002",
  tooManyRows: "P0003",
  raised: "P0001",
  divisionByZero: "22012",
  /** A CASE statement without a matching branch and without ELSE. */
  noBranch: "20000",
} as const;

/** A product's SQLSTATEs for refused locks, as handlers see them. */
export interface LockErrors {
  readonly deadlock: string;
  readonly lockTimeout?: string;
  /** The row has changed since the snapshot. */
  readonly changedRow: string;
}

/**
 * The SQLSTATEs for refused locks. InnoDB's belong to its errors 1213, 1205 and 1020: the first aborts the transaction, the others undo the
 * statement only and leave the transaction open.
 */
export function lockErrorsOf(product: string): LockErrors {
  return product === "mysql" || product === "mariadb"
    ? { deadlock: "40001", lockTimeout: "HY000", changedRow: "HY000" }
    : { deadlock: "40P01", changedRow: "40001" };
}

/** True if a handler catches an error: it names the SQLSTATE or its class, or catches everything. */
export function isCaught(code: string, catches: readonly string[] | undefined): boolean {
  return catches?.some((each) => code.startsWith(each)) ?? true;
}
