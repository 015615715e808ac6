// `@isolens ignore` comments, of SQL files and of application code alike.
import type { SourceRange } from "../protocol/source";

/** A kind as it stands in the comment, in lower case; `all` means every kind. */
export interface SuppressedKind {
  readonly name: string;
  readonly source: SourceRange;
}

/**
 * A comment that asks not to be told of some kinds of anomalies: of those that the transaction or statement below it
 * takes part in, or any transaction of its file.
 */
export interface Suppression {
  readonly kinds: readonly SuppressedKind[];
  /** The user's words after `--`; empty where there are none. */
  readonly reason: string;
  /** Its subject: the whole file, or the code on this line (0-based): the comment's own, or the next with code. */
  readonly about: "file" | { readonly line: number };
  /** From `@isolens` to the end of the reason. */
  readonly source: SourceRange;
}
