// The tokens of SQL text by PostgreSQL's rules: quotes, E-strings, dollar quotes, nested comments. Iterative, one token at a time, so that
// any text takes linear time and constant stack.

export type TokenKind =
  | "word"
  /** `"quoted name"` */
  | "name"
  /** `'text'`, `E'text'`, `$tag$text$tag$` */
  | "string"
  | "number"
  /** `$1` */
  | "placeholder"
  | "comment"
  /** One character, or `::` and `:=`. */
  | "symbol"
  | "backslash";

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** Words in lower case, symbols as written, empty for the rest. */
  readonly word: string;
  /** True if the text ended inside of the token. */
  readonly open: boolean;
}

export interface TokenOptions {
  /** True to end quoted strings and names at the end of their line: for texts with an open quote. */
  readonly quotesEndAtLine?: boolean;
}

/** The token at or after `at` (skipping white space), undefined at `end`. */
export function nextToken(
  text: string,
  at: number,
  end: number,
  options: TokenOptions = {},
): Token | undefined {
  let start = at;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  if (start >= end) return undefined;
  const character = text[start] ?? "";
  if (character === "-" && text[start + 1] === "-") {
    return token("comment", start, lineEnd(text, start, end));
  }
  if (character === "/" && text[start + 1] === "*") return blockComment(text, start, end);
  if (character === "'") return quoted(text, start, start, end, "string", options);
  if (character === '"') return quoted(text, start, start, end, "name", options);
  if (character === "$") return dollar(text, start, end);
  if (character === "\\") return token("backslash", start, start + 1);
  if (isDigit(character) || (character === "." && isDigit(text[start + 1] ?? ""))) {
    return token("number", start, numberEnd(text, start, end));
  }
  if (isWordStart(character)) return wordOrPrefixedString(text, start, end, options);
  const two = character + (text[start + 1] ?? "");
  const length = (two === "::" || two === ":=") && start + 2 <= end ? 2 : 1;
  return {
    kind: "symbol",
    start,
    end: start + length,
    word: text.slice(start, start + length),
    open: false,
  };
}

/** All tokens of `[start, end)` without comments. */
export function tokensOf(text: string, start: number, end: number): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = start; ;) {
    const next = nextToken(text, at, end);
    if (next === undefined) return tokens;
    if (next.kind !== "comment") tokens.push(next);
    at = next.end;
  }
}

/** The name of a word or quoted-name token: folded to lower case unless quoted. */
export function nameOf(text: string, from: Token): string {
  if (from.kind !== "name") return from.word;
  return text.slice(from.start + 1, from.end - (from.open ? 0 : 1)).replaceAll('""', '"');
}

/** The value of a plain or dollar-quoted string token, with backslash escapes unchanged. */
export function stringOf(text: string, from: Token): string {
  const raw = text.slice(from.start, from.end);
  const tag = /^\$[^$]*\$/.exec(raw)?.[0];
  if (tag !== undefined) return raw.slice(tag.length, from.open ? raw.length : -tag.length);
  const quote = raw.indexOf("'");
  return raw.slice(quote + 1, from.open ? raw.length : -1).replaceAll("''", "'");
}

export function isWordPart(character: string): boolean {
  return isWordStart(character) || isDigit(character) || character === "$";
}

function token(kind: TokenKind, start: number, end: number, open = false): Token {
  return { kind, start, end, word: "", open };
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

function isWordStart(character: string): boolean {
  return (
    (character >= "a" && character <= "z") ||
    (character >= "A" && character <= "Z") ||
    character === "_" ||
    (character > "\u007f" && character !== "\u00a0" && character !== "\ufeff")
  );
}

function lineEnd(text: string, at: number, end: number): number {
  for (let next = at; next < end; next++) {
    const code = text.charCodeAt(next);
    if (code === 10 || code === 13) return next;
  }
  return end;
}

function blockComment(text: string, start: number, end: number): Token {
  let depth = 0;
  for (let at = start; at < end;) {
    if (text[at] === "/" && text[at + 1] === "*") {
      depth++;
      at += 2;
    } else if (text[at] === "*" && text[at + 1] === "/") {
      depth--;
      at += 2;
      if (depth === 0) return token("comment", start, Math.min(at, end));
    } else {
      at++;
    }
  }
  return token("comment", start, end, true);
}

/** `from` is the start of the token (a prefix such as E), `quote` that of its quote. */
function quoted(
  text: string,
  from: number,
  quote: number,
  end: number,
  kind: "string" | "name",
  options: TokenOptions,
): Token {
  const mark = text[quote];
  const escapes = from < quote && /^e$/i.test(text.slice(from, quote));
  for (let at = quote + 1; at < end; at++) {
    const character = text[at];
    if (character === mark) {
      if (text[at + 1] !== mark || at + 1 >= end) return token(kind, from, at + 1);
      at++;
    } else if (character === "\\" && escapes) {
      at++;
    } else if (options.quotesEndAtLine === true && (character === "\n" || character === "\r")) {
      return token(kind, from, at, true);
    }
  }
  return token(kind, from, end, true);
}

function dollar(text: string, start: number, end: number): Token {
  let at = start + 1;
  if (isDigit(text[at] ?? "")) {
    while (at < end && isDigit(text[at] ?? "")) at++;
    return token("placeholder", start, at);
  }
  while (at < end && isWordPart(text[at] ?? "") && text[at] !== "$") at++;
  if (text[at] !== "$" || at >= end) {
    return { kind: "symbol", start, end: start + 1, word: "$", open: false };
  }
  const tag = text.slice(start, at + 1);
  const close = text.indexOf(tag, at + 1);
  return close < 0 || close + tag.length > end
    ? token("string", start, end, true)
    : token("string", start, close + tag.length);
}

function numberEnd(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isDigit(text[at] ?? "")) at++;
  // `1..5` is a range of PL/pgSQL, not the numbers `1.` and `.5`.
  if (text[at] === "." && text[at + 1] !== "." && at < end) {
    at++;
    while (at < end && isDigit(text[at] ?? "")) at++;
  }
  const exponent = /^[eE][+-]?\d+/.exec(text.slice(at, Math.min(end, at + 24)));
  if (exponent !== null) at += exponent[0].length;
  return at;
}

function wordOrPrefixedString(
  text: string,
  start: number,
  end: number,
  options: TokenOptions,
): Token {
  const next = text[start + 1];
  if (next === "'" && /[ebxn]/i.test(text[start] ?? "")) {
    return quoted(text, start, start + 1, end, "string", options);
  }
  if (next === "&" && /u/i.test(text[start] ?? "")) {
    const mark = text[start + 2];
    if (mark === "'") return quoted(text, start, start + 2, end, "string", options);
  }
  let at = start + 1;
  while (at < end && isWordPart(text[at] ?? "")) at++;
  return { kind: "word", start, end: at, word: text.slice(start, at).toLowerCase(), open: false };
}
