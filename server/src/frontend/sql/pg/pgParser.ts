// Interface of PostgreSQL's own parser: synchronous, never throwing, positions in UTF-16.
import type { Node } from "libpg-query";

/** One statement of a text. Locations inside `node` are UTF-8 bytes: `PgParsed.offset` converts them to UTF-16. */
export interface PgStatement {
  readonly node: Node;
  /** The place of its text, in UTF-16, without the semicolon. */
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
  /** The position where the parser stopped, in UTF-16. */
  readonly offset: number;
}

export type PgParseResult = PgParseTree | PgProblem;

export interface PgParser {
  /** The statements of a text; a problem if the text is not SQL, is nested too deeply or crashed the parser. */
  parse(sql: string): PgParseResult;
  /** PostgreSQL's error for a CREATE FUNCTION, CREATE PROCEDURE or DO in PL/pgSQL; undefined without one. */
  parsePlPgSql(sql: string): string | undefined;
}

/** Nesting limit of parentheses, brackets and CASE: deeper texts would exhaust the parser's stack. */
export const DEEPEST_NESTING = 1000;

/** Maps UTF-8 bytes to UTF-16 offsets; free for ASCII, otherwise linear once and constant per call. */
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
