// FOR UPDATE and similar clauses, removed from a SELECT before parsing: node-sql-parser reads `FOR` as a table alias.
import { strongerLock, type RowLock } from "../../program/rowLocks";
import type { LockClause } from "../../program/expression";
import { nameOf, tokensOf, type Token } from "./text/tokens";

export interface LockExtraction {
  /** The text with the outermost query's clause blanked; of equal length. */
  readonly sql: string;
  readonly lock?: LockClause;
  /** True if a subquery locks too: node-sql-parser cannot read this statement. */
  readonly nested: boolean;
}

/** Finds the lock clauses of a statement; the strongest top-level one counts. Linear. */
export function liftLockClause(sql: string): LockExtraction {
  const tokens = tokensOf(sql, 0, sql.length);
  let depth = 0;
  let nested = false;
  let lock: LockClause | undefined;
  let text = sql;
  for (let at = 0; at < tokens.length; at++) {
    const word = tokens[at]?.word;
    if (word === "(") depth++;
    if (word === ")") depth--;
    if (word !== "for") continue;
    const read = readClause(sql, tokens, at);
    if (read === undefined) continue;
    if (depth > 0) {
      nested = true;
      continue;
    }
    const start = tokens[at]?.start ?? 0;
    const end = tokens[read.next - 1]?.end ?? start;
    text = text.slice(0, start) + " ".repeat(end - start) + text.slice(end);
    lock = lock === undefined ? read.lock : stronger(lock, read.lock);
    at = read.next - 1;
  }
  return lock === undefined ? { sql: text, nested } : { sql: text, lock, nested };
}

function stronger(left: LockClause, right: LockClause): LockClause {
  const strength = strongerLock(left.strength, right.strength);
  const all = left.of.length === 0 || right.of.length === 0;
  const { wait } = strength === left.strength ? left : right;
  return { strength, of: all ? [] : [...left.of, ...right.of], wait };
}

function readClause(
  sql: string,
  tokens: readonly Token[],
  at: number,
): { readonly lock: LockClause; readonly next: number } | undefined {
  const words = tokens.slice(at + 1, at + 4).map((token) => token.word);
  const strength = readStrength(words);
  if (strength === undefined) return undefined;
  let next = at + 1 + strength.length;
  const of: string[] = [];
  if (tokens[next]?.word === "of") {
    do {
      const name = tokens[next + 1];
      if (name !== undefined) of.push(nameOf(sql, name));
      next += 2;
    } while (tokens[next]?.word === ",");
  }
  let wait: LockClause["wait"] = "block";
  if (tokens[next]?.word === "nowait") {
    wait = "nowait";
    next++;
  } else if (tokens[next]?.word === "skip" && tokens[next + 1]?.word === "locked") {
    wait = "skip-locked";
    next += 2;
  }
  return { lock: { strength: strength.name, of, wait }, next };
}

function readStrength(
  words: readonly string[],
): { readonly name: RowLock; readonly length: number } | undefined {
  const [first, second, third] = words;
  if (first === "update" || first === "share") return { name: first, length: 1 };
  if (first === "key" && second === "share") return { name: "key-share", length: 2 };
  if (first === "no" && second === "key" && third === "update") {
    return { name: "no-key-update", length: 3 };
  }
  return undefined;
}
