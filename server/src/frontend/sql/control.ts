// Transaction control of PostgreSQL, parsed here: no SQL library covers it completely.
import { findLevel } from "../../isolation/levels";
import type { Dialect } from "../../program/dialect";
import type { Span } from "./text/split";
import { nameOf, stringOf, tokensOf, type Token } from "./text/tokens";

export interface Modes {
  /** The level's full name, or the user's text for an unknown level. */
  readonly level?: { readonly name: string; readonly at: Span };
  readonly readOnly?: boolean;
  /** WITH CONSISTENT SNAPSHOT: the snapshot is taken at BEGIN. */
  readonly isAtBegin?: true;
}

export type Control =
  | { readonly kind: "begin"; readonly modes: Modes }
  | { readonly kind: "commit"; readonly chain: boolean }
  | { readonly kind: "rollback"; readonly chain: boolean }
  | { readonly kind: "savepoint" | "release" | "rollbackTo"; readonly name: string }
  /** SET TRANSACTION: for the current transaction. */
  | { readonly kind: "setTransaction"; readonly modes: Modes }
  /** SET SESSION CHARACTERISTICS, SET default_transaction_isolation: for later transactions. */
  | { readonly kind: "setSession"; readonly modes: Modes }
  /** MySQL's SET TRANSACTION: for the next transaction only. */
  | { readonly kind: "setNext"; readonly modes: Modes }
  /** SET autocommit: when off, each COMMIT begins the next transaction. */
  | { readonly kind: "autocommit"; readonly on: boolean }
  /** A statement that commits the open transaction. */
  | { readonly kind: "implicitCommit"; readonly by: string }
  /** Two-phase commit: PREPARE TRANSACTION and related statements. */
  | { readonly kind: "twoPhase"; readonly what: "prepare" | "commit" | "rollback" };

/** The transaction control statement in `[start, end)` of a text, undefined for every other statement. */
export function readControl(text: string, start: number, end: number): Control | undefined {
  // Control statements are short: a long text needs no tokens.
  const first = /^[a-z]+/i.exec(text.slice(start, Math.min(end, start + 20)))?.[0].toLowerCase();
  if (first === undefined || !STARTS.has(first) || end - start > 2000) return undefined;
  const tokens = tokensOf(text, start, end);
  const words = tokens.map((token) => (token.kind === "word" ? token.word : ""));
  switch (first) {
    case "begin":
      return words[1] === "atomic" ? undefined : begin(text, tokens, 1);
    case "start":
      return words[1] === "transaction" ? begin(text, tokens, 2) : undefined;
    case "commit":
    case "end":
      if (words[1] === "prepared") return { kind: "twoPhase", what: "commit" };
      return { kind: "commit", chain: chains(words) };
    case "rollback":
    case "abort":
      return rollback(text, tokens, words);
    case "savepoint":
      return named("savepoint", text, tokens[1]);
    case "release":
      return named("release", text, words[1] === "savepoint" ? tokens[2] : tokens[1]);
    case "prepare":
      return words[1] === "transaction" ? { kind: "twoPhase", what: "prepare" } : undefined;
    case "set":
      return set(text, tokens, words);
    default:
      return undefined;
  }
}

const STARTS = new Set(
  "begin start commit end rollback abort savepoint release prepare set".split(" "),
);

function begin(text: string, tokens: readonly Token[], from: number): Control {
  const skip = tokens[from]?.word === "work" || tokens[from]?.word === "transaction" ? 1 : 0;
  return { kind: "begin", modes: readModes(text, tokens.slice(from + skip)) };
}

function chains(words: readonly string[]): boolean {
  const at = words.indexOf("chain");
  return at > 0 && words[at - 1] !== "no";
}

function rollback(
  text: string,
  tokens: readonly Token[],
  words: readonly string[],
): Control | undefined {
  if (words[1] === "prepared") return { kind: "twoPhase", what: "rollback" };
  const to = words.indexOf("to");
  if (to < 0) return { kind: "rollback", chain: chains(words) };
  return named("rollbackTo", text, tokens[words[to + 1] === "savepoint" ? to + 2 : to + 1]);
}

function named(
  kind: "savepoint" | "release" | "rollbackTo",
  text: string,
  token: Token | undefined,
): Control | undefined {
  return token === undefined ? undefined : { kind, name: nameOf(text, token) };
}

function set(
  text: string,
  tokens: readonly Token[],
  words: readonly string[],
): Control | undefined {
  if (words[1] === "session" && words[2] === "characteristics") {
    return { kind: "setSession", modes: readModes(text, tokens.slice(5)) };
  }
  const scoped = words[1] === "session" || words[1] === "local" ? 1 : 0;
  const rest = tokens.slice(1 + scoped);
  const name = rest[0]?.word;
  if (name === "transaction") {
    const modes = readModes(text, rest.slice(1));
    return { kind: "setTransaction", modes };
  }
  const isolation = name === "default_transaction_isolation" || name === "transaction_isolation";
  if (!isolation) return undefined;
  const modes = levelModes(text, rest.slice(2));
  return name === "transaction_isolation"
    ? { kind: "setTransaction", modes }
    : { kind: "setSession", modes };
}

/** ISOLATION LEVEL ..., READ ONLY, [NOT] DEFERRABLE in any order, commas optional. */
export function readModes(
  text: string,
  tokens: readonly Token[],
  dialect: Dialect = "postgres",
): Modes {
  let modes: Modes = {};
  for (let at = 0; at < tokens.length; at++) {
    const word = tokens[at]?.word;
    if (word === "isolation") {
      const length = TWO_WORDS.has(tokens[at + 2]?.word ?? "") ? 2 : 1;
      modes = { ...modes, ...levelModes(text, tokens.slice(at + 2, at + 2 + length), dialect) };
      at += 1 + length;
    } else if (word === "consistent" && tokens[at + 1]?.word === "snapshot") {
      modes = { ...modes, isAtBegin: true };
      at++;
    } else if (word === "read") {
      modes = { ...modes, readOnly: tokens[at + 1]?.word === "only" };
      at++;
    }
  }
  return modes;
}

/** READ COMMITTED, REPEATABLE READ: the first words of the levels with two. */
const TWO_WORDS = new Set(["read", "repeatable"]);

/** The level that the tokens name, in the dialect's words. */
export function levelModes(
  text: string,
  tokens: readonly Token[],
  dialect: Dialect = "postgres",
): Modes {
  const first = tokens[0];
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return {};
  const written =
    first.kind === "string"
      ? stringOf(text, first)
      : tokens.map((token) => nameOf(text, token)).join(" ");
  const at = { start: first.start, end: last.end };
  return { level: { name: findLevel(`${dialect}:${written.trim()}`)?.name ?? written, at } };
}
