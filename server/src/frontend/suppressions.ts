// Reads `@isolens ignore KIND[, KIND...] -- reason` and `@isolens ignore-file KIND -- reason` from the comments of a file
// in any language: after `--`, `//`, `#`, or in a block comment.
import type { Note } from "../program/program";
import type { SuppressedKind, Suppression } from "../program/suppression";
import { positionAt, rangeOf, type LineIndex } from "./sql/text/lines";
import type { Span } from "./sql/text/split";

export interface ReadSuppressions {
  /** In the order of the text. */
  readonly suppressions: readonly Suppression[];
  /** Incomplete entries, which have no effect. */
  readonly notes: readonly Note[];
}

/** Reads the suppressions in the given comments of a file. Linear in their text. */
export function readSuppressions(lines: LineIndex, comments: readonly Span[]): ReadSuppressions {
  const suppressions: Suppression[] = [];
  const notes: Note[] = [];
  for (const comment of comments) {
    const text = lines.text.slice(comment.start, comment.end);
    if (!text.includes("@isolens")) continue;
    for (const match of text.matchAll(IGNORE)) {
      const written = (match[2] ?? "").replace(/\s*\*\/$/u, "").trimEnd();
      const start = comment.start + match.index + (match[1] ?? "").length;
      const read = readOne(lines, written, start, comment);
      if ("message" in read) {
        const source = rangeOf(lines, start, start + written.length);
        notes.push({ severity: "warning", code: "annotation-incomplete", ...read, source });
      } else suppressions.push(read);
    }
  }
  return { suppressions, notes };
}

// One a line; in a block comment a line may start with `*`.
const IGNORE =
  /^([ \t]*(?:(?:--+|\/\*+|\*|#+|\/\/+)[ \t]*)?)(@isolens[ \t:]+ignore(?:-file)?(?![\w-])[^\r\n]*)/gimu;

const PARTS = /^@isolens[ \t:]+ignore(-file)?[ \t]*:?[ \t]*/iu;

function readOne(
  lines: LineIndex,
  written: string,
  start: number,
  comment: Span,
): Suppression | { readonly message: string } {
  const [head = "", isFile] = PARTS.exec(written) ?? [];
  const word = isFile === undefined ? "ignore" : "ignore-file";
  const rest = written.slice(head.length);
  // A dash inside a name is part of it.
  const dash = /(?:^|\s)(?:--+|[\u2013\u2014])/u.exec(rest);
  const listed = dash ? rest.slice(0, dash.index) : rest;
  const reason = dash ? rest.slice(dash.index + dash[0].length).trim() : "";
  const kinds = [...listed.matchAll(/[^\s,;]+/gu)].map(({ 0: name, index }): SuppressedKind => {
    const from = start + head.length + index;
    return { name: name.toLowerCase(), source: rangeOf(lines, from, from + name.length) };
  });
  if (kinds.length === 0) {
    return { message: `@isolens ${word} needs the kind of an anomaly, as lost-update.` };
  }
  if (reason === "" && kinds.some(({ name }) => name === "all")) {
    return { message: `@isolens ${word} all needs a reason: @isolens ${word} all -- why.` };
  }
  const source = rangeOf(lines, start, start + written.length);
  const about = isFile === undefined ? { line: codeLine(lines, comment) } : ("file" as const);
  return { kinds, reason, about, source };
}

/** The comment's own line where code stands before it, else the next line with code. */
function codeLine(lines: LineIndex, comment: Span): number {
  const { line } = positionAt(lines, comment.start);
  if (
    lineText(lines, line)
      .slice(0, comment.start - (lines.starts[line] ?? 0))
      .trim() !== ""
  ) {
    return line;
  }
  let isInside = false;
  for (let next = positionAt(lines, comment.end).line; next < lines.starts.length; next++) {
    const from = lines.starts[next] ?? 0;
    let code = lineText(lines, next);
    if (from < comment.end) code = code.slice(comment.end - from);
    if (isInside && !code.includes("*/")) continue;
    if (isInside) code = code.slice(code.indexOf("*/") + 2);
    code = code.replaceAll(/\/\*.*?\*\//gu, "").trim();
    isInside = code.startsWith("/*");
    if (code !== "" && !/^(?:--|\/\/|#|\/\*)/u.test(code)) return next;
  }
  return lines.starts.length;
}

function lineText({ text, starts }: LineIndex, line: number): string {
  return text.slice(starts[line] ?? text.length, starts[line + 1] ?? text.length);
}
