// node-sql-parser called safely: errors become values, texts that it cannot take are refused.
import { Parser } from "node-sql-parser/build/postgresql";
import { nameOf, tokensOf } from "../tokens";
import { child, isNode, type Node } from "./ast";

export type NspParse =
  | { readonly ok: true; readonly node: Node }
  /** `offset` is where in the text the parser stopped. */
  | { readonly ok: false; readonly message: string; readonly offset: number };

/** Longer statements are lists of rows and the like: too slow for this parser, and not worth it. */
const LONGEST = 50_000;
/** This parser recurses on parentheses. */
const DEEPEST = 150;

let parser: Parser | undefined;

/** The tree of one statement. Never throws for bad input. */
export function parseWithNsp(sql: string): NspParse {
  if (sql.length > LONGEST || deepestParentheses(sql) > DEEPEST) {
    return { ok: false, message: "too long or too deeply nested", offset: 0 };
  }
  parser ??= new Parser();
  try {
    const tree: unknown = parser.astify(sql);
    const node: unknown = Array.isArray(tree) && tree.length === 1 ? tree[0] : tree;
    if (isNode(node)) {
      foldNames(node, quotedNames(sql));
      return { ok: true, node };
    }
    return { ok: false, message: "not one statement", offset: 0 };
  } catch (error) {
    return { ok: false, ...describe(error) };
  }
}

/** Names that stand in double quotes somewhere in the text: the tree does not tell. */
function quotedNames(sql: string): ReadonlySet<string> {
  const names = new Set<string>();
  if (!sql.includes('"')) return names;
  for (const token of tokensOf(sql, 0, sql.length)) {
    if (token.kind === "name") names.add(nameOf(sql, token));
  }
  return names;
}

const NAMES = ["table", "as", "db", "schema"];

/** Folds the names of tables and aliases in a fresh tree to lower case, as PostgreSQL does unless they are quoted. */
function foldNames(tree: object, quoted: ReadonlySet<string>): void {
  const waiting: object[] = [tree];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    for (const [key, value] of Object.entries<unknown>({ ...part })) {
      if (typeof value === "object" && value !== null) waiting.push(value);
      else if (typeof value === "string" && NAMES.includes(key) && !quoted.has(value)) {
        Reflect.set(part, key, value.toLowerCase());
      }
    }
  }
}

/** The end of the parser's message ("but x found"); the list of all that it expected helps nobody. */
function describe(error: unknown): { readonly message: string; readonly offset: number } {
  if (!(error instanceof Error)) return { message: "cannot be read", offset: 0 };
  const found = /but (.*) found\.?$/s.exec(error.message)?.[1];
  const message = found === undefined ? "cannot be read" : `unexpected ${found}`;
  const location = "location" in error && isNode(error.location) ? error.location : undefined;
  const offset = child(location, "start")?.["offset"];
  return { message, offset: typeof offset === "number" ? offset : 0 };
}

function deepestParentheses(sql: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of sql) {
    if (character === "(") deepest = Math.max(deepest, ++depth);
    if (character === ")") depth--;
  }
  return deepest;
}
