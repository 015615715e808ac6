// Places inside of routines where a test stops a session: located by the statement's text, so that they survive edits elsewhere in the
// file.
import type { SqlParsers } from "../frontend/sql/parsers";
import { offsetAt } from "../frontend/sql/text/lines";
import type { ScannedFile } from "../frontend/sql/scanFile";
import type { Step } from "../protocol/report";
import { routinesOf, type LiveRoutine } from "../replay/routines";

export interface Anchor {
  readonly place: number;
  readonly file: string;
  readonly routine: string;
  /** The beginning of the statement. White space is ignored, and the rest may change. */
  readonly text: string;
  /** The index among the routine's statements with this beginning, from 1. */
  readonly occurrence: number;
  /** True if the step is (a part of) the statement. */
  readonly holds: (step: Step) => boolean;
}

/** The anchors of a file in order, numbered from `before` on. */
export function anchorsIn(
  file: ScannedFile,
  steps: readonly Step[],
  parsers: SqlParsers,
  before: number,
): readonly Anchor[] {
  const { lines } = file;
  const own = steps.filter((step) => step.file === lines.file);
  const found: Anchor[] = [];
  for (const routine of routinesOf(file, parsers)) {
    const startOf = (step: Step): number | undefined =>
      step.file === lines.file ? innermost(routine, offsetAt(lines, step.range.start)) : undefined;
    const starts = new Set(own.map(startOf).filter((start) => start !== undefined));
    for (const start of [...starts].sort((a, b) => a - b)) {
      const at = own.filter((step) => startOf(step) === start);
      const end = Math.min(...at.map(({ range }) => offsetAt(lines, range.end)));
      const text = lines.text.slice(start, end).trim();
      const above = lines.text.slice(routine.span.start, start);
      found.push({
        place: before + found.length + 1,
        file: lines.file,
        routine: routine.name,
        text,
        occurrence: 1 + [...above.matchAll(patternOf(text))].length,
        holds: (step) => startOf(step) === start,
      });
    }
  }
  return found;
}

/** The start of the innermost statement around the offset. */
function innermost({ statements }: LiveRoutine, offset: number): number | undefined {
  return statements.findLast(({ start, end }) => start <= offset && offset < end)?.start;
}

/** The pattern for an anchor: its words with anything between them. */
function patternOf(text: string): RegExp {
  const words = text.split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(words.join("\\s+"), "g");
}
