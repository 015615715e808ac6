// The edit between two texts, for clients that send whole texts and for files that change on disk.
import type { Position } from "../protocol/source";
import type { TextEdit } from "./editRange";

/** The smallest single edit from one text to another; undefined if they are equal. Linear in their length. */
export function textDifference(before: string, after: string): TextEdit | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  // A two-character line end is kept whole on either side.
  if (start > 0 && before.charAt(start - 1) === "\r") start -= 1;
  let same = 0;
  while (
    same < shorter - start &&
    before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)
  ) {
    same += 1;
  }
  if (same > 0 && before.charAt(before.length - same) === "\n") {
    const ends = (text: string): boolean => text.charAt(text.length - same - 1) === "\r";
    if (ends(before) || ends(after)) same -= 1;
  }
  // If lines may have been inserted or deleted at several places, the one at the beginning of a line is chosen.
  const [longer, to] =
    after.length > before.length ? [after, after.length - same] : [before, before.length - same];
  const back = start === 0 ? 0 : start - (longer.lastIndexOf("\n", start - 1) + 1);
  const slides =
    start + same === shorter && longer.slice(start - back, start) === longer.slice(to - back, to);
  const shift = slides ? back : 0;
  const end = before.length - same - shift;
  const range = { start: positionAt(before, start - shift), end: positionAt(before, end) };
  return { range, text: after.slice(start - shift, after.length - same - shift) };
}

/** Lines end as in the protocol. */
function positionAt(text: string, offset: number): Position {
  let line = 0;
  let start = 0;
  for (const { index, 0: end } of text.slice(0, offset).matchAll(/\r\n|\r|\n/gu)) {
    line += 1;
    start = index + end.length;
  }
  return { line, character: offset - start };
}
