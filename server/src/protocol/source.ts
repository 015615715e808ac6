// Places in the user's files. Positions are 0-based UTF-16, as in LSP.

/** A file as an opaque name (the workspace-relative path with `/`). */
export type FileId = string & { readonly __brand: "FileId" };

/** A 0-based line and a 0-based UTF-16 character in it. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** A half-open range: `end` is the position after the last character. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A range in a file; `via` lists the call sites through which it was inlined, outermost first. */
export interface SourceRange {
  readonly file: FileId;
  readonly range: Range;
  readonly via?: readonly SourceRange[];
}
