// Splits a file into statements, psql meta-commands and COPY data, with exact offsets and in linear time.
import { nextToken, type Token, type TokenOptions } from "./tokens";

export interface Slice {
  readonly kind: "statement" | "meta" | "data";
  /** The extent without white space, leading comments and the semicolon. */
  readonly start: number;
  readonly end: number;
  /** `false` if the text (or a meta-command) ended it before a semicolon. */
  readonly terminated: boolean;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface SplitProblem extends Span {
  readonly code: "open-quote" | "open-comment" | "open-routine" | "binary";
  readonly message: string;
}

export interface SplitResult {
  readonly slices: readonly Slice[];
  readonly comments: readonly Span[];
  readonly problems: readonly SplitProblem[];
}

/**
 * The statements of a psql or pgbench script. An open quote is reported at its start and ends with its line; a routine body that the next
 * CREATE FUNCTION cuts short ends there. Binary text gives no slices.
 */
export function splitStatements(text: string): SplitResult {
  if (isBinary(text)) {
    const message = "This file is not text; it was left out.";
    return {
      slices: [],
      comments: [],
      problems: [{ code: "binary", message, start: 0, end: 0 }],
    };
  }
  const first = splitWith(text, {});
  return first.openQuote ? splitWith(text, { quotesEndAtLine: true }) : first;
}

/** Resuming after an open comment or dollar quote searches the rest of the text: limited, to stay linear. */
const MOST_RESUMED = 20;

interface Pending {
  start: number;
  end: number;
  /** The first words, which determine how the statement ends. */
  words: string[];
  /** Depth of BEGIN ATOMIC ... END and of CASE inside it. */
  block: number;
  /** Depth of parentheses in CREATE RULE. */
  parentheses: number;
}

function splitWith(text: string, options: TokenOptions): SplitResult & { openQuote: boolean } {
  const slices: Slice[] = [];
  const comments: Span[] = [];
  const problems: SplitProblem[] = [];
  let openQuote = false;
  let pending: Pending | undefined;
  let at = 0;
  let resumed = 0;

  function finish(terminated: boolean): void {
    if (pending === undefined) return;
    const { start } = pending;
    const end = start + text.slice(start, pending.end).trimEnd().length;
    slices.push({ kind: "statement", start, end, terminated });
    pending = undefined;
  }

  for (;;) {
    const token = nextToken(text, at, text.length, options);
    if (token === undefined) break;
    at = token.end;
    if (token.open) {
      problems.push(openProblem(text, token));
      const isQuote = token.kind !== "comment" && !isDollar(text, token);
      if (isQuote) openQuote = true;
      else if (++resumed <= MOST_RESUMED) {
        at = resume(text, token, pending);
        if (token.kind === "string" && at < text.length) {
          pending = extend(pending, token, at);
          finish(false);
          continue;
        }
      }
    }
    if (token.kind === "comment") {
      comments.push({ start: token.start, end: at });
      continue;
    }
    if (token.kind === "backslash") {
      const meta = metaCommand(text, token.start);
      if (meta.separator) {
        finish(true);
      } else {
        if (/^\\(g|gx|gset|aset|gexec|gdesc|crosstabview|watch|bind)\b/.test(meta.text))
          finish(true);
        else finish(false);
        slices.push({ kind: "meta", start: token.start, end: meta.end, terminated: true });
      }
      at = meta.next;
      continue;
    }
    if (token.kind === "symbol" && token.word === ";" && endsStatement(pending)) {
      const copies = pending !== undefined && copiesFromInput(text, pending);
      finish(true);
      if (copies) at = copyData(text, at, slices);
      continue;
    }
    const cut = pending === undefined ? undefined : cutRoutine(text, token, pending);
    const end = cut ?? at;
    pending = extend(pending, token, end);
    if (cut !== undefined) {
      problems.push(cutProblem(token));
      finish(false);
      at = cut;
    }
  }
  finish(false);
  return { slices, comments, problems, openQuote: openQuote && options.quotesEndAtLine !== true };
}

function extend(pending: Pending | undefined, token: Token, end: number): Pending {
  const next = pending ?? { start: token.start, end, words: [], block: 0, parentheses: 0 };
  next.end = Math.max(token.start, end);
  if (next.words.length < 8 && (token.kind === "word" || token.kind === "name")) {
    next.words.push(token.word);
  }
  if (token.kind === "symbol" && next.words.includes("rule") && next.words[0] === "create") {
    if (token.word === "(") next.parentheses++;
    if (token.word === ")") next.parentheses--;
  }
  if (token.kind === "word" && isRoutine(next.words)) {
    // As in psql: only a routine's BEGIN ATOMIC keeps its semicolons, and CASE also ends with END.
    if (token.word === "atomic") next.block++;
    else if (next.block > 0 && (token.word === "case" || token.word === "begin")) next.block++;
    else if (next.block > 0 && token.word === "end") next.block--;
  }
  return next;
}

function endsStatement(pending: Pending | undefined): boolean {
  return pending === undefined || (pending.block === 0 && pending.parentheses <= 0);
}

function isRoutine(words: readonly string[]): boolean {
  if (words[0] !== "create") return false;
  const what = words[1] === "or" ? words[3] : words[1];
  return what === "function" || what === "procedure";
}

function isDollar(text: string, token: Token): boolean {
  return token.kind === "string" && text[token.start] === "$";
}

const ROUTINE_START = /^[ \t]*create\s+(?:or\s+replace\s+)?(?:function|procedure)\b/im;

/**
 * The real end of a routine's dollar quote with a missing closing tag: its apparent body then extends to the opening tag of the next
 * routine. Undefined if nothing is missing.
 */
function cutRoutine(text: string, token: Token, pending: Pending): number | undefined {
  if (!isDollar(text, token) || token.open || !isRoutine(pending.words)) return undefined;
  const body = text.slice(token.start, token.end);
  const tag = /^\$[^$]*\$/.exec(body)?.[0] ?? "$$";
  if (!/\bas\s*$/i.test(body.slice(-tag.length - 40, -tag.length))) return undefined;
  const inside = ROUTINE_START.exec(body.slice(tag.length));
  return inside === null ? undefined : token.start + tag.length + inside.index;
}

function cutProblem(token: Token): SplitProblem {
  return {
    code: "open-routine",
    message: "The body of this routine is not closed before the next routine starts.",
    start: token.start,
    end: token.start + 2,
  };
}

function openProblem(text: string, token: Token): SplitProblem {
  const comment = token.kind === "comment";
  const what = comment ? "comment" : isDollar(text, token) ? "dollar quote" : "quote";
  return {
    code: comment ? "open-comment" : "open-quote",
    message: `This ${what} is not closed.`,
    start: token.start,
    end: Math.min(token.end, token.start + 2),
  };
}

/** The position after a comment or dollar quote that never ends: the next routine, else the end. */
function resume(text: string, token: Token, pending: Pending | undefined): number {
  if (token.kind === "string" && !isRoutine(pending?.words ?? [])) {
    const line = text.indexOf("\n", token.start);
    return line < 0 ? text.length : line;
  }
  const next = ROUTINE_START.exec(text.slice(token.start));
  return next === null ? text.length : token.start + next.index;
}

interface Meta {
  readonly text: string;
  readonly end: number;
  readonly next: number;
  /** `\;` joins statements for psql; here it separates them. */
  readonly separator: boolean;
}

/** The meta-command at a backslash, up to the end of its line (continued by a backslash before the line break) or to `\\`. */
export function metaCommand(text: string, start: number): Meta {
  if (text[start + 1] === ";") {
    return { text: "\\;", end: start + 2, next: start + 2, separator: true };
  }
  if (text[start + 1] === "\\") {
    return { text: "\\\\", end: start + 2, next: start + 2, separator: true };
  }
  let at = start + 1;
  for (; at < text.length; at++) {
    const character = text[at];
    if (character === "\\" && /^\\\r?\n/.test(text.slice(at, at + 3))) {
      at += text[at + 1] === "\r" ? 2 : 1;
    } else if (character === "\n" || character === "\r") {
      break;
    } else if (character === "\\" && at > start + 1 && /[\\a-z]/i.test(text[at + 1] ?? "")) {
      break;
    }
  }
  const end = start + text.slice(start, at).trimEnd().length;
  const next = text[at] === "\\" && text[at + 1] === "\\" ? at + 2 : at;
  return { text: text.slice(start, end), end, next, separator: false };
}

function copiesFromInput(text: string, pending: Pending): boolean {
  return (
    pending.words[0] === "copy" &&
    /\bfrom\s+stdin\b/i.test(
      text.slice(pending.start, Math.min(pending.end, pending.start + 20000)),
    )
  );
}

/** COPY data extends from the next line to a line `\.`; returns where SQL continues. */
function copyData(text: string, at: number, slices: Slice[]): number {
  const line = text.indexOf("\n", at);
  if (line < 0) return text.length;
  let close = text.indexOf("\n\\.", line);
  while (close >= 0 && !/^\r?(\n|$)/.test(text.slice(close + 3, close + 5))) {
    close = text.indexOf("\n\\.", close + 3);
  }
  const end = close < 0 ? text.length : close + 3;
  slices.push({ kind: "data", start: line + 1, end, terminated: close >= 0 });
  return end;
}

/** True if a file's content is no text. */
export function isBinary(text: string): boolean {
  const head = text.slice(0, 65536);
  if (head.includes("\0")) return true;
  let broken = 0;
  for (const character of head) if (character === "\ufffd") broken++;
  return broken > 8 && broken * 20 > head.length;
}
