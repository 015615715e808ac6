// The code of a finding as compilers show it: its lines with their numbers, and what is meant underlined.
import type { Paint } from "../io";
import type { CycleEnd } from "../../protocol/dependency";

/** A line of a file on disk, counted from 0; undefined if it cannot be read. */
export type LineOf = (file: string, line: number) => string | undefined;

export interface MarkedPlace {
  readonly place: Pick<CycleEnd, "file" | "range">;
  /** The label after the underline. */
  readonly note: string;
  /** True for the finding's main place, underlined with carets; others have dashes. */
  readonly isMain: boolean;
}

interface FrameStyle {
  readonly paint: Paint;
  readonly columns: number;
}

/** Places in line order, each with the first line of its code; unreadable ones are skipped. */
export function codeFrame(
  places: readonly MarkedPlace[],
  lineOf: LineOf,
  { paint, columns }: FrameStyle,
): readonly string[] {
  const shown = places
    .flatMap((marked) => {
      const { file, range } = marked.place;
      const text = lineOf(file, range.start.line);
      return text === undefined || range.start.character > text.length ? [] : [{ marked, text }];
    })
    .sort((a, b) => a.marked.place.range.start.line - b.marked.place.range.start.line);
  const numbers = shown.map(({ marked }) => String(marked.place.range.start.line + 1));
  const gutter = Math.max(4, ...numbers.map((number) => number.length));
  return shown.flatMap(({ marked: { place, note, isMain }, text }, at) => {
    const { start, end } = place.range;
    const code = untabbed(text.trimEnd());
    const from = untabbed(text.slice(0, start.character)).length;
    const last = end.line === start.line ? untabbed(text.slice(0, end.character)) : code;
    // Deeply indented code is shifted left, so that the marked part fits.
    const indent = Math.max(0, code.length - code.trimStart().length - 2);
    const width = columns - gutter - 4;
    const line = code.slice(indent, indent + width);
    const length = Math.max(1, Math.min(last.length - from, line.length - (from - indent)));
    const mark = `${" ".repeat(from - indent)}${(isMain ? "^" : "-").repeat(length)}`;
    const number = (numbers[at] ?? "").padStart(gutter);
    const bar = paint.faint(`${" ".repeat(gutter)} |`);
    const fits = mark.length + 1 + note.length <= width;
    const under = fits
      ? [`${bar} ${paint.alarm(`${mark} ${note}`)}`]
      : [`${bar} ${paint.alarm(mark)}`, `${bar} ${" ".repeat(from - indent)}${paint.alarm(note)}`];
    return [`${paint.faint(`${number} |`)} ${line}`, ...under];
  });
}

function untabbed(text: string): string {
  return text.replaceAll("\t", "    ");
}
