// Statements of MySQL and MariaDB that implicitly commit the open transaction.
import { dictionary } from "../../protocol/dictionary";
import { firstWords } from "./text/statementKind";
import type { Span } from "./text/split";

/** By the first word alone. */
const ALWAYS = new Set("truncate rename flush grant revoke reset install uninstall".split(" "));

/** By the first words. */
const BEFORE = dictionary<RegExp | undefined>({
  create: /^(?!.*\btemporary\b)/,
  alter: /^/,
  drop: /^(?!(?:temporary|prepare)\b)/,
  lock: /^tables?\b/,
  analyze: /^(?:no_write_to_binlog |local )?tables?\b/,
  optimize: /^/,
  check: /^(?:table|view)\b/,
  repair: /^/,
  cache: /^index\b/,
  load: /^index\b/,
  set: /^password\b/,
  start: /^(?:slave|replica|all)\b/,
  stop: /^(?:slave|replica|all)\b/,
  change: /^(?:master|replication)\b/,
});

/**
 * The name of an implicitly committing statement, such as "CREATE TABLE"; undefined for any other. UNLOCK TABLES, BEGIN and SET autocommit
 * commit depending on the state. Constant time.
 */
export function commitsImplicitly(text: string, { start, end }: Span): string | undefined {
  const [first = "", ...rest] = firstWords(text, start, Math.min(end, start + 400), 4);
  const isSuch = ALWAYS.has(first) || BEFORE[first]?.test(rest.join(" ")) === true;
  if (!isSuch) return undefined;
  const [second = ""] = rest;
  if (first === "truncate") return "TRUNCATE";
  return first === "lock" ? "LOCK TABLES" : `${first} ${second}`.trim().toUpperCase();
}

/** True if the statement of that name changes the schema. */
export function changesSchema(by: string): boolean {
  return /^(?:CREATE|ALTER|DROP|RENAME)\b/.test(by);
}
