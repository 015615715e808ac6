// `@isolens ignore` comments of SQL files and application code.
import type { SourceRange } from "../protocol/source";

/** A kind as written in the comment, in lower case; `all` for every kind. */
export interface SuppressedKind {
  readonly name: string;
  readonly source: SourceRange;
}

/** A comment that suppresses kinds of anomalies: of the transaction or statement below it, or of all transactions of its file. */
export interface Suppression {
  readonly kinds: readonly SuppressedKind[];
  /** The user's reason after `--`; empty if there is none. */
  readonly reason: string;
  /** Its subject: the whole file, or the code on this line (0-based): the comment's own, or the next line with code. */
  readonly about: "file" | { readonly line: number };
  /** From `@isolens` to the end of the reason. */
  readonly source: SourceRange;
}
