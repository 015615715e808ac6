// Streaming reader of EDN (extensible data notation), form by form, for the subset in recorded histories.
import { dictionary } from "../../protocol/dictionary";
import { excerpt, type Fault } from "./fault";
import { join } from "./lines";

export type EdnValue =
  | { readonly kind: "nil" }
  | { readonly kind: "boolean"; readonly value: boolean }
  /** Within 2^53 a number, beyond it a bigint; decimals and ratios are text. */
  | { readonly kind: "integer"; readonly value: number | bigint }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "keyword"; readonly value: string }
  /** Symbols, decimals, characters: whatever is only compared. */
  | { readonly kind: "other"; readonly value: string }
  | { readonly kind: "sequence"; readonly items: readonly EdnValue[] }
  | { readonly kind: "map"; readonly entries: readonly (readonly [EdnValue, EdnValue])[] };

/** Takes one top-level form and its first line. */
export type TakeForm = (form: EdnValue, line: number) => Fault | undefined;

export interface EdnForms {
  feed(bytes: Uint8Array): Fault | undefined;
  end(): Fault | undefined;
}

/** Limit of a form in bytes: longer ones are no operations of a history. */
const LONGEST_FORM = 64 * 1024 * 1024;

const [LF, QUOTE, BACKSLASH, SEMICOLON] = [10, 34, 92, 59];

/** Passes the forms of a stream to `take`; an enclosing vector or list is skipped. */
export function ednForms(take: TakeForm): EdnForms {
  let rest: Uint8Array[] = [];
  let restLength = 0;
  let line = 1;
  let startLine = 1;
  let depth = 0;
  let inForm = false;
  let wrapped = false;
  let closed = false;
  let seen = false;
  let mode: "plain" | "string" | "escape" | "comment" | "character" = "plain";

  function finish(bytes: Uint8Array, from: number, to: number): Fault | undefined {
    const own = bytes.subarray(from, to);
    const whole = restLength === 0 ? own : join([...rest, own], restLength + own.length);
    rest = [];
    restLength = 0;
    inForm = false;
    const read = readForm(whole, startLine);
    return "place" in read ? read : take(read.value, startLine);
  }

  return {
    feed(bytes) {
      let from = 0;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at] ?? 0;
        if (byte === LF) line += 1;
        if (mode === "comment") {
          if (byte === LF) mode = "plain";
          continue;
        }
        if (mode === "escape" || mode === "character") {
          mode = mode === "escape" ? "string" : "plain";
          continue;
        }
        if (mode === "string") {
          if (byte === BACKSLASH) mode = "escape";
          else if (byte === QUOTE) mode = "plain";
          continue;
        }
        if (byte === SEMICOLON) {
          mode = "comment";
          continue;
        }
        if (byte === BACKSLASH) mode = "character";
        if (byte === QUOTE) mode = "string";
        if (isBlank(byte)) continue;
        if (!seen) {
          seen = true;
          if (byte === 91 || byte === 40) {
            wrapped = true;
            continue;
          }
        }
        if (!inForm) {
          if (wrapped && (byte === 93 || byte === 41)) {
            closed = true;
            continue;
          }
          inForm = true;
          from = at;
          startLine = line;
        }
        if (byte === 123 || byte === 91 || byte === 40) depth += 1;
        else if (byte === 125 || byte === 93 || byte === 41) {
          depth -= 1;
          if (depth > 0) continue;
          const fault =
            depth < 0
              ? { place: { line }, message: "a closing bracket without an opening one" }
              : finish(bytes, from, at + 1);
          if (fault) return fault;
          depth = 0;
        }
      }
      if (!inForm) return undefined;
      const own = bytes.subarray(restLength === 0 ? from : 0);
      rest.push(new Uint8Array(own));
      restLength += own.length;
      if (restLength <= LONGEST_FORM) return undefined;
      return { place: { line: startLine }, message: "a map that never ends: expected }" };
    },
    end() {
      if (!inForm && wrapped && !closed) {
        return { place: { line }, message: "the file ends early: expected ] after the last map" };
      }
      if (!inForm) return undefined;
      const found = excerpt(join(rest, restLength));
      return {
        place: { line: startLine },
        message: `the file ends inside ${found}: expected a map {...} with its closing bracket`,
      };
    },
  };
}

function isBlank(byte: number): boolean {
  return byte === 32 || byte === LF || byte === 13 || byte === 9 || byte === 44;
}

type Read = { readonly value: EdnValue } | Fault;

const decoder = new TextDecoder();
const DEEPEST = 100;

/** Reads one whole form. */
export function readForm(bytes: Uint8Array, line: number): Read {
  const text = decoder.decode(bytes);
  const tokens = new RegExp(TOKEN);
  let depth = 0;

  function fault(message: string): Fault {
    return { place: { line }, message };
  }

  function next(): string | undefined {
    for (;;) {
      const match = tokens.exec(text);
      if (!match) return undefined;
      const token = match[0];
      if (!token.startsWith(";")) return token;
    }
  }

  function value(token: string | undefined): Read {
    if (token === undefined) return fault("the value ends early");
    switch (token) {
      case "{":
      case "[":
      case "(":
      case "#{":
        return collection(token);
      case "}":
      case "]":
      case ")":
        return fault(`unexpected ${token}`);
      case "#_": {
        const dropped = value(next());
        return "place" in dropped ? dropped : value(next());
      }
      default:
        // A tag is the type of the next form, as in #jepsen.history.Op{...}.
        return token.startsWith("#") ? value(next()) : { value: atom(token) };
    }
  }

  function collection(open: string): Read {
    depth += 1;
    if (depth > DEEPEST) return fault(`more than ${String(DEEPEST)} brackets in one another`);
    const close = CLOSE[open];
    const items: EdnValue[] = [];
    for (;;) {
      const token = next();
      if (token === close) break;
      if (token === undefined) return fault(`expected ${close ?? "a bracket"}`);
      const read = value(token);
      if ("place" in read) return read;
      items.push(read.value);
    }
    depth -= 1;
    if (open !== "{") return { value: { kind: "sequence", items } };
    if (items.length % 2 === 1) return fault("a map with a key and no value");
    const entries: (readonly [EdnValue, EdnValue])[] = [];
    for (let at = 0; at + 1 < items.length; at += 2) {
      const [key, held] = [items[at], items[at + 1]];
      if (key && held) entries.push([key, held]);
    }
    return { value: { kind: "map", entries } };
  }

  const read = value(next());
  if ("place" in read) return read;
  const more = next();
  return more === undefined ? read : fault(`unexpected ${more} after a value`);
}

const TOKEN =
  /;[^\n]*|#\{|#_|[{}[\]()]|"(?:[^"\\]|\\[^])*"?|\\[^][^\s,{}[\]()";]*|[^\s,{}[\]()";]+/gu;
const CLOSE = dictionary<string>({ "{": "}", "[": "]", "(": ")", "#{": "}" });

function atom(token: string): EdnValue {
  const first = token.charAt(0);
  if (first === '"') return { kind: "text", value: unescaped(token.slice(1, -1)) };
  if (first === ":") return { kind: "keyword", value: token };
  if (token === "nil") return { kind: "nil" };
  if (token === "true" || token === "false") return { kind: "boolean", value: token === "true" };
  if (/^[+-]?\d+N?$/u.test(token)) return { kind: "integer", value: integer(token) };
  return { kind: "other", value: token };
}

function integer(token: string): number | bigint {
  const digits = token.replace(/^\+|N$/gu, "");
  const small = Number(digits);
  return Number.isSafeInteger(small) ? small : BigInt(digits);
}

const ESCAPES = dictionary<string>({ n: "\n", t: "\t", r: "\r" });

function unescaped(text: string): string {
  return text.replaceAll(/\\(u[\da-fA-F]{4}|[^])/gu, (_, code: string) =>
    code.length > 1
      ? String.fromCharCode(Number.parseInt(code.slice(1), 16))
      : (ESCAPES[code] ?? code),
  );
}

/** The value of a keyword in a map; undefined if there is none, or if it is no map. */
export function entryOf(value: EdnValue, keyword: string): EdnValue | undefined {
  if (value.kind !== "map") return undefined;
  return value.entries.find(([key]) => key.kind === "keyword" && key.value === keyword)?.[1];
}

/** The EDN text of a value, normalised. */
export function ednText(value: EdnValue): string {
  switch (value.kind) {
    case "nil":
      return "nil";
    case "boolean":
    case "integer":
      return String(value.value);
    case "text":
      return JSON.stringify(value.value);
    case "keyword":
    case "other":
      return value.value;
    case "sequence":
      return `[${value.items.map(ednText).join(" ")}]`;
    case "map":
      return `{${value.entries.map(([key, held]) => `${ednText(key)} ${ednText(held)}`).join(", ")}}`;
  }
}
