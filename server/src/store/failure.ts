// The two ways in which a statement ends without a result.

/** The database refuses the statement: a constraint, a serialization failure, a division by zero. `code` is the SQLSTATE. */
export class SqlFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = "SqlFailure";
  }
}

/** The store does not know what the statement does, so that no run of it would be evidence. */
export class NotExecutable extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NotExecutable";
  }
}

/** The codes of refusals for what others do at the same time, at every product: see `vendorErrors.ts` for their words. */
export const REFUSALS = { deadlock: "40P01", changedRow: "40001" } as const;

/** Failures that end a transaction whatever handlers it has: nobody can go on after them. */
export function endsTransaction(failure: SqlFailure): boolean {
  return failure.code.startsWith("40");
}
