// The kind of a statement by its first words, before parsing.
import type { Dialect } from "../../../program/dialect";
import { dictionary } from "../../../protocol/dictionary";
import { nextToken } from "./tokens";

export type StatementKind =
  /** Reads or writes rows: SELECT, INSERT, UPDATE, DELETE, MERGE, WITH, VALUES, TABLE, LOCK, TRUNCATE, ... */
  | "data"
  /** CREATE FUNCTION, CREATE PROCEDURE. */
  | "routine"
  | "ddl"
  /** CALL, DO. */
  | "call"
  /** SET @x = ..., DECLARE @x ... = ...: variables of a session. */
  | "assign"
  /** BEGIN, COMMIT, SET TRANSACTION, ...: see `readControl`. */
  | "control"
  /** No effect on rows: SET, SHOW, GRANT, COMMENT, ANALYZE, ... */
  | "session"
  | "unknown";

const KINDS = dictionary<StatementKind>({
  ...each(
    "data",
    "select insert update delete merge with values table lock truncate copy execute fetch",
  ),
  ...each("data", "declare replace upsert perform refresh explain move"),
  ...each("ddl", "create alter drop"),
  ...each("call", "call do"),
  ...each("control", "begin start commit end rollback abort savepoint release"),
  ...each(
    "session",
    "set reset show grant revoke comment analyze analyse vacuum listen notify unlisten",
  ),
  ...each(
    "session",
    "discard deallocate close checkpoint cluster reindex load security reassign import",
  ),
  ...each("session", "use delimiter prepare pragma"),
});

/** Syntax of other dialects than PostgreSQL, or with another meaning in them. */
const OF_DIALECTS = dictionary<StatementKind>({
  ...each("data", "output handler load"),
  ...each("ddl", "rename"),
  ...each("call", "exec"),
  ...each("session", "describe desc flush optimize kill attach detach print waitfor purge install"),
  ...each("session", "repair check shutdown reindex xa declare open close prepare"),
});

/** The first words of statements. */
export const KEYWORDS: readonly string[] = Object.keys(KINDS);

function each(kind: StatementKind, words: string): Record<string, StatementKind> {
  return Object.fromEntries(words.split(" ").map((word) => [word, kind]));
}

/** The kind of the statement in `[start, end)` of a text. Constant time. */
export function statementKind(
  text: string,
  start: number,
  end: number,
  dialect: Dialect = "postgres",
): StatementKind {
  const words = firstWords(text, start, Math.min(end, start + 400), 5);
  const [first = "", second = ""] = words;
  if (dialect !== "postgres") {
    const head = text.slice(start, Math.min(end, start + 400));
    if (/^(create|alter)\b/i.test(head) && ROUTINE.test(head)) return "routine";
    if (/^begin\s+not\s+atomic\b/i.test(head)) return "call";
    if (/^(set|declare)\s+@(?!@)/i.test(head)) return "assign";
    if (/^(begin\s+try|end|else|throw|raiserror|return|goto|begin)\b/i.test(head)) return "session";
    if (/^(if|while)\b/i.test(head)) return "data";
    const own = OF_DIALECTS[first];
    if (own !== undefined) return own;
  }
  if (first === "create") {
    const what = second === "or" ? words[3] : second;
    return what === "function" || what === "procedure" ? "routine" : "ddl";
  }
  return KINDS[first] ?? "unknown";
}

/** CREATE [OR REPLACE] [DEFINER = user] PROCEDURE and the like, before any word of another object. */
const ROUTINE =
  /^(?:create|alter)\s+(?:or\s+(?:replace|alter)\s+)?(?:definer\s*=\s*[^\s@]+(?:\s*@\s*\S+)?\s+)?(?:aggregate\s+)?(?:procedure|proc|function|trigger|event)\b/i;

/** The first words of a statement in lower case; parentheses before them are skipped. */
export function firstWords(
  text: string,
  start: number,
  end: number,
  count: number,
): readonly string[] {
  const words: string[] = [];
  for (let at = start; words.length < count;) {
    const token = nextToken(text, at, end);
    if (token === undefined) break;
    at = token.end;
    if (token.kind === "comment" || (token.word === "(" && words.length === 0)) continue;
    if (token.kind !== "word") break;
    words.push(token.word);
  }
  return words;
}
