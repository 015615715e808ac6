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

/** Whether a handler is for an error: it names the SQLSTATE or a class of them, or is for all. */
export function isCaught(code: string, catches: readonly string[] | undefined): boolean {
  return catches?.some((each) => code.startsWith(each)) ?? true;
}
