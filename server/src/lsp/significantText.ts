// The significant part of a text, without layout and comments: an edit that keeps it cannot change a verdict.
import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import type { FileId, Range } from "../protocol/source";

/**
 * A part of a file without layout and comments, those aside that speak to Isolens. Two parts with the same significant text
 * mean the same; strings and quoted names are kept as they are. Linear in the part.
 */
export function significantText(file: FileId, part: string): string {
  const words = codeLanguageOf(file) === undefined ? SQL : CODE;
  return part
    .replace(words, (word) => {
      if (/^\s/u.test(word)) return " ";
      // MySQL runs `/*!` and takes hints from `/*+`.
      const isComment = /^(?:--|\/\/|\/\*(?![!+]))/u.test(word);
      return isComment && !word.includes("@isolens") ? " " : word;
    })
    .replace(/ +/gu, " ");
}

// The delimiters of dollar quotes are words like others, so that comments in routines are comments.
const SQL = /'(?:''|[^'])*'|"(?:""|[^"])*"|--(?=\s|$)[^\n]*|\/\*[^]*?\*\/|\s+/gu;
const CODE =
  /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`|\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/|\/\/[^\n]*|\/\*[^]*?\*\/|\s+/gu;

/** The part of a text, given by its lines, that a range covers. */
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
