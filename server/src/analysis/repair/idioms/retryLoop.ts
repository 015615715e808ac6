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
import { NO_BLOCK } from "./reasons";
import { bindingsOf, objectionToRepetition } from "./repetition";
import { nodesIn, pathTo } from "./syntax";

/** Libraries that tell the server's refusal in different ways. */
export type Opener =
  "driver" | "prisma" | "drizzle" | "knex" | "kysely" | "typeorm" | "sequelize" | "mikroorm";

export interface Retried {
  readonly file: FileId;
  /** The call, or the text, that opens the transaction. */
  readonly opening: SyntaxNode;
  readonly opener: Opener;
  /** The codes under which the driver tells the server's refusals. */
  readonly codes: readonly string[];
  /** The places where statements of the transaction are sent. */
  readonly sites: readonly { readonly start: number; readonly end: number }[];
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
  { file, opening, opener, codes, sites }: Retried,
): RetryLoop | string {
  const { text, language } = tree;
  const owner = functionAround(tree, opening);
  const body = owner && childOf(owner, "body");
  if (!owner || body?.type !== "statement_block") return NO_BLOCK;
  if (!/^(?:\w+\s+)*async\b/u.test(textOf(tree, owner))) return "its function waits for nothing";
  const statements = namedChildren(body).filter(({ type }) => type !== "comment");
  const at = statements.findIndex(({ start, end }) => start <= opening.start && opening.end <= end);
  const opened = statements[at];
  if (!opened) return NO_BLOCK;
  const connection = connectionName(tree, opening);
  // A transaction on a connection ends in a block of its own, which lets go of the connection: each run takes it anew.
  const first =
    connection === undefined
      ? at
      : statements.findLastIndex(
          (each, n) => n <= at && namesBoundIn(tree, each).includes(connection),
        );
  if (first < 0) return "its connection is taken elsewhere";
  const last = connection === undefined || opened.type === "try_statement" ? at : at + 1;
  const statement = statements[last];
  if (!statement || (last > at && statement.type !== "try_statement"))
    return "the block that ends it is not found";
  const from = statements[first]?.start ?? statement.start;
  const part = { start: from, end: statement.end, sites, connection };
  const objection = objectionToRepetition(tree, owner, part);
  if (objection !== undefined) return objection;
  const after = text.slice(statement.end, body.end);
  const isUsed = statements
    .slice(first, last)
    .flatMap((each) => namesBoundIn(tree, each))
    .some((name) => new RegExp(`\\b${name.replaceAll("$", "\\$")}\\b`, "u").test(after));
  if (/\battempt\b/u.test(textOf(tree, owner))) return 'the name "attempt" is taken';
  const isLast = last === statements.length - 1;
  const leaving = leavingText(tree, statement, isLast);
  if (isUsed || leaving === undefined) return "what it gives is used further on";
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
    codes,
    isTyped: language !== "javascript",
    isRaw: /\$(?:query|execute)Raw/u.test(textOf(tree, owner)),
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

/** The variable whose connection a transaction is opened on by a statement; undefined where the call is given its work. */
function connectionName(tree: CodeTree, opening: SyntaxNode): string | undefined {
  const call = pathTo(tree.root, opening.start, opening.end).findLast(
    ({ type }) => type === "call_expression",
  );
  const given = call && childOf(call, "arguments");
  const isGivenWork = given && namedChildren(given).some(({ type }) => WORK.test(type));
  const called = call && !isGivenWork ? childOf(call, "function") : undefined;
  return called && /^\w+/u.exec(textOf(tree, called))?.[0];
}

const WORK = /^(?:arrow_function|function_expression|identifier)$/u;

function namesBoundIn(tree: CodeTree, node: SyntaxNode): readonly string[] {
  return nodesIn(node).flatMap((each) => bindingsOf(tree, each));
}

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
      if (!value || !/^(?:await|call)_expression$/u.test(value.type)) return undefined;
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
  {
    codes,
    isTyped,
    isRaw,
  }: {
    readonly codes: readonly string[];
    readonly isTyped: boolean;
    /** It sends statements of its own, of which Prisma hands on the server's code. */
    readonly isRaw: boolean;
  },
): { readonly declared: string; readonly refusal: string } {
  const typed = (value: string, type: string): string => (isTyped ? `${value} as ${type}` : value);
  const told = opener === "prisma" ? ["P2034"] : codes;
  const tests = told.map((each) => `code !== ${JSON.stringify(each)}`).join(" && ");
  const refusal = told.length > 1 ? `(${tests})` : tests;
  const code = "{ code?: string }";
  switch (opener) {
    case "prisma": {
      if (!isRaw) break;
      const own = codes.map((each) => `meta?.code !== ${JSON.stringify(PRISMA.get(each) ?? each)}`);
      return {
        declared: `const { code, meta } = ${typed("error", "{ code?: string; meta?: { code?: string } }")};`,
        refusal: `(${[tests, ...own].join(" && ")})`,
      };
    }
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
  }
  return { declared: `const { code } = ${typed("error", code)};`, refusal };
}

/** Numbers of MySQL's errors, which Prisma tells in place of their names. */
const PRISMA: ReadonlyMap<string, string> = new Map([
  ["ER_LOCK_DEADLOCK", "1213"],
  ["ER_CHECKREAD", "1020"],
]);
