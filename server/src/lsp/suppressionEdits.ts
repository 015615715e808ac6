// Edits that add or remove an `@isolens ignore` comment, as texts for ranges of a document.
import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import type { Position, Range } from "../protocol/source";

export interface CommentEdit {
  readonly range: Range;
  readonly newText: string;
}

/** Placeholder for the reason. */
export const REASON = "say why this is acceptable";

/** A comment above the statement at a line: in SQL above the line itself, in code above the statement that contains it. */
export function ignoreHere(text: string, file: string, line: number, kind: string): CommentEdit {
  const lines = text.split(/\r\n|\r|\n/u);
  const at = isSql(file) ? line : firstLine(lines, line);
  const indent = /^[ \t]*/u.exec(lines[at] ?? "")?.[0] ?? "";
  return insertion(
    at,
    `${indent}${mark(file)} @isolens ignore ${kind} -- ${REASON}${newLine(text)}`,
  );
}

/** A comment at the top of the file, after a line that must be the first. */
export function ignoreInFile(text: string, file: string, kind: string): CommentEdit {
  const at = text.startsWith("#!") ? 1 : 0;
  return insertion(at, `${mark(file)} @isolens ignore-file ${kind} -- ${REASON}${newLine(text)}`);
}

/**
 * The edit that removes a suppression's range: one kind of several with its comma, or the whole comment with its line, if nothing else is
 * on it.
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
    // The last kind is removed with the comma before it.
    return deletion(line, start, range.end.character);
  }
  const marker = /(?:--+|\/\/+|#+|\/\*+|\*)[ \t]*$/u.exec(before)?.[0] ?? "";
  const code = before.slice(0, before.length - marker.length);
  const closing = /^\s*\*\//u.exec(after)?.[0] ?? "";
  const isBlock = marker.startsWith("/*");
  const rest = after.slice(closing.length);
  // A multi-line block comment only loses its content.
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
 * The first line of the statement that contains a line of code: a query's text may be in a call, or in a multi-line string, where a comment
 * would become part of the text. A line begins a statement if the previous one ended one and no multi-line string is open.
 */
function firstLine(lines: readonly string[], line: number): number {
  for (let at = line; at > 0; at--) {
    const before = (lines[at - 1] ?? "").trimEnd();
    const ended = before === "" || /[;{}]$|^\s*(?:\/\/|\/\*|\*|@|#)|=>$/u.test(before);
    if (ended && !isInText(lines, at)) return at;
  }
  return 0;
}

/** True if an odd number of multi-line string delimiters precedes the line. */
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
