// The value of a string literal as runs of literal characters with escapes between them.
import type { TextRun } from "./hir";

/** The meaning of an escape or of another sequence that does not stand for itself; `length` counts characters of the file. */
export interface Escape {
  readonly text: string;
  readonly length: number;
}

/**
 * The runs of `text` from `start` to `end`. `escapeAt` is asked at each character of `marks` (those that may begin an
 * escape) and answers `undefined` where the character stands for itself. Linear in the text.
 */
export function textRuns(
  text: string,
  start: number,
  end: number,
  marks: RegExp,
  escapeAt: (at: number) => Escape | undefined,
): readonly TextRun[] {
  const runs: TextRun[] = [];
  const mark = new RegExp(marks.source, "gu");
  let from = start;
  // Searches only the literal: the next mark in the file may be far away.
  const inside = text.slice(start, end);
  for (let found = mark.exec(inside); found; found = mark.exec(inside)) {
    const at = start + found.index;
    const escape = escapeAt(at);
    if (escape === undefined) continue;
    if (at > from) runs.push({ text: text.slice(from, at), start: from });
    const length = Math.min(escape.length, end - at);
    if (escape.text !== "") {
      runs.push({ text: escape.text, start: at, ...(escape.text.length !== length && { length }) });
    }
    from = at + length;
    mark.lastIndex = from - start;
  }
  if (end > from) runs.push({ text: text.slice(from, end), start: from });
  return runs;
}

/** The value of a literal: its runs joined. */
export function textOf(runs: readonly TextRun[]): string {
  return runs.length === 1 ? (runs[0]?.text ?? "") : runs.map((run) => run.text).join("");
}
