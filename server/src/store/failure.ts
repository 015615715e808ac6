// The two ways in which a statement fails without a result.
import type { SourceRange } from "../protocol/source";

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

/** The statement's effect is unknown, so that a run with it is no evidence. */
export class NotExecutable extends Error {
  constructor(
    message: string,
    /** The part of the program that is in the way. */
    readonly place?: SourceRange,
  ) {
    super(message);
    this.name = "NotExecutable";
  }
}

/** Why a run is no evidence in which a foreign key refuses, or makes wait, before the server checks it. */
export const CHECKED_LATER =
  "a foreign key is checked at the end of the whole statement or transaction";

/** Runs a part of a program; an error that says that it is no evidence gets its place. */
export function withPlace<T>(place: SourceRange | undefined, run: () => T): T {
  try {
    return run();
  } catch (problem) {
    if (place === undefined || !(problem instanceof NotExecutable) || problem.place) throw problem;
    throw new NotExecutable(problem.message, place);
  }
}

/** The SQLSTATEs of refusals because of concurrent transactions, for all products; `vendorErrors.ts` has the products' texts. */
export const REFUSALS = { deadlock: "40P01", changedRow: "40001" } as const;

/** True for failures that abort the transaction regardless of handlers. */
export function endsTransaction(failure: SqlFailure): boolean {
  return failure.code.startsWith("40");
}
