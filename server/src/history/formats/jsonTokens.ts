// Tokenises JSON from chunks of bytes. Numbers stay exact: those that a double cannot represent are kept as text.
import { excerpt, type Fault } from "./fault";
import { join } from "./lines";

export type JsonToken = "{" | "}" | "[" | "]" | "," | ":" | JsonScalar;

export type JsonScalar =
  | { readonly kind: "string"; readonly value: string }
  /** Integers within 2^53 as numbers, larger ones as bigints, all others as text. */
  | { readonly kind: "number"; readonly value: number | bigint | string }
  | { readonly kind: "literal"; readonly value: boolean | null };

export type TakeToken = (token: JsonToken, line: number) => Fault | undefined;

export interface JsonTokens {
  feed(bytes: Uint8Array): Fault | undefined;
  /** Ends the last token. */
  end(): Fault | undefined;
}

const LONGEST_TOKEN = 64 * 1024 * 1024;
const [LF, QUOTE, BACKSLASH] = [10, 34, 92];
const decoder = new TextDecoder();

/** Passes tokens with their starting line to `take`. */
export function jsonTokens(take: TakeToken): JsonTokens {
  let rest = new Uint8Array(0);
  let line = 1;

  function scan(bytes: Uint8Array, last: boolean): Fault | undefined {
    let at = 0;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      if (byte === LF) line += 1;
      if (byte === 32 || byte === LF || byte === 13 || byte === 9) {
        at += 1;
        continue;
      }
      const mark = MARKS[byte];
      if (mark !== undefined) {
        const fault = take(mark, line);
        if (fault) return fault;
        at += 1;
        continue;
      }
      const end = byte === QUOTE ? stringEnd(bytes, at) : wordEnd(bytes, at);
      if (end === -1 || (end === bytes.length && byte !== QUOTE && !last)) {
        if (last) return wrong(bytes.subarray(at), 'a string that ends with "');
        if (bytes.length - at > LONGEST_TOKEN) return wrong(bytes.subarray(at), "a shorter value");
        break;
      }
      const read = scalar(bytes.subarray(at, end));
      if (!read) return wrong(bytes.subarray(at, Math.max(end, at + 1)), "a JSON value");
      const fault = take(read, line);
      if (fault) return fault;
      at = end;
    }
    rest = new Uint8Array(bytes.subarray(at));
    return undefined;
  }

  function wrong(bytes: Uint8Array, expected: string): Fault {
    return { place: { line }, message: `expected ${expected}, found ${excerpt(bytes)}` };
  }

  return {
    feed: (bytes) =>
      scan(rest.length === 0 ? bytes : join([rest, bytes], rest.length + bytes.length), false),
    end: () => scan(rest, true),
  };
}

const MARKS: Readonly<Record<number, "{" | "}" | "[" | "]" | "," | ":">> = {
  123: "{",
  125: "}",
  91: "[",
  93: "]",
  44: ",",
  58: ":",
};

/** The position after the closing quote, or -1 if it has not arrived. */
function stringEnd(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) return at + 1;
  }
  return -1;
}

/** The position after the characters of a number or literal. */
function wordEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    const letter = (byte | 32) >= 97 && (byte | 32) <= 122;
    if (!letter && !(byte >= 48 && byte <= 57) && byte !== 43 && byte !== 45 && byte !== 46) break;
    at += 1;
  }
  return at;
}

function scalar(bytes: Uint8Array): JsonScalar | undefined {
  const text = decoder.decode(bytes);
  if (bytes[0] === QUOTE) {
    const value = parsedString(text);
    return value === undefined ? undefined : { kind: "string", value };
  }
  if (text === "null") return { kind: "literal", value: null };
  if (text === "true" || text === "false") return { kind: "literal", value: text === "true" };
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u.test(text)) return undefined;
  if (!/^-?\d+$/u.test(text)) return { kind: "number", value: text };
  const small = Number(text);
  return { kind: "number", value: Number.isSafeInteger(small) ? small : BigInt(text) };
}

function parsedString(text: string): string | undefined {
  if (!text.includes("\\")) return text.slice(1, -1);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    // An unknown escape: the caller reports it.
    return undefined;
  }
}
