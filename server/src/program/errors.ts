// Errors by their SQLSTATE: which ones a statement or a program can raise and handlers are for.

/** SQLSTATEs of the errors that are followed into handlers. */
export const ERRORS = {
  duplicate: "23505",
  missingParent: "23503",
  check: "23514",
  notNull: "23502",
  noData: "P0002",
  tooManyRows: "P0003",
  raised: "P0001",
  divisionByZero: "22012",
  /** No branch of a CASE without ELSE. */
  noBranch: "20000",
} as const;

/** SQLSTATEs by which a product refuses a lock, as handlers see them. */
export interface LockErrors {
  readonly deadlock: string;
  readonly lockTimeout?: string;
  /** The row has changed since the snapshot. */
  readonly changedRow: string;
}

/**
 * The SQLSTATEs of refused locks. InnoDB's are those of the errors 1213, 1205 and 1020: the first ends the transaction,
 * the others undo the statement alone and leave the transaction open.
 */
export function lockErrorsOf(product: string): LockErrors {
  return product === "mysql" || product === "mariadb"
    ? { deadlock: "40001", lockTimeout: "HY000", changedRow: "HY000" }
    : { deadlock: "40P01", changedRow: "40001" };
}

/** True if a handler is for an error: it names the SQLSTATE or a class of them, or is for all. */
export function isCaught(code: string, catches: readonly string[] | undefined): boolean {
  return catches?.some((each) => code.startsWith(each)) ?? true;
}
