// SQL text in pieces: its tokens in either product's spelling, and its statements. Texts that our readers reject have
// tokens too, so that whatever an application sends can be told apart from its literals.
import { nextToken } from "../frontend/sql/text/tokens";
import type { Protocol } from "./events";

export interface Piece {
  readonly kind: "word" | "name" | "string" | "number" | "placeholder" | "comment" | "symbol";
  readonly text: string;
}

/** The tokens of a text, comments included. Linear in its length. */
export function piecesOf(sql: string, protocol: Protocol): readonly Piece[] {
  const found: Piece[] = [];
  for (let at = 0; at < sql.length;) {
    const own = protocol === "mysql" ? mysqlPiece(sql, at) : undefined;
    if (own !== undefined) {
      found.push(own);
      at += own.text.length;
      continue;
    }
    if (/\s/.test(sql[at] ?? "")) {
      at++;
      continue;
    }
    const token = nextToken(sql, at, sql.length);
    if (token === undefined) break;
    const text = sql.slice(token.start, token.end);
    found.push({ kind: token.kind === "backslash" ? "symbol" : token.kind, text });
    at = token.end;
  }
  return found;
}

/** Lexical rules of MySQL beside its strings: hexadecimal numbers, backticks, `#`, `?`. */
const MYSQL_PIECES = [
  ["number", /0x[\da-f]+|0b[01]+/iy],
  ["name", /`[^`]*(?:``[^`]*)*`?/y],
  ["comment", /#[^\n]*/y],
  ["placeholder", /\?/y],
] as const;

function mysqlPiece(sql: string, at: number): Piece | undefined {
  if (sql[at] === "'" || sql[at] === '"')
    return { kind: "string", text: sql.slice(at, mysqlStringEnd(sql, at)) };
  for (const [kind, pattern] of MYSQL_PIECES) {
    pattern.lastIndex = at;
    const text = pattern.exec(sql)?.[0];
    if (text !== undefined && text !== "") return { kind, text };
  }
  return undefined;
}

/** The end of a string with backslashes, in either quotes. No expression of characters: those overflow the stack for megabytes. */
function mysqlStringEnd(sql: string, start: number): number {
  const quote = sql[start];
  for (let at = start + 1; at < sql.length; at++) {
    if (sql[at] === "\\") at++;
    else if (sql[at] === quote && sql[++at] !== quote) return at;
  }
  return sql.length;
}

/** The value of a literal as the server would return it. */
export function literalValue({ kind, text }: Piece, protocol: Protocol): string {
  if (kind !== "string") return text;
  if (protocol === "mysql") {
    const quote = text.slice(0, 1);
    const inside = text.slice(1, text.endsWith(quote) && text.length > 1 ? -1 : undefined);
    return inside
      .replaceAll(quote + quote, quote)
      .replace(/\\([^])/g, (_, escaped: string) => ESCAPES.get(escaped) ?? escaped);
  }
  const tag = /^\$[^$]*\$/.exec(text)?.[0];
  if (tag !== undefined) return text.slice(tag.length, -tag.length);
  const quote = text.indexOf("'");
  const inside = text.slice(quote + 1, -1).replaceAll("''", "'");
  return /^e/i.test(text)
    ? inside.replace(/\\([^])/g, (_, escaped: string) => ESCAPES.get(escaped) ?? escaped)
    : inside;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["b", "\b"],
  ["0", "\0"],
]);

/** The statements of a text that several may stand in; each keeps its comments. */
export function statementsOf(sql: string, protocol: Protocol): readonly string[] {
  const pieces = piecesOf(sql, protocol);
  if (!pieces.some(({ kind, text }) => kind === "symbol" && text === ";")) return [sql];
  const found: string[] = [];
  let at = 0;
  let start = 0;
  let isEmpty = true;
  let block = routineBlocks();
  for (const { kind, text } of pieces) {
    const here = sql.indexOf(text, at);
    at = here + text.length;
    if (kind === "symbol" && text === ";" && !block.isOpen()) {
      if (!isEmpty) found.push(sql.slice(start, here));
      start = at;
      isEmpty = true;
      block = routineBlocks();
    } else if (kind !== "comment") {
      isEmpty = false;
      block.add(kind === "word" ? text.toLowerCase() : text);
    }
  }
  const rest = sql.slice(start);
  if (!isEmpty) found.push(rest);
  // A comment behind the last semicolon belongs to the statement before it.
  else if (rest.trim() !== "" && found.length > 0) found.push((found.pop() ?? "") + rest);
  return found;
}

const ROUTINES = new Set(["procedure", "function", "trigger", "event"]);
/** Their END says what it ends, and their beginning looks like a function's name. */
const NAMED_ENDS = new Set(["if", "loop", "while", "repeat"]);

/** Blocks of one statement, word by word: a semicolon inside of a routine's body ends no statement that was sent. */
function routineBlocks(): { readonly add: (word: string) => void; readonly isOpen: () => boolean } {
  let first = "";
  let isRoutine = false;
  let depth = 0;
  let isEnd = false;
  return {
    add(word) {
      if (first === "") first = word;
      if (first !== "create") return;
      if (isEnd && NAMED_ENDS.has(word)) depth++;
      const isCaseEnd = isEnd && word === "case";
      isEnd = isRoutine && word === "end" && depth > 0;
      isRoutine ||= ROUTINES.has(word);
      if (isEnd) depth--;
      else if (isRoutine && !isCaseEnd && (word === "begin" || word === "case")) depth++;
    },
    isOpen: () => depth > 0,
  };
}
