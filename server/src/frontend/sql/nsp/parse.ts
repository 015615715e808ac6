// Safe calls of node-sql-parser: errors become values, unsuitable texts are refused.
import { Parser } from "node-sql-parser/build/postgresql";
import { nameOf, tokensOf } from "../text/tokens";
import { child, isNode, type Node } from "./ast";

export type NspParse =
  | { readonly ok: true; readonly node: Node }
  /** `offset` is the position where the parser stopped. */
  | { readonly ok: false; readonly message: string; readonly offset: number };

/** Longer statements are lists of rows and the like: too slow for this parser. */
const LONGEST = 50_000;
/** Nesting limit: this parser recurses on parentheses. */
const DEEPEST = 150;
/** On failure, each parenthesis that is no call has been tried in up to four nested ways. */
const DEEPEST_GROUP = 4;

let parser: Parser | undefined;

/** The tree of one statement. Never throws for bad input. */
export function parseWithNsp(sql: string): NspParse {
  if (sql.length > LONGEST || isDeep(sql)) {
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

/** Names that occur in double quotes in the text; the tree does not show quotes. */
function quotedNames(sql: string): ReadonlySet<string> {
  const names = new Set<string>();
  if (!sql.includes('"')) return names;
  for (const token of tokensOf(sql, 0, sql.length)) {
    if (token.kind === "name") names.add(nameOf(sql, token));
  }
  return names;
}

const NAMES = ["table", "as", "db", "schema"];

/** Folds the names of tables and aliases to lower case, as PostgreSQL does unless they are quoted. */
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

/** The end of the parser's message ("but x found"), without the list of everything expected. */
function describe(error: unknown): { readonly message: string; readonly offset: number } {
  if (!(error instanceof Error)) return { message: "cannot be read", offset: 0 };
  const found = /but (.*) found\.?$/s.exec(error.message)?.[1];
  const message = found === undefined ? "cannot be read" : `unexpected ${found}`;
  const location = "location" in error && isNode(error.location) ? error.location : undefined;
  const offset = child(location, "start")?.["offset"];
  return { message, offset: typeof offset === "number" ? offset : 0 };
}

/** Words before a parenthesis that contains an expression or a query rather than arguments. */
const BEFORE_GROUP = new Set(
  "all and any as between by case delete distinct else exists from having in insert join like not on or over returning select set some then union update using values when where with".split(
    " ",
  ),
);

function isDeep(sql: string): boolean {
  const groups: boolean[] = [];
  let deepest = 0;
  let grouped = 0;
  for (const { word = "", open } of parenthesesOf(sql)) {
    if (open) {
      const isGroup = word === "" || BEFORE_GROUP.has(word.toLowerCase());
      groups.push(isGroup);
      grouped += isGroup ? 1 : 0;
      if (groups.length > DEEPEST) return true;
      deepest = Math.max(deepest, grouped);
    } else if (groups.pop() === true) grouped -= 1;
  }
  return deepest > DEEPEST_GROUP;
}

/** The parentheses of a text with the word before them, including those in quotes. */
function* parenthesesOf(
  sql: string,
): Generator<{ readonly word?: string; readonly open: boolean }> {
  for (const match of sql.matchAll(/(\w+|")?\s{0,9}\(|\)/g)) {
    if (match[0] === ")") yield { open: false };
    else yield { ...(match[1] !== undefined && { word: match[1] }), open: true };
  }
}
