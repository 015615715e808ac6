// Recursive descent parser for bodies of stored routines of MySQL and MariaDB. SQL inside stays text. A broken statement is skipped up to
// its semicolon, so that an unfinished body is read as far as possible.
import { takeCase, takeEnd, takeIf, type BranchGrammar } from "../routine/branchText";
import {
  atEnd,
  DEEPEST_BLOCK,
  endOf,
  endsAround,
  isName,
  openCursor,
  peek,
  problem,
  skipStatement,
  spanOverCase,
  startOf,
  take,
  takeName,
  word,
  type Cursor,
  type Problem,
} from "../routine/cursor";
import { takeDeclarations } from "./declarations";
import { takeFor } from "./forLoop";
import { takeSimple } from "./simple";
import type { Block, LoopOver, RoutineStatement, WithoutPlace } from "./tree";

export interface ParsedBody {
  readonly statements: readonly RoutineStatement[];
  readonly problems: readonly Problem[];
}

/** The statement of a routine's body, usually a block. Never fails; linear in the text. */
export function parseBody(text: string): ParsedBody {
  const cursor = openCursor(text);
  const statements: RoutineStatement[] = [];
  if (!atEnd(cursor)) statements.push(takeStatement(cursor, "last"));
  while (take(cursor, ";"));
  if (!atEnd(cursor)) {
    problem(cursor, "the end of the routine is expected here");
    statements.push(...takeStatements(cursor, NOTHING));
  }
  return { statements, problems: cursor.problems };
}

const NOTHING: ReadonlySet<string> = new Set();
const END = new Set(["end"]);

function takeBlock(cursor: Cursor, label: string | undefined): Block {
  take(cursor, "begin");
  if (take(cursor, "not")) take(cursor, "atomic");
  const declarations = takeDeclarations(cursor, takeHandled);
  const body = takeStatements(cursor, END);
  takeEnd(cursor);
  return { label, declarations, body };
}

/** The statement of a handler, without its semicolon. */
function takeHandled(cursor: Cursor): readonly RoutineStatement[] {
  if (atEnd(cursor) || isTooDeep(cursor)) return [];
  cursor.depth++;
  const statement = takeStatement(cursor, "inner");
  cursor.depth--;
  return [statement];
}

/** Words that begin no statement: an END of an enclosing construct, which reports what is missing. */
const STRAY = new Set(["end", "else", "elseif", "when", "until"]);

/** Statements up to one of the words, which is not consumed. */
function takeStatements(cursor: Cursor, until: ReadonlySet<string>): readonly RoutineStatement[] {
  const statements: RoutineStatement[] = [];
  cursor.depth++;
  while (!atEnd(cursor)) {
    if (take(cursor, ";")) continue;
    if (until.has(word(cursor))) break;
    if (STRAY.has(word(cursor))) {
      if (cursor.depth > 1) break;
      skipStatement(cursor);
      continue;
    }
    const before = cursor.at;
    if (isTooDeep(cursor)) break;
    statements.push(takeStatement(cursor, "listed"));
    if (cursor.at === before) cursor.at++;
  }
  cursor.depth--;
  return statements;
}

/** Skips the rest of the text if it is nested too deeply. */
function isTooDeep(cursor: Cursor): boolean {
  if (cursor.depth <= DEEPEST_BLOCK) return false;
  problem(cursor, "this is nested too deeply");
  cursor.silent = true;
  cursor.at = cursor.tokens.length;
  return true;
}

/** `last`: the text ends after it; `inner`: the caller consumes its semicolon. */
function takeStatement(cursor: Cursor, place: "listed" | "inner" | "last"): RoutineStatement {
  const start = startOf(cursor);
  const label = takeLabel(cursor);
  const structured = takeStructured(cursor, label);
  const statement = structured ?? takeSimple(cursor);
  const span = { start, end: Math.max(start, endOf(cursor)) };
  if (place === "listed" && !take(cursor, ";")) {
    problem(cursor, "a semicolon is missing before this");
    if (structured === undefined && !endsAround(cursor)) skipStatement(cursor);
  }
  return { ...statement, span };
}

/** `label:` */
function takeLabel(cursor: Cursor): string | undefined {
  if (!isName(peek(cursor)) || word(cursor, 1) !== ":") return undefined;
  const label = takeName(cursor)?.toLowerCase();
  cursor.at++;
  return label;
}

function takeStructured(cursor: Cursor, label: string | undefined): WithoutPlace | undefined {
  switch (word(cursor)) {
    case "begin":
      return { kind: "block", block: takeBlock(cursor, label) };
    case "if":
      return { kind: "if", ...takeIf(cursor, GRAMMAR) };
    case "case":
      return { kind: "case", ...takeCase(cursor, GRAMMAR) };
    case "loop":
    case "while":
    case "repeat":
      return takeLoop(cursor, label);
    case "for":
      return takeLoop(cursor, label);
    default:
      return undefined;
  }
}

const GRAMMAR: BranchGrammar<RoutineStatement> = {
  span: spanOverCase,
  statements: takeStatements,
  elseIf: ["elseif"],
};

const REPEAT_ENDS = new Set(["until", "end"]);

function takeLoop(cursor: Cursor, label: string | undefined): WithoutPlace {
  const start = startOf(cursor);
  const what = word(cursor);
  cursor.at++;
  const over = takeOver(cursor, what);
  const header = { start, end: endOf(cursor) };
  if (what === "while" || what === "for") {
    if (!take(cursor, "do")) problem(cursor, "DO is expected here");
  }
  const body = takeStatements(cursor, what === "repeat" ? REPEAT_ENDS : END);
  if (what !== "repeat") {
    takeEnd(cursor, what);
    return { kind: "loop", label, over, header, body };
  }
  if (!take(cursor, "until")) problem(cursor, "UNTIL is expected here");
  const until = spanOverCase(cursor, "end");
  takeEnd(cursor, "repeat");
  return { kind: "loop", label, over: { kind: "repeat", until }, header, body };
}

function takeOver(cursor: Cursor, what: string): LoopOver {
  if (what === "while") return { kind: "while", condition: spanOverCase(cursor, "do") };
  return what === "for" ? takeFor(cursor) : { kind: "forever" };
}
