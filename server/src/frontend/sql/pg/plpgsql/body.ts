// The body of a routine in a string literal of the file.
import { dictionary } from "../../../../protocol/dictionary";
import type { LineIndex } from "../../text/lines";
import { clamp, type Body } from "../../routine/body";
import type { Span } from "../../text/split";

/** The body in a string literal: dollar quotes, or single quotes with doubled ones inside. */
export function bodyOf(lines: LineIndex, literal: Span): Body {
  const raw = lines.text.slice(literal.start, literal.end);
  const tag = /^\$[^$]*\$/.exec(raw)?.[0];
  if (tag !== undefined) {
    const closed = raw.length >= 2 * tag.length && raw.endsWith(tag);
    const text = raw.slice(tag.length, closed ? -tag.length : undefined);
    const start = literal.start + tag.length;
    return { lines, text, toFile: (offset) => start + clamp(offset, text.length) };
  }
  const quote = raw.indexOf("'");
  const escapes = /^e/i.test(raw);
  const offsets: number[] = [];
  let text = "";
  for (let at = quote + 1; at < raw.length - 1; at++) {
    const isPair = raw[at] === "'" && raw[at + 1] === "'";
    const isEscape = escapes && raw[at] === "\\";
    offsets.push(literal.start + at);
    if (isPair || isEscape) at++;
    const character = raw[at] ?? "";
    text += isEscape ? (ESCAPES[character] ?? character) : character;
  }
  offsets.push(literal.end - 1);
  return { lines, text, toFile: (offset) => offsets[clamp(offset, text.length)] ?? literal.end };
}

const ESCAPES = dictionary<string | undefined>({ n: "\n", t: "\t", r: "\r" });
