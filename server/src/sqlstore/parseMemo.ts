// A statement as the session runs it.
import type { Literal } from "./literal";
import type { Spelling } from "./mysql/spelling";
import type { SqlStatement } from "./statementTree";

/** A statement, and its text. */
export interface ParsedStatement {
  readonly statement: SqlStatement;
  readonly text: string;
  /** How it writes its names, where that is not how they are looked up. */
  readonly spelling?: Spelling;
  /** It belongs to the text of the statement before it, of which it is a further part. */
  readonly isContinued?: boolean;
  /** Values of its parameters, where the text says them itself. */
  readonly literals?: readonly Literal[];
  /** Where it begins in the text of all statements, where the parser tells. */
  readonly start?: number;
}
