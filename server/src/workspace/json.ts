// JSON with positions, so that a remark on a configuration can point at the key. Comments and trailing commas are accepted.
import type { Position, Range } from "../protocol/source";

export type JsonValue =
  | { readonly kind: "object"; readonly entries: readonly JsonEntry[]; readonly range: Range }
  | { readonly kind: "array"; readonly items: readonly JsonValue[]; readonly range: Range }
  | { readonly kind: "string"; readonly value: string; readonly range: Range }
  | { readonly kind: "number"; readonly value: number; readonly range: Range }
  | { readonly kind: "boolean"; readonly value: boolean; readonly range: Range }
  | { readonly kind: "null"; readonly range: Range };

export interface JsonEntry {
  readonly key: string;
  readonly keyRange: Range;
  readonly value: JsonValue;
}

export type JsonResult =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string; readonly range: Range };

/** Parses a JSON text (skipping a byte order mark); stops at the first error, with its place. */
export function parseJson(text: string): JsonResult {
  const reader: Reader = {
    text,
    at: text.charCodeAt(0) === 0xfeff ? 1 : 0,
    lines: lineStarts(text),
  };
  try {
    const value = readValue(reader, 0);
    skipBlanks(reader);
    if (reader.at < text.length) throw new JsonProblem("the text goes on after the end", reader.at);
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    const end = Math.min(error.at + 1, text.length);
    return { ok: false, message: error.message, range: rangeOf(reader, error.at, end) };
  }
}

/**
 * The range of a part of a string value, by offsets in the value; the value is at `range` of a JSON text, where escapes have their written
 * length. An empty part is widened to one character.
 */
export function rangeWithin(text: string, range: Range, from: number, to: number): Range {
  const line = text.split("\n")[range.start.line] ?? "";
  const places: number[] = [];
  let at = range.start.character + 1;
  while (at < range.end.character - 1) {
    places.push(at);
    at += line[at] !== "\\" ? 1 : line[at + 1] === "u" ? 6 : 2;
  }
  const closing = range.end.character - 1;
  const start = places[from] ?? closing;
  const end = Math.max(start + 1, places[to] ?? closing);
  const placed = (character: number): Position => ({ line: range.start.line, character });
  return { start: placed(start), end: placed(end) };
}

interface Reader {
  readonly text: string;
  at: number;
  readonly lines: readonly number[];
}

/** Aborts the recursive descent; does not leave this file. */
class JsonProblem extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

const DEEPEST = 100;

function readValue(reader: Reader, depth: number): JsonValue {
  if (depth > DEEPEST) throw new JsonProblem("nested too deeply", reader.at);
  skipBlanks(reader);
  const start = reader.at;
  const first = reader.text[start];
  if (first === "{") return readObject(reader, depth);
  if (first === "[") return readArray(reader, depth);
  if (first === '"') {
    const value = readString(reader);
    return { kind: "string", value, range: rangeOf(reader, start, reader.at) };
  }
  const word = /^[\w+.-]+/u.exec(reader.text.slice(start, start + 64))?.[0];
  if (word === undefined) {
    throw new JsonProblem(
      first === undefined ? "the text ends early" : "a value is missing",
      start,
    );
  }
  reader.at += word.length;
  const range = rangeOf(reader, start, reader.at);
  if (word === "true" || word === "false")
    return { kind: "boolean", value: word === "true", range };
  if (word === "null") return { kind: "null", range };
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/u.test(word)) {
    return { kind: "number", value: Number(word), range };
  }
  throw new JsonProblem("this is no value; text needs double quotes", start);
}

function readObject(reader: Reader, depth: number): JsonValue {
  const start = reader.at;
  const entries: JsonEntry[] = [];
  reader.at += 1;
  while (!closes(reader, "}", start)) {
    const keyStart = reader.at;
    if (reader.text[keyStart] !== '"')
      throw new JsonProblem("a key in double quotes is missing", keyStart);
    const key = readString(reader);
    const keyRange = rangeOf(reader, keyStart, reader.at);
    skipBlanks(reader);
    if (reader.text[reader.at] !== ":") throw new JsonProblem("a colon is missing", reader.at);
    reader.at += 1;
    entries.push({ key, keyRange, value: readValue(reader, depth + 1) });
    readComma(reader, "}");
  }
  return { kind: "object", entries, range: rangeOf(reader, start, reader.at) };
}

function readArray(reader: Reader, depth: number): JsonValue {
  const start = reader.at;
  const items: JsonValue[] = [];
  reader.at += 1;
  while (!closes(reader, "]", start)) {
    items.push(readValue(reader, depth + 1));
    readComma(reader, "]");
  }
  return { kind: "array", items, range: rangeOf(reader, start, reader.at) };
}

function closes(reader: Reader, bracket: string, opened: number): boolean {
  skipBlanks(reader);
  if (reader.at >= reader.text.length) throw new JsonProblem(`"${bracket}" is missing`, opened);
  if (reader.text[reader.at] !== bracket) return false;
  reader.at += 1;
  return true;
}

function readComma(reader: Reader, bracket: string): void {
  skipBlanks(reader);
  const next = reader.text[reader.at];
  if (next === ",") reader.at += 1;
  else if (next !== bracket && next !== undefined) {
    throw new JsonProblem(`"," or "${bracket}" is missing`, reader.at);
  }
}

function readString(reader: Reader): string {
  const start = reader.at;
  for (let at = start + 1; at < reader.text.length; at += 1) {
    const character = reader.text[at];
    if (character === "\n") break;
    if (character === "\\") at += 1;
    if (character === '"') {
      reader.at = at + 1;
      return unquote(reader.text.slice(start, at + 1), start);
    }
  }
  throw new JsonProblem("the text in quotes does not end", start);
}

function unquote(quoted: string, start: number): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw new JsonProblem("the text in quotes has a wrong escape", start);
  }
}

function skipBlanks(reader: Reader): void {
  const blanks = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/uy;
  blanks.lastIndex = reader.at;
  reader.at += blanks.exec(reader.text)?.[0].length ?? 0;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function rangeOf(reader: Reader, start: number, end: number): Range {
  return { start: positionOf(reader.lines, start), end: positionOf(reader.lines, end) };
}

function positionOf(lines: readonly number[], offset: number): Position {
  let low = 0;
  for (let high = lines.length - 1; low < high;) {
    const middle = Math.ceil((low + high) / 2);
    if ((lines[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low, character: offset - (lines[low] ?? 0) };
}
