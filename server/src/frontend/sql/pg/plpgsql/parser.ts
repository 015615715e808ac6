// Recursive descent parser for bodies of PL/pgSQL routines. SQL inside stays text for PostgreSQL's parser. A broken statement is skipped up
// to its semicolon, so that an unfinished body is read as far as possible.
import type { Span } from "../../text/split";
import type { Target } from "../../routine/assign";
import { takeCase, takeEnd, takeIf, type BranchGrammar } from "../../routine/branchText";
import {
  atEnd,
  DEEPEST_BLOCK,
  endOf,
  endsAround,
  isName,
  listUntil,
  peek,
  problem,
  skipStatement,
  spanUntil,
  startOf,
  take,
  takeAll,
  takeName,
  takeTargets,
  word,
  openCursor,
  type Cursor,
  type Problem,
} from "../../routine/cursor";
import { takeDeclarations } from "./declarations";
import { takeSimple } from "./simple";
import type { Block, LoopOver, PlStatement } from "./tree";

export interface PlParseResult {
  readonly block: Block | undefined;
  readonly problems: readonly Problem[];
}

/** The outermost block of a body. Never fails; linear in the text. */
export function parsePlBody(text: string): PlParseResult {
  const cursor = openCursor(text);
  // Compiler options: #variable_conflict use_column, ...
  while (take(cursor, "#")) cursor.at += 2;
  const label = takeLabel(cursor);
  if (word(cursor) !== "declare" && word(cursor) !== "begin") {
    problem(cursor, "DECLARE or BEGIN is expected here");
    return { block: undefined, problems: cursor.problems };
  }
  const block = takeBlock(cursor, label);
  take(cursor, ";");
  if (!atEnd(cursor)) problem(cursor, "the end of the routine is expected here");
  return { block, problems: cursor.problems };
}

/** `<<label>>` */
function takeLabel(cursor: Cursor): string | undefined {
  if (word(cursor) !== "<" || word(cursor, 1) !== "<") return undefined;
  cursor.at += 2;
  const label = takeName(cursor);
  takeAll(cursor, ">", ">");
  return label;
}

function takeBlock(cursor: Cursor, label: string | undefined): Block {
  const declarations = take(cursor, "declare") ? takeDeclarations(cursor) : [];
  if (!take(cursor, "begin")) problem(cursor, "BEGIN is expected here");
  const body = takeStatements(cursor, BLOCK_ENDS);
  const hasHandlers = take(cursor, "exception");
  const handlers = hasHandlers ? takeHandlers(cursor) : [];
  takeEnd(cursor);
  return { label, declarations, body, handlers, hasHandlers };
}

const BLOCK_ENDS = new Set(["end", "exception"]);
const END = new Set(["end"]);

function takeHandlers(cursor: Cursor): Block["handlers"] {
  const handlers: Block["handlers"][number][] = [];
  while (take(cursor, "when")) {
    const conditions: string[] = [];
    do {
      const span = spanUntil(cursor, "or", "then");
      conditions.push(cursor.text.slice(span.start, span.end).toLowerCase());
    } while (take(cursor, "or"));
    if (!take(cursor, "then")) problem(cursor, "THEN is expected here");
    handlers.push({ conditions, body: takeStatements(cursor, HANDLER_ENDS) });
  }
  return handlers;
}

const HANDLER_ENDS = new Set(["when", "end"]);

/** Statements up to one of the words, which is not consumed. */
function takeStatements(cursor: Cursor, until: ReadonlySet<string>): readonly PlStatement[] {
  const statements: PlStatement[] = [];
  cursor.depth++;
  while (!atEnd(cursor)) {
    if (take(cursor, ";")) continue;
    if (until.has(word(cursor)) && !isAssigned(cursor)) break;
    if (STRAY.has(word(cursor)) && !isAssigned(cursor)) {
      // The END of an enclosing construct, which reports what is missing.
      break;
    }
    const before = cursor.at;
    if (cursor.depth > DEEPEST_BLOCK) {
      problem(cursor, "this is nested too deeply");
      cursor.silent = true;
      cursor.at = cursor.tokens.length;
      break;
    }
    statements.push(takeStatement(cursor));
    if (cursor.at === before) cursor.at++;
  }
  cursor.depth--;
  return statements;
}

/** Words that begin no statement. */
const STRAY = new Set(["end", "else", "elsif", "elseif", "when", "exception"]);

/** A variable may have the name of a keyword. */
function isAssigned(cursor: Cursor): boolean {
  return word(cursor, 1) === ":=";
}

function takeStatement(cursor: Cursor): PlStatement {
  const start = startOf(cursor);
  const label = takeLabel(cursor);
  const body = isAssigned(cursor) ? undefined : takeStructured(cursor, label);
  const statement = body ?? takeSimple(cursor);
  const span = { start, end: Math.max(start, endOf(cursor)) };
  if (!take(cursor, ";")) {
    problem(cursor, "a semicolon is missing before this");
    if (body === undefined && !endsAround(cursor)) skipStatement(cursor);
  }
  return { ...statement, span };
}

type Unplaced = PlStatement extends infer Each
  ? Each extends PlStatement
    ? Omit<Each, "span">
    : never
  : never;

function takeStructured(cursor: Cursor, label: string | undefined): Unplaced | undefined {
  switch (word(cursor)) {
    case "declare":
    case "begin":
      return { kind: "block", block: takeBlock(cursor, label) };
    case "if":
      return { kind: "if", ...takeIf(cursor, GRAMMAR) };
    case "case":
      return { kind: "case", ...takeCase(cursor, GRAMMAR) };
    case "loop":
    case "while":
    case "for":
    case "foreach":
      return takeLoop(cursor, label);
    default:
      return undefined;
  }
}

const GRAMMAR: BranchGrammar<PlStatement> = {
  span: spanUntil,
  statements: takeStatements,
  elseIf: ["elsif", "elseif"],
};

function takeLoop(cursor: Cursor, label: string | undefined): Unplaced {
  const start = startOf(cursor);
  const over = takeOver(cursor);
  const header = { start, end: endOf(cursor) };
  if (!take(cursor, "loop")) problem(cursor, "LOOP is expected here");
  const body = takeStatements(cursor, END);
  takeEnd(cursor, "loop");
  return { kind: "loop", label, over, header, body };
}

function takeOver(cursor: Cursor): LoopOver {
  if (word(cursor) === "loop") return { kind: "forever" };
  if (take(cursor, "while")) return { kind: "while", condition: spanUntil(cursor, "loop") };
  const each = take(cursor, "foreach");
  if (!each) take(cursor, "for");
  const targets = takeTargets(cursor);
  if (each && take(cursor, "slice")) cursor.at++;
  if (!take(cursor, "in")) problem(cursor, "IN is expected here");
  if (each) {
    take(cursor, "array");
    return { kind: "array", targets, array: spanUntil(cursor, "loop") };
  }
  return takeForRange(cursor, targets);
}

/** The range of a FOR: integers with two dots, a query by its first word, or a cursor's name. */
function takeForRange(cursor: Cursor, targets: readonly Target[]): LoopOver {
  if (take(cursor, "execute")) {
    const command = spanUntil(cursor, "using", "loop");
    const using = take(cursor, "using") ? listUntil(cursor, "loop") : [];
    return { kind: "dynamic", targets, command, using };
  }
  const reverse = take(cursor, "reverse");
  const from = spanOfBound(cursor);
  if (from !== undefined) {
    const to = { ...spanUntil(cursor, "by", "loop"), start: from.after };
    const step = take(cursor, "by") ? spanUntil(cursor, "loop") : undefined;
    const variable = targets[0]?.path[0] ?? "";
    return { kind: "count", variable, from, to, step, reverse };
  }
  const cursorName = isName(peek(cursor)) && ["loop", "("].includes(word(cursor, 1));
  if (cursorName && word(cursor) !== "select" && word(cursor) !== "values") {
    const name = takeName(cursor) ?? "";
    const args = take(cursor, "(") ? listUntil(cursor, "closing") : [];
    take(cursor, ")");
    return { kind: "cursor", targets, cursor: name, args };
  }
  return { kind: "query", targets, query: spanUntil(cursor, "loop") };
}

/** The text up to `..` before LOOP, outside of parentheses; undefined if there is none. */
function spanOfBound(cursor: Cursor): (Span & { readonly after: number }) | undefined {
  let depth = 0;
  for (let ahead = 0; ; ahead++) {
    const token = peek(cursor, ahead);
    if (token === undefined || token.word === ";" || (depth === 0 && token.word === "loop")) {
      return undefined;
    }
    if (token.word === "(" || token.word === "[") depth++;
    if (token.word === ")" || token.word === "]") depth--;
    // In `1..5` the second dot is tokenised as the start of the number `.5`.
    if (depth === 0 && token.word === "." && cursor.text[token.end] === ".") {
      const start = startOf(cursor);
      const end = peek(cursor, ahead - 1)?.end ?? start;
      cursor.at += ahead + 1;
      take(cursor, ".");
      return { start, end, after: token.end + 1 };
    }
  }
}
