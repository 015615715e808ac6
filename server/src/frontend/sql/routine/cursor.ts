// A parser's cursor over the tokens of a routine's body.
import type { Span } from "../text/split";
import { nameOf, tokensOf, type Token } from "../text/tokens";
import type { Target } from "./assign";

/** A syntax error. */
export interface Problem {
  readonly message: string;
  readonly span: Span;
}

export interface Cursor {
  readonly text: string;
  readonly tokens: readonly Token[];
  at: number;
  readonly problems: Problem[];
  depth: number;
  /** True after text that was skipped for its nesting: further errors are not reported. */
  silent: boolean;
}

/** Nesting limit of blocks and branches. */
export const DEEPEST_BLOCK = 200;

/** A cursor at the start of a text. */
export function openCursor(text: string): Cursor {
  return {
    text,
    tokens: tokensOf(text, 0, text.length),
    at: 0,
    problems: [],
    depth: 0,
    silent: false,
  };
}

export function peek(cursor: Cursor, ahead = 0): Token | undefined {
  return cursor.tokens[cursor.at + ahead];
}

/** The word of a token ahead, empty at the end. */
export function word(cursor: Cursor, ahead = 0): string {
  return peek(cursor, ahead)?.word ?? "";
}

export function atEnd(cursor: Cursor): boolean {
  return cursor.at >= cursor.tokens.length;
}

/** The start of the next token. */
export function startOf(cursor: Cursor): number {
  return peek(cursor)?.start ?? cursor.text.length;
}

/** The end of the last token. */
export function endOf(cursor: Cursor): number {
  return cursor.tokens[cursor.at - 1]?.end ?? 0;
}

/** Consumes the next token if it is that word or symbol. */
export function take(cursor: Cursor, wanted: string): boolean {
  if (word(cursor) !== wanted) return false;
  cursor.at++;
  return true;
}

/** Consumes these words in a row, or none. */
export function takeAll(cursor: Cursor, ...wanted: readonly string[]): boolean {
  if (!wanted.every((each, ahead) => word(cursor, ahead) === each)) return false;
  cursor.at += wanted.length;
  return true;
}

export function isName(token: Token | undefined): token is Token {
  return token?.kind === "word" || token?.kind === "name";
}

/** Consumes a name, quoted or not. */
export function takeName(cursor: Cursor): string | undefined {
  const token = peek(cursor);
  if (!isName(token)) return undefined;
  cursor.at++;
  return nameOf(cursor.text, token);
}

/** Reports an error at the next token. */
export function problem(cursor: Cursor, message: string, at?: Span): void {
  if (cursor.silent) return;
  const token = peek(cursor) ?? cursor.tokens.at(-1);
  const span = at ?? { start: token?.start ?? 0, end: token?.end ?? 0 };
  cursor.problems.push({ message, span });
}

/**
 * The text up to one of the words (outside of parentheses and brackets) or a semicolon. The word is not consumed. As in PostgreSQL, a THEN
 * inside of CASE ... END counts.
 */
export function spanUntil(cursor: Cursor, ...words: readonly string[]): Span {
  return spanWhile(cursor, words, { keepsCase: false });
}

/** The same, with words inside of CASE ... END ignored, as in MySQL. */
export function spanOverCase(cursor: Cursor, ...words: readonly string[]): Span {
  return spanWhile(cursor, words, { keepsCase: true });
}

function spanWhile(
  cursor: Cursor,
  words: readonly string[],
  options: { readonly keepsCase: boolean },
): Span {
  const start = startOf(cursor);
  let depth = 0;
  let cases = 0;
  let end = start;
  while (!atEnd(cursor)) {
    const next = word(cursor);
    if (next === ";" || endsAround(cursor)) break;
    if (depth === 0 && cases === 0 && words.includes(next)) break;
    if (next === "(" || next === "[") depth++;
    if (next === ")" || next === "]") {
      if (depth === 0 && words.includes("closing")) break;
      depth--;
    }
    if (options.keepsCase && next === "case") cases++;
    if (next === "end" && cases > 0) cases--;
    end = peek(cursor)?.end ?? end;
    cursor.at++;
  }
  return { start, end };
}

/** END IF, END LOOP and the like do not occur in SQL: a semicolon is missing before them. */
export function endsAround(cursor: Cursor): boolean {
  return word(cursor) === "end" && ENDED.has(word(cursor, 1));
}

const ENDED = new Set(["if", "loop", "while", "repeat"]);

/** The spans of a comma-separated list, up to one of the words or a semicolon. */
export function listUntil(cursor: Cursor, ...words: readonly string[]): readonly Span[] {
  const spans: Span[] = [];
  do {
    const span = spanUntil(cursor, ",", ...words);
    if (span.end > span.start) spans.push(span);
  } while (take(cursor, ","));
  return spans;
}

/** Skips to after the next semicolon. */
export function skipStatement(cursor: Cursor): void {
  while (!atEnd(cursor) && !take(cursor, ";")) cursor.at++;
}

/** `x`, `r.f`, `a[1]`. */
export function takeTarget(cursor: Cursor): Target | undefined {
  const first = takeName(cursor);
  if (first === undefined) return undefined;
  const path = [first];
  let part = false;
  for (;;) {
    if (word(cursor) === "." && isName(peek(cursor, 1))) {
      cursor.at++;
      path.push(takeName(cursor) ?? "");
    } else if (word(cursor) === "[") {
      part = true;
      cursor.at++;
      spanUntil(cursor, "]");
      take(cursor, "]");
    } else {
      return { path, part };
    }
  }
}

/** Several comma-separated targets; the caller consumes STRICT. */
export function takeTargets(cursor: Cursor): readonly Target[] {
  const targets: Target[] = [];
  do {
    const target = takeTarget(cursor);
    if (target === undefined) {
      problem(cursor, "a variable is expected here");
      break;
    }
    targets.push(target);
  } while (take(cursor, ","));
  return targets;
}
