// Placeholders of all client libraries are rewritten to $1, $2, ...; every offset maps back to the user's text.
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
  /** Its uses in the file. */
  readonly uses: readonly { readonly start: number; readonly end: number }[];
  /** `:'name'` is text whatever the value; `:{?name}` tests whether the variable is set. */
  readonly use: "value" | "text" | "isSet";
}

export interface PreLexResult {
  readonly piece: SqlPiece;
  readonly placeholders: readonly Placeholder[];
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
    return { piece: plainPiece(lines, start, end), placeholders: [], holes: [] };
  }
  const numbers = numberPlaceholders(found);
  const edits = found.map((each) => ({
    start: each.start,
    end: each.end,
    text: each.hole ? `"${each.name}"` : `$${numbers.get(keyOf(each))?.number ?? 0}`,
  }));
  const { sql, toFile } = applyEdits(text, start, end, edits);
  return {
    piece: { lines, sql, start, end, toFile },
    placeholders: [...numbers.values()],
    holes: holes.map(({ name, start: from, end: to }) => ({ name, start: from, end: to })),
  };
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly style: Placeholder["style"];
  readonly use: Placeholder["use"];
  readonly hole: boolean;
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

function keyOf(found: Found): string {
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
    if (each.hole) continue;
    const known = numbers.get(keyOf(each));
    const number =
      known?.number ?? (each.style === "numbered" ? Number(each.name.slice(1)) : next++);
    const use = { start: each.start, end: each.end };
    numbers.set(keyOf(each), {
      number,
      name: each.name,
      style: each.style,
      uses: [...(known?.uses ?? []), use],
      use: known?.use === "value" ? "value" : each.use,
    });
  }
  return numbers;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
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
    add(edit.text, edit.start, true);
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
