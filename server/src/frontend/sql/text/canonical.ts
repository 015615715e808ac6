// Files of MySQL, MariaDB, SQL Server and SQLite as canonical text: of the same length and lines as the user's text, but with PostgreSQL's
// quoting. Names have double quotes, strings single ones, comments begin with -- or /*, client commands and delimiters are blanked. All
// token readers can then read it without mapping positions.
import type { Dialect } from "../../../program/dialect";
import { dictionary } from "../../../protocol/dictionary";
import { endsBatch, startBatch, startsNext, takeSymbol, type Batch } from "../script/batches";
import { bytesOfHex, textOfBytes } from "./bytes";
import { FILLER, neutralCharacter, OF_BYTES } from "./escapes";
import { metaCommand, type Slice, type Span, type SplitProblem, type SplitResult } from "./split";

export interface Canonical extends SplitResult {
  readonly text: string;
}

/** Reads a file in time linear in its text. An open quote is reported at its start and ends with its line. */
export function readCanonical(text: string, dialect: Dialect): Canonical {
  const first = scan(text, dialect, false);
  return first.openQuote ? scan(text, dialect, true) : first;
}

/** Marks that drizzle-kit writes between statements, and removes before sending. */
const BREAKPOINT = "--> statement-breakpoint";

interface Scan {
  readonly text: string;
  readonly dialect: Dialect;
  readonly isMysql: boolean;
  readonly quotesEndAtLine: boolean;
  at: number;
  /** The canonical text so far. */
  readonly parts: string[];
  readonly slices: Slice[];
  readonly comments: Span[];
  readonly problems: SplitProblem[];
  openQuote: boolean;
  delimiter: string;
  /** Ends of open executable comments. */
  executable: number;
  pending: Pending | undefined;
}

interface Pending {
  readonly start: number;
  end: number;
  /** The first words, which identify a routine. */
  words: string[];
  /** Depth of BEGIN ... END in a routine that keeps its semicolons. */
  block: number;
  lastWord: string;
  /** The statement boundaries of SQL Server, where semicolons are optional. */
  readonly batch: Batch;
}

function scan(
  text: string,
  dialect: Dialect,
  quotesEndAtLine: boolean,
): Canonical & { readonly openQuote: boolean } {
  const isMysql = dialect === "mysql" || dialect === "mariadb";
  const state: Scan = {
    text,
    dialect,
    isMysql,
    quotesEndAtLine,
    at: 0,
    parts: [],
    slices: [],
    comments: [],
    problems: [],
    openQuote: false,
    delimiter: ";",
    executable: 0,
    pending: undefined,
  };
  while (state.at < text.length) step(state);
  finish(state, false);
  const { slices, comments, problems } = state;
  const openQuote = state.openQuote && !quotesEndAtLine;
  return { text: state.parts.join(""), slices, comments, problems, openQuote };
}

function step(state: Scan): void {
  const { text, at } = state;
  const character = text[at] ?? "";
  if (/\s/.test(character) || character === "\ufeff") {
    const end = /[\s\ufeff]*/y;
    end.lastIndex = at;
    copy(state, at + (end.exec(text)?.[0].length ?? 1));
    return;
  }
  if (atLineStart(text, at) && clientCommand(state)) return;
  if (startsComment(state, character)) return;
  if (state.executable > 0 && text.startsWith("*/", at)) {
    state.executable--;
    blank(state, at + 2);
    return;
  }
  if (text.startsWith(state.delimiter, at) && endsStatement(state)) {
    finish(state, true);
    blank(state, at + state.delimiter.length);
    return;
  }
  if (character === "\\" && scriptCommand(state)) return;
  if (quotation(state, character)) return;
  if (/[A-Za-z_]/.test(character)) word(state);
  else other(state, character);
}

/** Copies the text up to `end`. */
function copy(state: Scan, end: number): void {
  state.parts.push(state.text.slice(state.at, end));
  state.at = end;
}

/** Replaces the next character by another one. */
function replace(state: Scan, character: string): void {
  state.parts.push(character);
  state.at++;
}

/** Blanks the text up to `end`, keeping line breaks. */
function blank(state: Scan, end: number): void {
  state.parts.push(state.text.slice(state.at, end).replace(/[^\r\n]/g, " "));
  state.at = end;
}

function extend(state: Scan, start: number, end: number): Pending {
  state.pending ??= { start, end, words: [], block: 0, lastWord: "", batch: startBatch() };
  state.pending.end = end;
  return state.pending;
}

function finish(state: Scan, terminated: boolean): void {
  const { pending } = state;
  state.pending = undefined;
  if (pending === undefined) return;
  state.slices.push({ kind: "statement", start: pending.start, end: pending.end, terminated });
}

function lineEnd(text: string, at: number): number {
  const end = /[\r\n]/g;
  end.lastIndex = at;
  return end.exec(text)?.index ?? text.length;
}

function atLineStart(text: string, at: number): boolean {
  for (let before = at - 1; before >= 0; before--) {
    const character = text[before];
    if (character === "\n" || character === "\r") return true;
    if (character !== " " && character !== "\t" && character !== "\ufeff") return false;
  }
  return true;
}

/** DELIMITER of the mysql client, GO of sqlcmd, dot commands of sqlite3. */
function clientCommand(state: Scan): boolean {
  const { text, at, dialect } = state;
  const end = lineEnd(text, at);
  const line = text.slice(at, Math.min(end, at + 200));
  if (state.isMysql) {
    const delimiter = /^delimiter[ \t]+(\S+)/i.exec(line)?.[1];
    if (delimiter === undefined) return false;
    finish(state, false);
    state.delimiter = delimiter;
  } else if (dialect === "sqlserver") {
    if (!/^go(?:[ \t]+\d+)?[ \t]*(?:--.*)?$/i.test(line)) return false;
    finish(state, true);
  } else {
    if (state.pending !== undefined || !/^\.[a-z]+\b/i.test(line)) return false;
  }
  blank(state, end);
  return true;
}

/** Script commands of psql and pgbench, allowed here in scripts of any product. */
const SCRIPT_COMMAND = /\\(?:gset|set|if|elif|else|endif|quit|q)\b/y;

function scriptCommand(state: Scan): boolean {
  const { text, at } = state;
  SCRIPT_COMMAND.lastIndex = at;
  if (!SCRIPT_COMMAND.test(text)) return false;
  const { end, next } = metaCommand(text, at);
  finish(state, true);
  state.slices.push({ kind: "meta", start: at, end, terminated: true });
  copy(state, next);
  return true;
}

function startsComment(state: Scan, character: string): boolean {
  const { text, at, isMysql } = state;
  const next = text[at + 1] ?? "\n";
  if (character === "#" && isMysql) {
    // In canonical text a comment begins with two characters: the mark and the following space.
    const end = lineEnd(text, at);
    if (!/[ \t#]/.test(next)) {
      blank(state, end);
      return true;
    }
    state.comments.push({ start: at, end });
    state.parts.push("--");
    state.at = at + 2;
    copy(state, end);
    return true;
  }
  if (character === "-" && next === "-") {
    if (isMysql && !/\s/.test(text[at + 2] ?? " ") && !text.startsWith(BREAKPOINT, at)) {
      // Without a following space, it is minus minus.
      extend(state, at, at + 2);
      state.parts.push("+ ");
      state.at = at + 2;
      return true;
    }
    const end = lineEnd(text, at);
    state.comments.push({ start: at, end });
    copy(state, end);
    return true;
  }
  return character === "/" && next === "*" && blockComment(state);
}

function blockComment(state: Scan): boolean {
  const { text, at, isMysql } = state;
  const mark = isMysql ? /\/\*(M?)!(\d{0,6})/y : undefined;
  if (mark !== undefined) {
    mark.lastIndex = at;
    const [found, maker = "", version = ""] = mark.exec(text) ?? [];
    if (found !== undefined && isExecuted(state.dialect, maker, version)) {
      state.executable++;
      blank(state, at + found.length);
      return true;
    }
  }
  const close = state.dialect === "sqlserver" ? nestedEnd(text, at) : text.indexOf("*/", at + 2);
  if (close < 0) {
    const message = "This comment is not closed.";
    state.problems.push({ code: "open-comment", message, start: at, end: at + 2 });
  }
  const end = close < 0 ? text.length : close + 2;
  state.comments.push({ start: at, end });
  const inner = text.slice(at + 2, Math.max(at + 2, end - 2));
  const nested = state.dialect === "sqlserver" ? inner : inner.replaceAll("/*", "/ ");
  state.parts.push(text.slice(at, at + 2), nested, text.slice(at + 2 + inner.length, end));
  state.at = end;
  return true;
}

/** MariaDB passes over what is for MySQL from 5.7 on, and MySQL over what is for MariaDB. */
function isExecuted(dialect: Dialect, maker: string, version: string): boolean {
  if (dialect !== "mariadb") return maker === "";
  const number = Number(version);
  return maker === "M" || number < 50_700 || number > 99_999;
}

/** The end of a comment with nested comments, or -1. */
function nestedEnd(text: string, start: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  let depth = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    depth += found[0] === "/*" ? 1 : -1;
    if (depth === 0) return found.index;
  }
  return -1;
}

/** A routine with inner semicolons ends with the END of its outermost block. */
function endsStatement(state: Scan): boolean {
  const { pending } = state;
  if (state.dialect === "sqlserver") {
    const after = state.text.slice(state.at + 1, state.at + 80);
    return pending === undefined || (!isRoutine(pending.words) && endsBatch(pending.batch, after));
  }
  return pending === undefined || pending.block <= 0;
}

function quotation(state: Scan, character: string): boolean {
  const { dialect, isMysql } = state;
  if (character === "'") return quoted(state, "'", "string");
  if (character === '"') return quoted(state, '"', isMysql ? "string" : "name");
  if (character === "`" && dialect !== "sqlserver") return quoted(state, "`", "name");
  if (character === "[" && !isMysql) return quoted(state, "]", "name");
  return false;
}

/** A string or a quoted name, in canonical quotes. */
function quoted(state: Scan, close: string, kind: "string" | "name"): boolean {
  const { text, at: start } = state;
  const mark = kind === "string" ? "'" : '"';
  const parts: string[] = [mark];
  const escapes = state.isMysql && kind === "string";
  let at = start + 1;
  let closed = false;
  while (at < text.length) {
    const character = text[at] ?? "";
    if (character === close) {
      if (text[at + 1] !== close) {
        closed = true;
        break;
      }
      parts.push(FILLER, neutralCharacter(close));
      at += 2;
    } else if (character === "\\" && escapes && at + 1 < text.length) {
      parts.push(...escaped(text[at + 1] ?? ""));
      at += 2;
    } else if (state.quotesEndAtLine && (character === "\n" || character === "\r")) {
      break;
    } else {
      parts.push(character === mark ? neutralCharacter(mark) : character);
      at++;
    }
  }
  const content = parts.join("");
  extend(state, start, closed ? at + 1 : at);
  if (closed) {
    state.parts.push(content, mark);
    state.at = at + 1;
    return true;
  }
  state.openQuote = true;
  const message = "This quote is not closed.";
  state.problems.push({ code: "open-quote", message, start, end: Math.min(at, start + 2) });
  // The last character is replaced by the missing closing quote.
  state.parts.push(at - start > 1 ? content.slice(0, at - start - 1) + mark : " ");
  state.at = at;
  return true;
}

/** A backslash escape. In patterns of LIKE the backslash stays. */
function escaped(character: string): readonly [string, string] {
  if (character === "%" || character === "_") return ["\\", character];
  const meaning = ESCAPES[character] ?? character;
  return [FILLER, /[\r\n]/.test(character) ? character : neutralCharacter(meaning)];
}

const ESCAPES = dictionary<string>({
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  "0": "\0",
  Z: "\x1a",
});

const WORD = /[A-Za-z_0-9$\u0080-\uffff]+/y;

function word(state: Scan): void {
  const { text, at } = state;
  WORD.lastIndex = at;
  const written = WORD.exec(text)?.[0] ?? text[at] ?? "";
  // A name may contain the delimiter's characters, as in END$$.
  const cut = state.delimiter.startsWith("$") ? written.indexOf(state.delimiter) : -1;
  const end = at + (cut > 0 ? cut : written.length);
  const folded = text.slice(at, end).toLowerCase();
  if (state.dialect === "sqlserver") separate(state, folded, end);
  const pending = extend(state, at, end);
  // The introducer of a string (_utf8mb4'x') does not change its value.
  if (state.isMysql && folded.startsWith("_") && introduces(folded, text, end)) {
    blank(state, end);
    return;
  }
  if (state.isMysql && /^[xb]$/.test(folded) && text[end] === "'" && bytesLiteral(state, end + 1))
    return;
  if (pending.words.length < 24) pending.words.push(folded);
  if (isRoutine(pending.words)) countBlocks(pending, folded, text, end);
  pending.lastWord = folded;
  copy(state, end);
}

/** True if the word is the character set of an adjacent string; separated by space it may be an alias. */
function introduces(word: string, text: string, end: number): boolean {
  if (text[end] === "'") return true;
  return CHARACTER_SETS.has(word) && /^\s+[xb]?'/i.test(text.slice(end, end + 20));
}

const CHARACTER_SETS: ReadonlySet<string> = new Set(
  "_binary _utf8mb4 _utf8mb3 _utf8 _latin1 _ascii _ucs2 _utf16 _utf32".split(" "),
);

/** `x'4142'` and `b'101'`: the text of their bytes. False for anything else. */
function bytesLiteral(state: Scan, from: number): boolean {
  const { text, at } = state;
  const close = text.indexOf("'", from);
  const digits = close < 0 ? "" : text.slice(from, close);
  const isHex = /^x$/i.test(text[at] ?? "");
  if (close < 0 || !(isHex ? /^[0-9a-f]*$/i : /^[01]*$/).test(digits)) return false;
  extend(state, at, close + 1);
  literal(state, isHex ? digits : hexOfBits(digits), close + 1);
  return true;
}

/** Replaces the text up to `end` by a string of these bytes. */
function literal(state: Scan, hex: string, end: number): void {
  const bytes = bytesOfHex(hex.length % 2 === 0 ? hex : `0${hex}`);
  const content = [...textOfBytes(bytes)].map(neutralCharacter).join("");
  const filler = FILLER.repeat(Math.max(0, end - state.at - content.length - 3));
  state.parts.push(`'${content}${OF_BYTES}${filler}'`);
  state.at = end;
}

function hexOfBits(bits: string): string {
  const size = Math.ceil(bits.length / 8) * 2;
  return bits === "" ? "" : BigInt(`0b${bits}`).toString(16).padStart(size, "0");
}

/** Ends an SQL Server statement before a word that begins the next one. */
function separate(state: Scan, folded: string, end: number): void {
  const { text, at, pending } = state;
  const after = text.slice(end, end + 40);
  const isOther = pending !== undefined && !isRoutine(pending.words) && text[at - 1] !== "@";
  if (isOther && startsNext(pending.batch, folded, atLineStart(text, at), after)) {
    finish(state, true);
  }
  if (state.pending === undefined) startsNext(extend(state, at, end).batch, folded, true, after);
}

function countBlocks(pending: Pending, folded: string, text: string, end: number): void {
  if (folded === "begin" || (folded === "case" && pending.lastWord !== "end")) pending.block++;
  if (folded !== "end") return;
  const after = /^\s*(if|loop|while|repeat|for)\b/i.test(text.slice(end, end + 80));
  if (!after) pending.block--;
}

function isRoutine(words: readonly string[]): boolean {
  if (words[0] !== "create" && words[0] !== "alter") {
    return words[0] === "begin" && words[1] === "not" && words[2] === "atomic";
  }
  return words.some((each) => ROUTINES.has(each)) && !words.slice(0, 3).includes("table");
}

const ROUTINES = new Set(["procedure", "proc", "function", "trigger", "event"]);

function other(state: Scan, character: string): void {
  const { text, at, isMysql } = state;
  if (character === "\\") {
    // \G and \g of the mysql client end the statement; other backslashes have no meaning.
    if (isMysql && /^\\g\b/i.test(text.slice(at, at + 3))) {
      finish(state, true);
      blank(state, at + 2);
    } else {
      blank(state, at + 1);
    }
    return;
  }
  if (/[0-9]/.test(character)) {
    WORD.lastIndex = at;
    const digits = WORD.exec(text)?.[0] ?? character;
    const end = at + digits.length;
    extend(state, at, end);
    if (isMysql && /^0x[0-9a-fA-F]+$/.test(digits)) literal(state, digits.slice(2), end);
    else copy(state, end);
    return;
  }
  takeSymbol(extend(state, at, at + 1).batch, character);
  const next = text[at + 1] ?? "";
  // SQLite's $name is :name elsewhere, and its ?1 is $1. Otherwise a dollar sign opens a quote only in PostgreSQL.
  const isSqlite = state.dialect === "sqlite";
  if (character === "?" && isSqlite && /[0-9]/.test(next)) replace(state, "$");
  else if (character === "$" && isSqlite && /[A-Za-z_]/.test(next)) replace(state, ":");
  else if (character === "$") blank(state, at + 1);
  else copy(state, at + 1);
}
