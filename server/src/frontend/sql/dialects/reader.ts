// A cursor over the tokens of one canonical statement, shared by all parts of the parser.
import type { Dialect } from "../../../program/dialect";
import { OF_BYTES, plainText } from "../text/escapes";
import type { WrittenName } from "../relationNames";
import type { Spelling } from "../text/spelling";
import { isWordPart, nameOf, nextToken, stringOf } from "../text/tokens";

export interface Lexeme {
  readonly kind:
    | "word"
    | "name"
    | "string"
    | "number"
    | "placeholder"
    | "symbol"
    /** `@x` and `@@x`; `word` is the name with its sigils. */
    | "variable"
    | "system";
  /** Words and names folded, symbols as written, strings by value. */
  readonly word: string;
  readonly start: number;
  readonly end: number;
  /** True for a string written as bytes. */
  readonly isBytes?: boolean;
}

export interface Reader {
  readonly text: string;
  readonly dialect: Dialect;
  readonly spelling: Spelling;
  /** The name of the table that a reference means. */
  readonly nameOf: (written: WrittenName) => string;
  readonly lexemes: readonly Lexeme[];
  at: number;
  /** The nesting depth of the current expression. */
  depth: number;
  /** Relevant parts that were skipped. */
  losses: string[];
  /** The database of the table that is defined or changed, which its foreign keys refer to where they name none. */
  own?: string | undefined;
}

/** The parser's error; caught where parsing began. */
export class Unreadable extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The text that a reader reads, with the names that it has for what is written. */
export interface ReaderInput extends Pick<Reader, "text" | "dialect" | "spelling"> {
  /** Without a name space, tables go by their names alone. */
  readonly nameOf?: Reader["nameOf"];
}

/** A reader at the first token of a canonical text. */
export function createReader({ nameOf = ({ name }) => name, ...input }: ReaderInput): Reader {
  return { ...input, nameOf, lexemes: lexemesOf(input.text), at: 0, depth: 0, losses: [] };
}

const LONGER = [
  "<=>",
  "->>",
  "==",
  "<=",
  ">=",
  "<>",
  "!=",
  "||",
  "&&",
  "->",
  "<<",
  ">>",
  "!<",
  "!>",
];

function lexemesOf(text: string): readonly Lexeme[] {
  const lexemes: Lexeme[] = [];
  for (let at = 0; ;) {
    const token = nextToken(text, at, text.length);
    if (token === undefined) return lexemes;
    at = token.end;
    const { kind, start } = token;
    switch (kind) {
      case "comment":
      case "backslash":
        break;
      case "string": {
        const content = stringOf(text, token);
        const isBytes = content.includes(OF_BYTES);
        lexemes.push({
          kind,
          word: plainText(content),
          start,
          end: at,
          ...(isBytes && { isBytes }),
        });
        break;
      }
      case "name":
        lexemes.push({ kind, word: plainText(nameOf(text, token)), start, end: at });
        break;
      case "number":
      case "placeholder":
        lexemes.push({ kind, word: text.slice(start, at), start, end: at });
        break;
      case "word":
        lexemes.push({ kind, word: token.word, start, end: at });
        break;
      case "symbol": {
        const variable = token.word === "@" ? variableAt(text, start) : undefined;
        const longer = LONGER.find((each) => text.startsWith(each, start));
        if (variable !== undefined) at = variable.end;
        else if (longer !== undefined) at = start + longer.length;
        lexemes.push(variable ?? { kind, word: longer ?? text.slice(start, at), start, end: at });
        break;
      }
      default:
        kind satisfies never;
    }
  }
}

/** `@x`, `@'x'`, `@"x"`, `@@x`, `@@session.x`. */
function variableAt(text: string, start: number): Lexeme | undefined {
  const isSystem = text[start + 1] === "@";
  let end = start + (isSystem ? 2 : 1);
  const from = end;
  if (text[end] === "'" || text[end] === '"') {
    const token = nextToken(text, end, text.length);
    if (token === undefined) return undefined;
    const name = text.slice(token.start + 1, token.end - 1).toLowerCase();
    return { kind: "variable", word: `@${plainText(name)}`, start, end: token.end };
  }
  while (end < text.length && (isWordPart(text[end] ?? "") || text[end] === ".")) end++;
  if (end === from) return undefined;
  const name = text.slice(from, end).toLowerCase();
  return {
    kind: isSystem ? "system" : "variable",
    word: (isSystem ? "@@" : "@") + name,
    start,
    end,
  };
}

export function peek(reader: Reader, ahead = 0): Lexeme | undefined {
  return reader.lexemes[reader.at + ahead];
}

/** The next word or symbol; empty for quoted names, strings and the end. */
export function wordAt(reader: Reader, ahead = 0): string {
  const lexeme = peek(reader, ahead);
  return lexeme?.kind === "word" || lexeme?.kind === "symbol" ? lexeme.word : "";
}

/** Consumes these words if they come next. */
export function take(reader: Reader, ...words: readonly string[]): boolean {
  if (!words.every((word, at) => wordAt(reader, at) === word)) return false;
  reader.at += words.length;
  return true;
}

/** Consumes one of these words if it comes next. */
export function takeAny<Word extends string>(
  reader: Reader,
  ...words: readonly Word[]
): Word | undefined {
  const next = wordAt(reader);
  const found = next === "" ? undefined : words.find((word) => word === next);
  if (found !== undefined) reader.at++;
  return found;
}

export function expect(reader: Reader, ...words: readonly string[]): void {
  for (const word of words) if (!take(reader, word)) throw unexpectedToken(reader);
}

/** The reader's offset in the text. */
export function offsetAt(reader: Reader): number {
  return peek(reader)?.start ?? reader.text.length;
}

export function unexpectedToken(reader: Reader): Unreadable {
  const lexeme = peek(reader);
  if (lexeme === undefined) return new Unreadable("unexpected end", reader.text.length);
  const found = reader.text.slice(lexeme.start, Math.min(lexeme.end, lexeme.start + 40));
  return new Unreadable(`unexpected ${plainText(found)}`, lexeme.start);
}

/** Words that begin the next clause, and are aliases only after AS. */
const CLAUSES = new Set(
  (
    "from where group having order limit offset fetch for lock union intersect except minus on using join inner " +
    "left right full cross natural straight_join outer set values value into window procedure and or not when " +
    "then else end as select insert update delete returning output with use force ignore partition is in like " +
    "between div mod xor regexp rlike option go if begin commit rollback declare exec print return while " +
    "pivot unpivot tablesample default desc asc case exists null"
  ).split(" "),
);

/** Words that no dialect accepts as unquoted names. */
const RESERVED = new Set(
  (
    "from where group having order limit union intersect except on using join inner left right full cross natural " +
    "set values into and or not when then else end as select insert update delete with is in like between div mod " +
    "xor null case exists default for by"
  ).split(" "),
);

/** True at an alias without AS. */
export function isAlias(reader: Reader, ahead = 0): boolean {
  const lexeme = peek(reader, ahead);
  if (lexeme?.kind === "name") return true;
  return lexeme?.kind === "word" && !CLAUSES.has(lexeme.word);
}

/** A name as declared; after a dot or AS any word is one. */
export function takeName(reader: Reader, anyWord = false): string {
  const lexeme = peek(reader);
  if (lexeme?.kind !== "name" && lexeme?.kind !== "word") throw unexpectedToken(reader);
  if (lexeme.kind === "word" && !anyWord && RESERVED.has(lexeme.word))
    throw unexpectedToken(reader);
  reader.at++;
  return reader.spelling(writtenName(reader.text, lexeme));
}

/** A name that no schema declares: a type, a function, a unit. In lower case. */
export function takeWord(reader: Reader): string {
  const lexeme = peek(reader);
  if (lexeme?.kind !== "name" && lexeme?.kind !== "word") throw unexpectedToken(reader);
  reader.at++;
  return lexeme.word.toLowerCase();
}

/** A word or name with its case. */
export function writtenName(text: string, { kind, word, start, end }: Lexeme): string {
  return kind === "word" ? text.slice(start, end) : word;
}

/** The table that `[database.[schema.]]table` means. */
export function takeTable(reader: Reader): string {
  return reader.nameOf(takeQualified(reader));
}

/** The table or alias that a clause beside FROM names. */
export function takeTarget(reader: Reader): string {
  const written = takeQualified(reader);
  return written.schema === undefined ? written.name : reader.nameOf(written);
}

/** `[database.[schema.]]name`, as it is written. SQL Server's temporary tables keep their prefix. */
export function takeQualified(reader: Reader): WrittenName {
  let marks = "";
  while (wordAt(reader) === "#" && reader.dialect === "sqlserver") {
    marks += "#";
    reader.at++;
  }
  let schema: string | undefined;
  let last = peek(reader);
  let name = takeName(reader);
  while (take(reader, ".")) {
    // `database..table` is one of the standard schema.
    schema = wordAt(reader) === "." ? undefined : last?.word.toLowerCase();
    while (take(reader, ".")) continue;
    last = peek(reader);
    name = takeName(reader, true);
  }
  return { name: marks + name, ...(schema !== undefined && { schema }) };
}

/** The names in `(a, b, c)`, without lengths and directions. */
export function takeNames(reader: Reader): readonly string[] {
  const names: string[] = [];
  expect(reader, "(");
  if (take(reader, ")")) return names;
  do {
    const table = takeName(reader, true);
    names.push(take(reader, ".") ? takeName(reader, true) : table);
    if (wordAt(reader) === "(") skipParentheses(reader);
    takeAny(reader, "asc", "desc");
  } while (take(reader, ","));
  expect(reader, ")");
  return names;
}

/** Skips `( ... )`. */
export function skipParentheses(reader: Reader): void {
  expect(reader, "(");
  for (let depth = 1; depth > 0; reader.at++) {
    const lexeme = peek(reader);
    if (lexeme === undefined) throw unexpectedToken(reader);
    if (lexeme.kind !== "symbol") continue;
    if (lexeme.word === "(") depth++;
    if (lexeme.word === ")") depth--;
  }
}

/** Passes over what is left of a call's arguments: `FROM x FOR y`, `ORDER BY a SEPARATOR ','`, `USING utf8`. */
export function skipArguments(reader: Reader): void {
  if (take(reader, ")")) return;
  for (let depth = 1; depth > 0; reader.at++) {
    const lexeme = peek(reader);
    if (lexeme === undefined) throw unexpectedToken(reader);
    if (lexeme.kind !== "symbol") continue;
    if (lexeme.word === "(") depth++;
    if (lexeme.word === ")") depth--;
  }
}
