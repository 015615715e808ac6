// PostgreSQL's own parser as the front end sees it: synchronous, never throwing, positions in UTF-16.
import type { Node } from "libpg-query";

/** One statement of a text. Locations inside `node` are bytes of UTF-8: `PgParsed.offset` turns them into UTF-16. */
export interface PgStatement {
  readonly node: Node;
  /** Where its text stands, in UTF-16, without the semicolon. */
  readonly start: number;
  readonly end: number;
}

export interface PgParseTree {
  readonly ok: true;
  readonly statements: readonly PgStatement[];
  /** The UTF-16 offset of a byte of the text's UTF-8. */
  readonly offset: (byte: number) => number;
}

export interface PgProblem {
  readonly ok: false;
  readonly message: string;
  /** Where the parser stopped, in UTF-16. */
  readonly offset: number;
}

export type PgParseResult = PgParseTree | PgProblem;

export interface PgParser {
  /** The statements of a text. A problem for a text that is not SQL, is nested too deeply or made the parser fail. */
  parse(sql: string): PgParseResult;
  /** PostgreSQL's complaint about a CREATE FUNCTION, CREATE PROCEDURE or DO in PL/pgSQL; undefined when there is none. */
  parsePlPgSql(sql: string): string | undefined;
}

/** How deep parentheses, brackets and CASE may be nested: deeper texts would exhaust the stack of the parser. */
export const DEEPEST_NESTING = 1000;

/** Turns bytes of UTF-8 into UTF-16 offsets; free for ASCII, otherwise linear once and constant per call. */
export function createByteMap(text: string): (byte: number) => number {
  let ascii = true;
  for (let at = 0; at < text.length && ascii; at++) ascii = text.charCodeAt(at) < 128;
  const clamp = (value: number, most: number): number => Math.max(0, Math.min(value, most));
  if (ascii) return (byte) => clamp(byte, text.length);
  const units: number[] = [];
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (let byte = 0; byte < bytes; byte++) units.push(at);
    at += code > 0xffff ? 2 : 1;
  }
  units.push(text.length);
  return (byte) => units[clamp(byte, units.length - 1)] ?? text.length;
}
