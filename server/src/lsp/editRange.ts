// The movement of ranges under edits.
import type { Position, Range } from "../protocol/source";

/** The replacement of a range by another text. */
export interface TextEdit {
  readonly range: Range;
  readonly text: string;
}

/** The range after the edit; `touched` if the edit changed something inside it. */
export function editRange(
  range: Range,
  edit: TextEdit,
): { readonly range: Range; readonly touched: boolean } {
  if (compare(edit.range.start, range.end) >= 0) return { range, touched: false };
  if (compare(edit.range.end, range.start) <= 0) {
    return {
      range: { start: shift(range.start, edit), end: shift(range.end, edit) },
      touched: false,
    };
  }
  const start = compare(edit.range.start, range.start) < 0 ? edit.range.start : range.start;
  const end = compare(edit.range.end, range.end) <= 0 ? shift(range.end, edit) : endOf(edit);
  return { range: { start, end }, touched: true };
}

/** Negative if `a` comes before `b`. */
export function compare(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

/** True if the position is in the range or at one of its ends. */
export function holds(range: Range, position: Position): boolean {
  return compare(range.start, position) <= 0 && compare(position, range.end) <= 0;
}

/** A position at or after the edited range, after the edit. */
function shift(position: Position, edit: TextEdit): Position {
  const end = endOf(edit);
  const sameLine = position.line === edit.range.end.line;
  return {
    line: position.line - edit.range.end.line + end.line,
    character: sameLine
      ? position.character - edit.range.end.character + end.character
      : position.character,
  };
}

/** The end of the inserted text. */
function endOf(edit: TextEdit): Position {
  const lines = edit.text.split(/\r\n|\r|\n/u);
  const last = lines[lines.length - 1] ?? "";
  const { line, character } = edit.range.start;
  return {
    line: line + lines.length - 1,
    character: lines.length === 1 ? character + last.length : last.length,
  };
}
