// Indexes: `CREATE [UNIQUE] INDEX`, and `KEY name (a, b)` among the members of a table.
import { ifExists } from "./parseDrop";
import { parseExpression } from "./parseExpression";
import { parsingOf } from "./parseQuery";
import {
  expect,
  peek,
  skipParentheses,
  take,
  takeAny,
  takeNames,
  takeQualified,
  takeTable,
  wordAt,
  type Reader,
} from "./reader";
import type { SyntaxExpression } from "./syntax";

export interface ReadIndex {
  readonly unique: boolean;
  readonly table: string;
  readonly columns: readonly string[];
  readonly name: string;
  readonly where?: SyntaxExpression;
}

/** The index after CREATE [UNIQUE]; undefined for a plain index of expressions. */
export function readIndex(reader: Reader, unique: boolean): ReadIndex | undefined {
  takeAny(reader, "clustered", "nonclustered");
  expect(reader, "index");
  ifExists(reader);
  const { name } = takeQualified(reader);
  if (take(reader, "using")) reader.at++;
  expect(reader, "on");
  const table = takeTable(reader);
  if (take(reader, "using")) reader.at++;
  if (!unique && !hasNames(reader)) return undefined;
  const columns = takeNames(reader);
  if (take(reader, "include")) skipParentheses(reader);
  const where = take(reader, "where") ? { where: parseExpression(parsingOf(reader)) } : {};
  return { unique, table, columns, name, ...where };
}

/** The name and columns of an index member; undefined for indexes of expressions, and for those that do not search by equality. */
export function plainIndex(
  reader: Reader,
): { readonly columns: readonly string[]; readonly name?: string } | undefined {
  if (takeAny(reader, "index", "key") === undefined) return undefined;
  const start = reader.at;
  toColumns(reader);
  const own = reader.at > start ? reader.lexemes[start]?.word : undefined;
  if (!hasNames(reader)) return undefined;
  const name = own === undefined || own === "using" ? {} : { name: own };
  return { columns: takeNames(reader), ...name };
}

/** True at a list of columns: `(a, b(10) DESC)`. */
function hasNames(reader: Reader): boolean {
  for (let at = 1; ; at++) {
    if (!/^(word|name)$/.test(peek(reader, at)?.kind ?? "")) return false;
    at++;
    if (wordAt(reader, at) === "(") {
      while (wordAt(reader, at) !== ")" && peek(reader, at) !== undefined) at++;
      at++;
    }
    if (/^(asc|desc)$/.test(wordAt(reader, at))) at++;
    if (wordAt(reader, at) !== ",") return wordAt(reader, at) === ")";
  }
}

/** True at `KEY name (a)`, false at a column named KEY. */
export function isIndex(reader: Reader): boolean {
  for (let ahead = 1; ahead < 5; ahead++) {
    const word = wordAt(reader, ahead);
    if (word === "(") return ahead > 1 || peek(reader)?.kind === "word";
    if (word === ",") return false;
  }
  return false;
}

/** Skips names and words up to the list of columns. */
export function toColumns(reader: Reader): void {
  while (peek(reader) !== undefined && wordAt(reader) !== "(" && wordAt(reader) !== ",")
    reader.at++;
}
