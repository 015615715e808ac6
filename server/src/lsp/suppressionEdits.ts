// Edits that write an `@isolens ignore` comment, and edits that take one away, as texts for ranges of a document.
import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import type { Position, Range } from "../protocol/source";

export interface CommentEdit {
  readonly range: Range;
  readonly newText: string;
}

/** Placeholder where the reason is to be written. */
export const REASON = "say why this is acceptable";

/** A comment above the statement of a line: in SQL above the line itself, in code above what the line is a part of. */
export function ignoreHere(text: string, file: string, line: number, kind: string): CommentEdit {
  const lines = text.split(/\r\n|\r|\n/u);
  const at = isSql(file) ? line : firstLine(lines, line);
  const indent = /^[ \t]*/u.exec(lines[at] ?? "")?.[0] ?? "";
  return insertion(
    at,
    `${indent}${mark(file)} @isolens ignore ${kind} -- ${REASON}${newLine(text)}`,
  );
}

/** A comment at the top of the file, behind a line that has to be the first. */
export function ignoreInFile(text: string, file: string, kind: string): CommentEdit {
  const at = text.startsWith("#!") ? 1 : 0;
  return insertion(at, `${mark(file)} @isolens ignore-file ${kind} -- ${REASON}${newLine(text)}`);
}

/**
 * The edit that removes what stands at a range of a suppression: one kind of several with its comma, or the whole comment
 * with its line, if nothing else stands there.
 */
export function removal(text: string, range: Range): CommentEdit {
  const lines = text.split(/\r\n|\r|\n/u);
  const { line } = range.start;
  const content = lines[line] ?? "";
  const before = content.slice(0, range.start.character);
  const after = content.slice(range.end.character);
  if (!content.startsWith("@", range.start.character)) {
    const comma = /^\s*,?\s*/u.exec(after)?.[0] ?? "";
    if (comma.includes(","))
      return deletion(line, before.length, range.end.character + comma.length);
    const start = before.replace(/[\s,]+$/u, "").length;
    // The last kind goes with the comma before it.
    return deletion(line, start, range.end.character);
  }
  const marker = /(?:--+|\/\/+|#+|\/\*+|\*)[ \t]*$/u.exec(before)?.[0] ?? "";
  const code = before.slice(0, before.length - marker.length);
  const closing = /^\s*\*\//u.exec(after)?.[0] ?? "";
  const isBlock = marker.startsWith("/*");
  const rest = after.slice(closing.length);
  // A block comment of several lines loses only what is said.
  if (isBlock !== (closing !== ""))
    return deletion(line, range.start.character, range.end.character);
  if (code.trim() !== "" || rest.trim() !== "") {
    return deletion(line, code.trimEnd().length, content.length - rest.length);
  }
  if (line + 1 >= lines.length) return deletion(line, 0, content.length);
  const start = { line, character: 0 };
  return { range: { start, end: { line: line + 1, character: 0 } }, newText: "" };
}

/** `//` in application code, `--` in SQL. */
function mark(file: string): string {
  return isSql(file) ? "--" : "//";
}

function isSql(file: string): boolean {
  return codeLanguageOf(file) === undefined;
}

/**
 * The line where the statement begins that a line of code is a part of: the text of a query may stand in a call, or in a
 * text over several lines, where a comment would be part of the text. A line begins a statement if the one before ended one
 * and no text over several lines is open there.
 */
function firstLine(lines: readonly string[], line: number): number {
  for (let at = line; at > 0; at--) {
    const before = (lines[at - 1] ?? "").trimEnd();
    const ended = before === "" || /[;{}]$|^\s*(?:\/\/|\/\*|\*|@|#)|=>$/u.test(before);
    if (ended && !isInText(lines, at)) return at;
  }
  return 0;
}

/** True if an odd number of marks stands before the line that begin and end texts over several lines. */
function isInText(lines: readonly string[], line: number): boolean {
  const before = lines.slice(0, line).join("\n");
  return [/\\.|(`)/gu, /\\.|(""")/gu].some(
    (mark) =>
      [...before.matchAll(mark)].filter(([, found]) => found !== undefined).length % 2 === 1,
  );
}

function newLine(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function insertion(line: number, newText: string): CommentEdit {
  const at: Position = { line, character: 0 };
  return { range: { start: at, end: at }, newText };
}

function deletion(line: number, from: number, to: number): CommentEdit {
  return {
    range: { start: { line, character: from }, end: { line, character: to } },
    newText: "",
  };
}
