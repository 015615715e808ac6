// Placeholders of all client libraries, and sqlc's macros, are rewritten to $1, $2, ...; every offset maps back to the user's text.
import { elementName } from "../../../program/arrays";
import type { SqlPiece } from "../lowering";
import { plainPiece } from "../lowering";
import type { LineIndex } from "./lines";
import { isWordPart, nextToken, type Token } from "./tokens";

export interface Placeholder {
  /** The n of `$n` in the rewritten text. */
  readonly number: number;
  /** The user's name of it: `id`, `$1`, `?1`. */
  readonly name: string;
  readonly style: "named" | "numbered" | "question" | "percent" | "at";
  /** `:'name'` is text whatever the value; `:{?name}` tests whether the variable is set. */
  readonly use: "value" | "text" | "isSet";
}

/** A part of the text that is replaced: by the placeholder's value, if it is one, and then by the text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly placeholder?: Placeholder;
  readonly text: string;
}

export interface PreLexResult {
  readonly piece: SqlPiece;
  readonly placeholders: readonly Placeholder[];
  /** All that is replaced, in text order. */
  readonly edits: readonly Edit[];
  /** `:"name"`: an identifier that is only known at run time. */
  readonly holes: readonly {
    readonly name: string;
    readonly start: number;
    readonly end: number;
  }[];
}

/**
 * Rewrites `[start, end)` of a file. `anonymous` is the number of earlier `?` and `%s` in the same transaction, so that each gets a unique
 * name. Casts, `:=`, array slices and the JSON operators `?`, `?|`, `?&`, `%` and `@` are kept. Linear in the text.
 */
export function preLex(lines: LineIndex, start: number, end: number, anonymous = 0): PreLexResult {
  const text = lines.text;
  // In canonical text of other dialects an at sign begins a variable.
  const found = findPlaceholders(text, start, end, anonymous).filter(
    ({ style }) => lines.written === undefined || style !== "at",
  );
  const holes = found.filter((each) => each.hole);
  if (found.length === 0) {
    return { piece: plainPiece(lines, start, end), placeholders: [], edits: [], holes: [] };
  }
  const numbers = numberPlaceholders(found);
  const edits = found.map(({ start: from, end: to, name, hole, then = "", ...each }): Edit => {
    if (hole) return { start: from, end: to, text: `"${name}"` };
    const placeholder = numbers.get(keyOf({ ...each, name }));
    return { start: from, end: to, ...(placeholder && { placeholder }), text: then };
  });
  const { sql, toFile } = applyEdits(text, start, end, edits);
  return {
    piece: { lines, sql, start, end, toFile },
    placeholders: [...numbers.values()],
    edits,
    holes: holes.map(({ name, start: from, end: to }) => ({ name, start: from, end: to })),
  };
}

/** The text of `[start, end)` with something written for each placeholder. */
export function withPlaceholders(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  edits: readonly Edit[],
  write: (placeholder: Placeholder) => string,
): string {
  let result = "";
  let at = start;
  for (const edit of edits) {
    result += text.slice(at, edit.start) + (edit.placeholder ? write(edit.placeholder) : "");
    result += edit.text;
    at = edit.end;
  }
  return result + text.slice(at, end);
}

interface Found {
  readonly start: number;
  readonly end: number;
  /** Empty where a text is replaced by `then` alone. */
  readonly name: string;
  readonly style: Placeholder["style"];
  readonly use: Placeholder["use"];
  readonly hole: boolean;
  /** Text that follows the placeholder. */
  readonly then?: string;
}

function findPlaceholders(text: string, start: number, end: number, anonymous: number): Found[] {
  const found: Found[] = [];
  let previous: Token | undefined;
  let brackets = 0;
  let questions = anonymous;
  for (let at = start; ;) {
    const token = nextToken(text, at, end);
    if (token === undefined) return found;
    at = token.end;
    if (token.kind === "comment") continue;
    if (token.word === "[") brackets++;
    if (token.word === "]") brackets--;
    const macro = token.word === "sqlc" ? sqlcMacro(text, token.start, end) : undefined;
    if (macro !== undefined) {
      found.push(...macro);
      at = macro.at(-1)?.end ?? at;
      previous = { kind: "placeholder", start: token.start, end: at, word: "", open: false };
      continue;
    }
    const operand = isOperand(previous);
    const match = matchPlaceholder(text, token, end, operand, brackets > 0);
    if (match !== undefined) {
      const name = match.name === "" ? `?${++questions}` : match.name;
      found.push({ ...match, name, start: token.start });
      at = match.end;
      previous = { kind: "placeholder", start: token.start, end: at, word: "", open: false };
    } else {
      previous = token;
    }
  }
}

/** A macro of sqlc with its name, a word or a text. */
const SQLC_MACRO =
  /(sqlc\s*\.\s*(arg|narg|slice|embed)\s*\(\s*)(?:'([A-Za-z_]\w*)'|([A-Za-z_]\w*|"[^"]+"))\s*\)/iy;

/** sqlc's parameters, its lists of them (two items stand for all, as in code), and a table's columns in a row of Go. */
function sqlcMacro(text: string, start: number, limit: number): readonly Found[] | undefined {
  SQLC_MACRO.lastIndex = start;
  const [whole = "", head = "", macro = "", quoted, plain = ""] = SQLC_MACRO.exec(text) ?? [];
  const [middle, end] = [start + head.length, start + whole.length];
  if (whole === "" || end > limit) return undefined;
  const shape = { style: "named", use: "value", hole: false } as const;
  switch (macro.toLowerCase()) {
    case "embed": {
      const name = { ...shape, name: "" };
      return [
        { ...name, start, end: middle },
        { ...name, start: middle + (quoted === undefined ? plain.length : 0), end, then: ".*" },
      ];
    }
    case "slice": {
      const list = quoted ?? plain;
      return [
        { ...shape, start, end: middle, name: elementName(list, 1), then: ", " },
        { ...shape, start: middle, end, name: elementName(list, 2) },
      ];
    }
    default:
      return [{ ...shape, start, end, name: quoted ?? plain }];
  }
}

type Match = Omit<Found, "start">;

function matchPlaceholder(
  text: string,
  token: Token,
  end: number,
  afterOperand: boolean,
  inBrackets: boolean,
): Match | undefined {
  if (token.kind === "placeholder") {
    const name = text.slice(token.start, token.end);
    return { end: token.end, name, style: "numbered", use: "value", hole: false };
  }
  if (token.kind !== "symbol") return undefined;
  const next = token.end < end ? (text[token.end] ?? "") : "";
  const touching = text[token.start - 1] ?? "";
  switch (token.word) {
    case ":":
      return inBrackets && afterOperand ? undefined : colon(text, token, end);
    case "?":
      if (afterOperand || next === "?" || next === "|" || next === "&") return undefined;
      return { end: token.end, name: "", style: "question", use: "value", hole: false };
    case "%":
      return afterOperand ? undefined : percent(text, token, end);
    case "@": {
      if (afterOperand || !/[a-z_]/i.test(next) || /[<>@~!&|?#]/.test(touching)) return undefined;
      const to = wordEnd(text, token.end, end);
      const name = text.slice(token.end, to);
      return { end: to, name, style: "at", use: "value", hole: false };
    }
    default:
      return undefined;
  }
}

function colon(text: string, token: Token, end: number): Match | undefined {
  const next = token.end < end ? (text[token.end] ?? "") : "";
  if (isWordPart(next) && next !== "$") {
    const to = wordEnd(text, token.end, end);
    const name = text.slice(token.end, to);
    return { end: to, name, style: "named", use: "value", hole: false };
  }
  const special = /^(?:'([A-Za-z_]\w*)'|"([A-Za-z_]\w*)"|\{\?([A-Za-z_]\w*)\})/.exec(
    text.slice(token.end, Math.min(end, token.end + 80)),
  );
  if (special === null) return undefined;
  const to = token.end + special[0].length;
  const [, value, identifier, defined] = special;
  if (identifier !== undefined) {
    return { end: to, name: identifier, style: "named", use: "value", hole: true };
  }
  const use = value === undefined ? "isSet" : "text";
  return { end: to, name: value ?? defined ?? "", style: "named", use, hole: false };
}

function percent(text: string, token: Token, end: number): Match | undefined {
  const rest = text.slice(token.end, Math.min(end, token.end + 80));
  const named = /^\(([A-Za-z_]\w*)\)[sdbt]/.exec(rest);
  if (named !== null) {
    const name = named[1] ?? "";
    return { end: token.end + named[0].length, name, style: "percent", use: "value", hole: false };
  }
  return /^s(?!\w)/.test(rest)
    ? { end: token.end + 1, name: "", style: "percent", use: "value", hole: false }
    : undefined;
}

function wordEnd(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isWordPart(text[at] ?? "") && text[at] !== "$") at++;
  return at;
}

/** Words before a value: a `?` there is a placeholder, elsewhere an operator. */
const BEFORE_VALUE = new Set(
  (
    "select where and or not on having limit offset set values in between like ilike is case when then " +
    "else returning by interval date time timestamp similar to from using any all some distinct as fetch " +
    "first next return call exec execute if while until with escape"
  ).split(" "),
);

function isOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === "symbol") return token.word === ")" || token.word === "]";
  return token.kind !== "word" || !BEFORE_VALUE.has(token.word);
}

function keyOf(found: Pick<Found, "name" | "use">): string {
  return found.use === "isSet" ? `${found.name}?` : found.name;
}

/** Equal names share a number; `$n` keeps its own, the others are numbered after the largest. */
function numberPlaceholders(found: readonly Found[]): Map<string, Placeholder> {
  let next = 1;
  for (const each of found) {
    if (each.style === "numbered") next = Math.max(next, Number(each.name.slice(1)) + 1);
  }
  const numbers = new Map<string, Placeholder>();
  for (const each of found) {
    if (each.hole || each.name === "") continue;
    const known = numbers.get(keyOf(each));
    const number =
      known?.number ?? (each.style === "numbered" ? Number(each.name.slice(1)) : next++);
    numbers.set(keyOf(each), {
      number,
      name: each.name,
      style: each.style,
      use: known?.use === "value" ? "value" : each.use,
    });
  }
  return numbers;
}

/** The edited text, and the map of its offsets to the file. */
function applyEdits(
  text: string,
  start: number,
  end: number,
  edits: readonly Edit[],
): { readonly sql: string; readonly toFile: (offset: number) => number } {
  // Segment i begins at `from[i]` of the result and at `to[i]` of the file; replaced ones do not advance.
  const from: number[] = [];
  const to: number[] = [];
  const fixed: boolean[] = [];
  const parts: string[] = [];
  let length = 0;
  let at = start;
  function add(part: string, file: number, replaced: boolean): void {
    from.push(length);
    to.push(file);
    fixed.push(replaced);
    parts.push(part);
    length += part.length;
  }
  for (const edit of edits) {
    add(text.slice(at, edit.start), at, false);
    const number = edit.placeholder === undefined ? "" : `$${edit.placeholder.number}`;
    add(number + edit.text, edit.start, true);
    at = edit.end;
  }
  add(text.slice(at, end), at, false);
  function toFile(offset: number): number {
    let low = 0;
    let high = from.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((from[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const base = to[low] ?? start;
    if (fixed[low] === true) return base;
    return Math.max(start, Math.min(end, base + offset - (from[low] ?? 0)));
  }
  return { sql: parts.join(""), toFile };
}
