// A statement as the session runs it.
import type { SqlStatement } from "./tree";

/** A statement, and its text. */
export interface ParsedStatement {
  readonly statement: SqlStatement;
  readonly text: string;
  /** Where it begins in the text of all statements, where the parser tells. */
  readonly start?: number;
}
