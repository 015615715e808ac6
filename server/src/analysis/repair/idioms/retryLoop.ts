// A loop that runs a transaction again, from its beginning on, when the server refuses it.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import type { FileId } from "../../../protocol/source";
import type { TextEdit } from "../candidate";
import { functionAround, textOf } from "./columnValue";
import { indentAt, linesBetween } from "./indentation";

/** Libraries that tell the server's refusal in different ways. */
export type Opener =
  "driver" | "prisma" | "drizzle" | "knex" | "kysely" | "typeorm" | "sequelize" | "mikroorm";

export interface Retried {
  readonly file: FileId;
  /** The call, or the text, that opens the transaction. */
  readonly opening: SyntaxNode;
  readonly opener: Opener;
  readonly isMysql: boolean;
}

export interface RetryLoop {
  readonly edits: readonly TextEdit[];
  /** The part of the text that is tried again, and how much further in it stands. */
  readonly start: number;
  readonly end: number;
  readonly deeper: string;
}

/**
 * The edits that put the loop around the statement that opens the transaction, or why there are none: it does more than the database
 * undoes, or its result is used further on.
 */
export function retryLoop(
  tree: CodeTree,
  { file, opening, opener, isMysql }: Retried,
): RetryLoop | string {
  const { text, language } = tree;
  const owner = functionAround(tree, opening);
  const body = owner && childOf(owner, "body");
  if (!owner || body?.type !== "statement_block") return "its work is no block of a function";
  if (!/^(?:\w+\s+)*async\b/u.test(textOf(tree, owner))) return "its function waits for nothing";
  const statements = namedChildren(body).filter(({ type }) => type !== "comment");
  const at = statements.findIndex(({ start, end }) => start <= opening.start && opening.end <= end);
  const statement = statements[at];
  if (!statement) return "the transaction is opened in a part of its function";
  const before = statements[at - 1];
  const isTry = statement.type === "try_statement";
  if (isTry && !before) return "its connection is taken elsewhere";
  const from = isTry && before ? before.start : statement.start;
  const own = text.slice(from, statement.end);
  const effect = EFFECT.exec(own)?.[1];
  if (effect !== undefined) return `${effect}() would be repeated as well`;
  if (/\battempt\b/u.test(textOf(tree, owner))) return 'the name "attempt" is taken';
  const isLast = at === statements.length - 1;
  const leaving = leavingText(tree, statement, isLast);
  if (leaving === undefined) return "what it gives is used further on";
  const indent = indentAt(text, from);
  const outer = indentAt(text, body.end - 1);
  const unit = indent.startsWith(outer) && indent.length > outer.length ? indent.slice(outer.length) : "  "; // prettier-ignore
  const [one, two] = [indent + unit, indent + unit.repeat(2)];
  const edit = (start: number, newText: string, end = start): TextEdit => ({
    file,
    start,
    end,
    newText,
  });
  const { declared, refusal } = refusalTest(opener, {
    isMysql,
    isTyped: language !== "javascript",
  });
  const tail = [
    ...(leaving.after === "" ? [] : [`${two}${leaving.after}`]),
    `${one}} catch (error) {`,
    ...(declared === "" ? [] : [`${two}${declared}`]),
    `${two}if (attempt === ${String(TRIES)} || ${refusal}) throw error;`,
    `${one}}`,
    `${indent}}`,
  ];
  const deeper = unit.repeat(2);
  const edits = [
    edit(from, `for (let attempt = 1; ; attempt += 1) {\n${one}try {\n${two}`),
    ...linesBetween(tree, from, statement.end).map((line) => edit(line, deeper)),
    ...leaving.edits.map((place) => edit(place, "await ")),
    edit(statement.end, `\n${tail.join("\n")}`),
  ];
  return { edits, start: from, end: statement.end, deeper };
}

const TRIES = 3;

/** Calls whose effects a rollback leaves, by the names that people give them. */
const EFFECT =
  /\b((?:send|mail|notify|publish|emit|enqueue|charge|dispatch)\w*|fetch|axios\.\w+)\s*\(/u;

interface Leaving {
  /** The places of added `await`s: a promise that is returned is awaited within the loop, so that its refusal is caught. */
  readonly edits: readonly number[];
  readonly after: string;
}

/** How the loop is left where it succeeds; undefined where a variable outlives it. */
function leavingText(tree: CodeTree, statement: SyntaxNode, isLast: boolean): Leaving | undefined {
  const after = isLast ? "return;" : "break;";
  switch (statement.type) {
    case "return_statement": {
      const [value] = namedChildren(statement);
      if (!value) return undefined;
      return { edits: value.type === "await_expression" ? [] : [value.start], after: "" };
    }
    case "expression_statement":
      return /^await\b/u.test(textOf(tree, statement)) ? { edits: [], after } : undefined;
    case "try_statement": {
      const block = childOf(statement, "body");
      const isLeft = block && namedChildren(block).at(-1)?.type === "return_statement";
      return { edits: [], after: isLeft ? "" : after };
    }
    default:
      return undefined;
  }
}

/** The condition under which an error is none that another try helps against, with what it needs in front of it. */
function refusalTest(
  opener: Opener,
  { isMysql, isTyped }: { readonly isMysql: boolean; readonly isTyped: boolean },
): { readonly declared: string; readonly refusal: string } {
  const typed = (value: string, type: string): string => (isTyped ? `${value} as ${type}` : value);
  const refusal =
    opener === "prisma"
      ? 'code !== "P2034"'
      : isMysql
        ? 'code !== "ER_LOCK_DEADLOCK"'
        : '(code !== "40001" && code !== "40P01")';
  const code = "{ code?: string }";
  switch (opener) {
    case "sequelize": {
      const inner = typed("error", `{ original?: ${code} }`);
      const source = isTyped ? `(${inner})` : inner;
      return { declared: `const code = ${source}.original?.code;`, refusal };
    }
    case "drizzle": {
      const cause = isTyped ? "((error as Error).cause ?? error)" : "(error.cause ?? error)";
      return { declared: `const { code } = ${typed(cause, code)};`, refusal };
    }
    default:
      return { declared: `const { code } = ${typed("error", code)};`, refusal };
  }
}
