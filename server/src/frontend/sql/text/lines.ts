// Offsets in a file's text as positions: lines end with \n, \r\n or \r, as in LSP.
import type { FileId, Position, Range, SourceRange } from "../../../protocol/source";

export interface LineIndex {
  readonly file: FileId;
  /** The whole text of the file; canonical (see canonical.ts) if `written` is present. */
  readonly text: string;
  /** The user's own text, if it differs. */
  readonly written?: string;
  /** Offset of the first character of each line. */
  readonly starts: readonly number[];
  /** The statements that say which schema names without one are of; see currentSchema.ts. */
  readonly schemas?: readonly SchemaSwitch[];
}

/** From this offset on names without a schema are of these, the first of them for what is new; of the product's own where there are none. */
export interface SchemaSwitch {
  readonly start: number;
  readonly path: readonly string[];
}

/** Indexes the lines of a file, in time linear in the text. */
export function indexLines(file: FileId, text: string): LineIndex {
  const starts = [0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
  }
  return { file, text, starts };
}

/** The position of an offset (clamped to the text), in time logarithmic in the number of lines. */
export function positionAt(lines: LineIndex, offset: number): Position {
  const at = Math.max(0, Math.min(offset, lines.text.length));
  let low = 0;
  let high = lines.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines.starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return { line: low, character: at - (lines.starts[low] ?? 0) };
}

/** The offset of a position; the text's end for a line that does not exist. */
export function offsetAt(lines: LineIndex, { line, character }: Position): number {
  return (lines.starts[line] ?? lines.text.length) + character;
}

/** The offsets of a range. */
export function offsetsOf(
  lines: LineIndex,
  { start, end }: Range,
): { readonly start: number; readonly end: number } {
  return { start: offsetAt(lines, start), end: offsetAt(lines, end) };
}

/** The range between two offsets of the file. */
export function rangeOf(lines: LineIndex, start: number, end: number): SourceRange {
  return {
    file: lines.file,
    range: {
      start: positionAt(lines, start),
      end: positionAt(lines, Math.max(start, end)),
    },
  };
}
