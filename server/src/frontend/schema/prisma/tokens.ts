// The tokens of a schema.prisma, without comments; line ends are kept, since they end fields.
import { ownEntry } from "../../../protocol/dictionary";
import type { Span } from "../../sql/text/split";

export interface PrismaToken extends Span {
  readonly kind: "name" | "text" | "number" | "sign" | "newline" | "unknown";
  /** The name, the number as written, the sign, or the text without its quotes. */
  readonly text: string;
}

/** The tokens of a text in order, in linear time; unrecognised characters are `unknown`. */
export function tokensOf(text: string): readonly PrismaToken[] {
  const tokens: PrismaToken[] = [];
  let at = 0;
  while (at < text.length) {
    PATTERN.lastIndex = at;
    const match = PATTERN.exec(text);
    // The last alternative matches any character, so there is always a match.
    const [written = " ", space, comment, newline, string, number, name, sign] = match ?? [];
    const span = { start: at, end: at + written.length };
    at = span.end;
    if (space !== undefined || comment !== undefined) continue;
    if (newline !== undefined) tokens.push({ kind: "newline", text: "\n", ...span });
    else if (string !== undefined) tokens.push({ kind: "text", text: unquoted(string), ...span });
    else if (number !== undefined) tokens.push({ kind: "number", text: number, ...span });
    else if (name !== undefined) tokens.push({ kind: "name", text: name, ...span });
    else tokens.push({ kind: sign === undefined ? "unknown" : "sign", text: written, ...span });
  }
  return tokens;
}

const PATTERN = new RegExp(
  [
    String.raw`([^\S\n]+)`,
    String.raw`(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))`,
    String.raw`(\n)`,
    String.raw`("(?:[^"\\\n]|\\.)*"?)`,
    String.raw`(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)`,
    String.raw`([\p{L}_][\p{L}\p{N}_-]*)`,
    String.raw`(@@|[@{}()[\]:,.=?!])`,
    String.raw`[\s\S]`,
  ].join("|"),
  "uy",
);

function unquoted(written: string): string {
  const inner = written.slice(1, written.length > 1 && written.endsWith('"') ? -1 : undefined);
  return inner.replaceAll(/\\(u[\da-fA-F]{4}|.)/g, (_all, escape: string) => {
    if (escape.length > 1) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return ownEntry({ n: "\n", t: "\t", r: "\r" }, escape) ?? escape;
  });
}
