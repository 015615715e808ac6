// Strings, templates and numbers: their values, with the places of their characters.
import { dictionary } from "../../../protocol/dictionary";
import type { SyntaxNode } from "../workspace/codeParsers";
import { namedChildren } from "../workspace/codeParsers";
import type { HirExpression, TextRun } from "../hir";
import { textOf, textRuns, type Escape } from "../textRuns";
import { nothing, slice, spanOf, unknown, type Reading } from "./reading";

/** A string literal in quotes. */
export function readString({ text }: Reading, node: SyntaxNode): HirExpression {
  const runs = runsOf(text, node.start + 1, endOfQuoted(text, node));
  return { kind: "text", runs, span: spanOf(node) };
}

/** The value of a string literal. */
export function stringValue({ text }: Reading, node: SyntaxNode): string {
  return textOf(runsOf(text, node.start + 1, endOfQuoted(text, node)));
}

/** A template; one without holes is a text, unless it is tagged. */
export function readTemplate(
  reading: Reading,
  node: SyntaxNode,
  tag?: HirExpression,
): HirExpression {
  const { text } = reading;
  const texts: (readonly TextRun[])[] = [];
  const values: HirExpression[] = [];
  let from = node.start + 1;
  for (const hole of node.children) {
    if (hole.type !== "template_substitution") continue;
    texts.push(runsOf(text, from, hole.start));
    const [value] = namedChildren(hole);
    values.push(value ? reading.expression(value) : nothing(hole));
    from = hole.end;
  }
  texts.push(runsOf(text, from, Math.max(from, endOfQuoted(text, node))));
  const span = tag ? { start: tag.span.start, end: node.end } : spanOf(node);
  const [only] = texts;
  if (tag === undefined && values.length === 0) return { kind: "text", runs: only ?? [], span };
  return { kind: "template", texts, values, ...(tag && { tag }), span };
}

/** A number as the engine holds it; what a double cannot hold exactly is unknown. */
export function readNumber(reading: Reading, node: SyntaxNode): HirExpression {
  const written = slice(reading, node).replaceAll("_", "");
  const isBig = written.endsWith("n");
  const value = Number(isBig ? written.slice(0, -1) : legacyOctal(written));
  if (Number.isNaN(value) || (isBig && !Number.isSafeInteger(value))) {
    return unknown(node, "number");
  }
  return { kind: "literal", value, span: spanOf(node) };
}

/** `017` is octal where it is allowed at all. */
function legacyOctal(written: string): string {
  return /^0[0-7]+$/u.test(written) ? `0o${written.slice(1)}` : written;
}

/** Half-typed literals have no closing quote. */
function endOfQuoted(text: string, { start, end }: SyntaxNode): number {
  return end > start + 1 && text[end - 1] === text[start] ? end - 1 : end;
}

/** Line ends count as one character, whatever the file's are. */
const MARKS = /\\|\r\n?/;

function runsOf(text: string, start: number, end: number): readonly TextRun[] {
  return textRuns(text, start, end, MARKS, (at) => escapeAt(text, at));
}

function escapeAt(text: string, at: number): Escape {
  if (text[at] === "\r") return { text: "\n", length: text[at + 1] === "\n" ? 2 : 1 };
  const next = text[at + 1] ?? "";
  const simple = SIMPLE[next];
  if (simple !== undefined && !(next === "0" && /[0-9]/u.test(text[at + 2] ?? ""))) {
    return { text: simple, length: 2 };
  }
  const code = /^(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\})/iu.exec(
    text.slice(at + 1, at + 11),
  );
  const point = parseInt(code?.[1] ?? code?.[2] ?? code?.[3] ?? "", 16);
  if (code && point <= 0x10ffff) {
    return { text: String.fromCodePoint(point), length: 1 + code[0].length };
  }
  if (next === "\r") return { text: "", length: text[at + 2] === "\n" ? 3 : 2 };
  if (next === "\n" || next === "\u2028" || next === "\u2029") return { text: "", length: 2 };
  // Any other character stands for itself; half of a pair must not be cut from the other.
  const point2 = text.codePointAt(at + 1);
  const itself = point2 === undefined ? "" : String.fromCodePoint(point2);
  return { text: itself, length: 1 + itself.length };
}

const SIMPLE = dictionary<string>({
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
});
