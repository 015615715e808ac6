// A text without layout and comments: an edit that preserves it cannot change a verdict.
import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import type { FileId, Range } from "../protocol/source";

/**
 * A part of a file without layout and comments, except `@isolens` comments. Two parts with the same significant text have the same meaning;
 * strings and quoted names are unchanged. Linear in the part.
 */
export function significantText(file: FileId, part: string): string {
  const words = codeLanguageOf(file) === undefined ? SQL : CODE;
  return part
    .replace(words, (word) => {
      if (/^\s/u.test(word)) return " ";
      // MySQL executes `/*!` and reads hints in `/*+`.
      const isComment = /^(?:--|\/\/|\/\*(?![!+]))/u.test(word);
      return isComment && !word.includes("@isolens") ? " " : word;
    })
    .replace(/ +/gu, " ");
}

// Delimiters of dollar quotes are ordinary tokens, so that comments in routines count as comments.
const SQL = /'(?:''|[^'])*'|"(?:""|[^"])*"|--(?=\s|$)[^\n]*|\/\*[^]*?\*\/|\s+/gu;
const CODE =
  /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`|\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/|\/\/[^\n]*|\/\*[^]*?\*\/|\s+/gu;

/** The part of a text, given by its lines, in a range. */
export function partOf(lines: readonly string[], { start, end }: Range): string {
  if (start.line === end.line) {
    return (lines[start.line] ?? "").slice(start.character, end.character);
  }
  return [
    (lines[start.line] ?? "").slice(start.character),
    ...lines.slice(start.line + 1, end.line),
    (lines[end.line] ?? "").slice(0, end.character),
  ].join("\n");
}

/** The lines of a text, as the protocol counts them. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/u);
}
