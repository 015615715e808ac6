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

/** Failures that end a transaction whatever handlers it has: nobody can go on after them. */
export function endsTransaction(failure: SqlFailure): boolean {
  return failure.code.startsWith("40");
}
