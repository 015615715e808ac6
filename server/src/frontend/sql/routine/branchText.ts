// The syntax of IF, CASE and END in routines, common to all routine languages.
import type { Span } from "../text/split";
import { isName, peek, problem, take, word, type Cursor } from "./cursor";

export interface BranchText<Statement> {
  readonly condition: Span;
  readonly body: readonly Statement[];
}

export interface BranchesText<Statement> {
  readonly branches: readonly BranchText<Statement>[];
  readonly otherwise: readonly Statement[] | undefined;
}

/** The language-specific parts. */
export interface BranchGrammar<Statement> {
  /** The text up to one of the words. */
  readonly span: (cursor: Cursor, ...words: readonly string[]) => Span;
  /** Statements up to one of the words. */
  readonly statements: (cursor: Cursor, until: ReadonlySet<string>) => readonly Statement[];
  readonly elseIf: readonly string[];
}

const END = new Set(["end"]);
const CASE_ENDS = new Set(["when", "else", "end"]);

/** IF up to END IF; the cursor stands on IF. */
export function takeIf<Statement>(
  cursor: Cursor,
  grammar: BranchGrammar<Statement>,
): BranchesText<Statement> {
  const ends = new Set([...grammar.elseIf, "else", "end"]);
  const branches: BranchText<Statement>[] = [];
  do {
    cursor.at++;
    branches.push(takeBranch(cursor, ends, grammar));
  } while (grammar.elseIf.includes(word(cursor)));
  return { branches, otherwise: takeElse(cursor, "if", grammar) };
}

/** CASE up to END CASE; the cursor stands on CASE. */
export function takeCase<Statement>(
  cursor: Cursor,
  grammar: BranchGrammar<Statement>,
): BranchesText<Statement> & { readonly subject: Span | undefined } {
  cursor.at++;
  const subject = word(cursor) === "when" ? undefined : grammar.span(cursor, "when");
  const branches: BranchText<Statement>[] = [];
  while (take(cursor, "when")) branches.push(takeBranch(cursor, CASE_ENDS, grammar));
  return { subject, branches, otherwise: takeElse(cursor, "case", grammar) };
}

function takeBranch<Statement>(
  cursor: Cursor,
  ends: ReadonlySet<string>,
  grammar: BranchGrammar<Statement>,
): BranchText<Statement> {
  const condition = grammar.span(cursor, "then");
  if (!take(cursor, "then")) problem(cursor, "THEN is expected here");
  return { condition, body: grammar.statements(cursor, ends) };
}

function takeElse<Statement>(
  cursor: Cursor,
  what: string,
  grammar: BranchGrammar<Statement>,
): readonly Statement[] | undefined {
  const otherwise = take(cursor, "else") ? grammar.statements(cursor, END) : undefined;
  takeEnd(cursor, what);
  return otherwise;
}

/** END [word] [label] of a block, IF, CASE or loop, without its semicolon. */
export function takeEnd(cursor: Cursor, what?: string): void {
  if (!take(cursor, "end")) {
    problem(cursor, `END${what === undefined ? "" : ` ${what.toUpperCase()}`} is missing`);
    return;
  }
  if (what !== undefined && !take(cursor, what)) {
    problem(cursor, `END ${what.toUpperCase()} is expected here`);
  }
  const isLast = word(cursor, 1) === ";" || cursor.at + 1 >= cursor.tokens.length;
  if (isName(peek(cursor)) && isLast) cursor.at++;
}
