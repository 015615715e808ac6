// The body of a routine: its text for its language, mapped to the file.
import { rangeOf, type LineIndex } from "../text/lines";
import type { SqlPiece } from "../lowering";
import type { Span } from "../text/split";
import type { SourceRange } from "../../../protocol/source";

export interface Body {
  readonly lines: LineIndex;
  /** The text of a quoted body, with doubled quotes and escapes resolved. */
  readonly text: string;
  /** Maps an offset of `text` to the file. Monotone. */
  readonly toFile: (offset: number) => number;
}

/** A body that is an unmodified part of the file's text: BEGIN ATOMIC ... END. */
export function plainBody(lines: LineIndex, span: Span): Body {
  const text = lines.text.slice(span.start, span.end);
  return { lines, text, toFile: (offset) => span.start + clamp(offset, text.length) };
}

/** An offset clamped to a text's length. */
export function clamp(offset: number, most: number): number {
  return Math.max(0, Math.min(offset, most));
}

/** The range in the file of a part of the body. */
export function rangeIn(body: Body, span: Span): SourceRange {
  return rangeOf(body.lines, body.toFile(span.start), body.toFile(span.end));
}

export interface PieceOptions {
  /** A prefix that makes the part a statement: `SELECT ` before an expression. */
  readonly before?: string;
  /** A part of the text hidden from the parser: INTO and its targets. */
  readonly without?: Span;
  /** The displayed piece, if it is larger than the parsed one. */
  readonly shown?: Span;
}

/** A part of the body as a piece for the SQL parser. */
export function pieceOf(body: Body, span: Span, options: PieceOptions = {}): SqlPiece {
  const { before = "", without, shown = span } = options;
  const { text } = body;
  const inner =
    without === undefined
      ? text.slice(span.start, span.end)
      : text.slice(span.start, without.start) +
        " ".repeat(without.end - without.start) +
        text.slice(without.end, span.end);
  return {
    lines: body.lines,
    sql: before + inner,
    start: body.toFile(shown.start),
    end: body.toFile(shown.start + text.slice(shown.start, shown.end).trimEnd().length),
    toFile: (offset) => body.toFile(span.start + Math.max(0, offset - before.length)),
  };
}
