// The fallback for unparsable statements: the keyword and the tables that it seems to access.
import { sourceOf, textOf, type Lowering, type LoweringContext } from "./lowering";
import { qualifiedName, type WrittenName } from "./relationNames";
import { currentSchemaAt } from "./text/currentSchema";
import type { LineIndex } from "./text/lines";
import { firstWords } from "./text/statementKind";
import { nameOf, tokensOf, type Token } from "./text/tokens";

/** An opaque statement over the tables in the words. Linear in the text. */
export function lowerByWords(context: LoweringContext, reason: string): Lowering {
  const { piece, ids } = context;
  const source = sourceOf(piece);
  const { tables, writes } = tablesByWords(piece.sql, context.table, piece);
  const effect = tables.length > 0 ? "approx" : "opaque";
  return {
    statements: [
      {
        kind: "opaque",
        id: ids.statement(),
        source,
        text: textOf(piece),
        taint: [{ effect, reason, source }],
        tables,
        writes,
      },
    ],
  };
}

const BEFORE_TABLE = new Set(["from", "join", "into", "update", "table", "using", "only", "copy"]);
const WRITES = new Set("insert update delete merge truncate replace copy".split(" "));
const READS = new Set("select values table with explain fetch declare show".split(" "));
/** Words in the place of a table that are none. */
const NO_TABLE = new Set(
  "select table lateral only set values of nowait skip where on as stdin stdout unnest generate_series".split(
    " ",
  ),
);
/** Words that end a list of tables. */
const ENDS_LIST = new Set(
  "where group order having limit set on values select union returning for when".split(" "),
);

/**
 * The tables after FROM, JOIN, INTO, UPDATE and the like, without common table expressions, by the names that `table` has for them where it is
 * given.
 */
export function tablesByWords(
  sql: string,
  table: (name: string) => unknown = () => undefined,
  place?: { readonly lines: LineIndex; readonly start: number },
): {
  readonly tables: readonly string[];
  readonly writes: boolean;
} {
  const tokens = tokensOf(sql, 0, Math.min(sql.length, 200_000));
  const [first = ""] = firstWords(sql, 0, Math.min(sql.length, 400), 1);
  const tables = new Set<string>();
  const local = new Set<string>();
  let writes = !READS.has(first);
  let expectsTable = false;
  let inList = false;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    const word = token.kind === "word" ? token.word : "";
    if (WRITES.has(word) && tokens[at - 1]?.word !== "for" && !isLockWord(tokens, at))
      writes = true;
    if (isName(token) && tokens[at + 1]?.word === "as" && tokens[at + 2]?.word === "(") {
      local.add(nameOf(sql, token));
    }
    if (expectsTable && isName(token) && !NO_TABLE.has(word)) {
      const { name, schema, next } = pathAt(sql, tokens, at);
      const home = schema ?? (place && currentSchemaAt(place.lines, place.start));
      const own = home === undefined ? name : qualifiedName(home, name);
      const isTable = tokens[next]?.word !== "(" || first === "insert";
      if (isTable) tables.add(own !== name && table(own) !== undefined ? own : name);
      at = next - 1;
      expectsTable = false;
      continue;
    }
    if (BEFORE_TABLE.has(word) && !isLockWord(tokens, at)) {
      expectsTable = true;
      inList = word === "from" || word === "using";
    } else if (token.word === "," && inList) {
      expectsTable = true;
    } else if (ENDS_LIST.has(word)) {
      expectsTable = false;
      inList = false;
    } else if (!NO_TABLE.has(word)) {
      expectsTable = false;
    }
  }
  return { tables: [...tables].filter((table) => !local.has(table)), writes };
}

/** FOR UPDATE, FOR NO KEY UPDATE, DO UPDATE name no table. */
function isLockWord(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.word ?? "";
  return tokens[at]?.word === "update" && ["for", "key", "do"].includes(before);
}

function isName(token: Token): boolean {
  return token.kind === "word" || token.kind === "name";
}

function pathAt(
  sql: string,
  tokens: readonly Token[],
  at: number,
): WrittenName & { readonly next: number } {
  let last = at;
  while (tokens[last + 1]?.word === ".") {
    const part = tokens[last + 2];
    if (part === undefined || !isName(part)) break;
    last += 2;
  }
  const [token, before] = [tokens[last], last > at ? tokens[last - 2] : undefined];
  return {
    name: token === undefined ? "" : nameOf(sql, token),
    schema: before && nameOf(sql, before),
    next: last + 1,
  };
}
