// The difference between two texts as `diff -u` prints it, from the edits that lead from one to the other.
import { editedText, type TextEdit } from "../../analysis/repair/candidate";

/** Lines that did not change around those that did. */
const CONTEXT = 3;

interface Block {
  /** Old lines `[from, to)`. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** The hunks with their header; edits are of this text alone, in order. Linear in the text. */
export function unifiedDiff(file: string, text: string, edits: readonly TextEdit[]): string {
  const old = text.split("\n");
  const blocks = edits.reduce<Block[]>((known, edit) => {
    const own = blockOf(old, text, edits, edit);
    const last = known.at(-1);
    return last && last.from === own.from ? known : [...known, own];
  }, []);
  const hunks: Block[][] = [];
  for (const block of blocks) {
    const last = hunks.at(-1);
    const end = last?.at(-1)?.to;
    if (last && end !== undefined && block.from - end <= 2 * CONTEXT) last.push(block);
    else hunks.push([block]);
  }
  let shift = 0;
  const texts = hunks.map((hunk) => {
    const { lines, grown } = hunkText(old, hunk, shift);
    shift += grown;
    return lines;
  });
  return [`--- a/${file}`, `+++ b/${file}`, ...texts.flat()].join("\n");
}

/** The lines around an edit, with those of edits on the same lines. */
function blockOf(
  old: readonly string[],
  text: string,
  edits: readonly TextEdit[],
  edit: TextEdit,
): Block {
  let [start, end] = [lineStart(text, edit.start), lineEnd(text, edit.end)];
  for (const each of edits) {
    if (each.start > end || each.end < start) continue;
    start = Math.min(start, lineStart(text, each.start));
    end = Math.max(end, lineEnd(text, each.end));
  }
  const inside = edits.filter((each) => each.start >= start && each.end <= end);
  const moved = inside.map((each) => ({
    ...each,
    start: each.start - start,
    end: each.end - start,
  }));
  let lines = editedText(text.slice(start, end), moved).split("\n");
  let from = text.slice(0, start).split("\n").length - 1;
  let to = from + text.slice(start, end).split("\n").length;
  while (lines.length > 0 && from < to && lines[0] === old[from]) {
    lines = lines.slice(1);
    from += 1;
  }
  while (lines.length > 0 && from < to && lines.at(-1) === old[to - 1]) {
    lines = lines.slice(0, -1);
    to -= 1;
  }
  return { from, to, lines };
}

function hunkText(
  old: readonly string[],
  hunk: readonly Block[],
  shift: number,
): { readonly lines: readonly string[]; readonly grown: number } {
  const first = hunk[0]?.from ?? 0;
  const start = Math.max(0, first - CONTEXT);
  const end = Math.min(old.length, (hunk.at(-1)?.to ?? 0) + CONTEXT);
  const lines: string[] = [];
  let at = start;
  let grown = 0;
  for (const { from, to, lines: own } of hunk) {
    lines.push(...old.slice(at, from).map((line) => ` ${line}`));
    lines.push(...old.slice(from, to).map((line) => `-${line}`), ...own.map((line) => `+${line}`));
    grown += own.length - (to - from);
    at = to;
  }
  lines.push(...old.slice(at, end).map((line) => ` ${line}`));
  const span = (from: number, count: number): string => `${String(from + 1)},${String(count)}`;
  const count = end - start;
  const header = `@@ -${span(start, count)} +${span(start + shift, count + grown)} @@`;
  return { lines: [header, ...lines], grown };
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
