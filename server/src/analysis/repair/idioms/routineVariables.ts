// Variables of SQL routines and scripts that hold columns of a row that was read.
import { tokensOf, type Token } from "../../../frontend/sql/text/tokens";
import type { ReadSite } from "../pairs";

/** A variable of the text that holds a column of the row that was read. */
export interface Held {
  /** The tokens of its name: `bal`, or `:` and `stock`. */
  readonly name: readonly string[];
  readonly column: string;
}

/** The variables filled by INTO or \gset, with their columns. */
export function heldColumns(text: string, { statement, start, end }: ReadSite): readonly Held[] {
  const { outputs } = statement.query;
  const columns = outputs.map(({ value }) => (value.kind === "column" ? value.column : undefined));
  const tokens = tokensOf(text, start, end);
  const into = tokens.findIndex(({ word }) => word === "into");
  if (into < 0) {
    const next = tokensOf(text, end, Math.min(text.length, end + 12));
    const isGset = next[0]?.kind === "backslash" && next[1]?.word === "gset";
    if (!isGset) return [];
    return outputs.flatMap(({ name }, at) => {
      const column = columns[at];
      return column === undefined ? [] : [{ name: [":", name], column }];
    });
  }
  const names: string[][] = [[]];
  for (const token of tokens.slice(into + 1)) {
    if (token.word === "from") break;
    if (token.word === "strict") continue;
    if (token.word === ",") names.push([]);
    else names.at(-1)?.push(text.slice(token.start, token.end));
  }
  return names.flatMap((name, at) => {
    const column = columns[at];
    return column === undefined || name.length === 0 ? [] : [{ name, column }];
  });
}

/** The positions of a name among tokens. */
export function occurrences(
  text: string,
  tokens: readonly Token[],
  name: readonly string[],
): readonly number[] {
  return tokens.flatMap((_, at) => {
    const before = tokens[at - 1];
    const isQualified = before !== undefined && text.slice(before.start, before.end) === ".";
    const isIt = name.every((part, n) => {
      const token = tokens[at + n];
      return token !== undefined && sameWord(text.slice(token.start, token.end), part);
    });
    return isIt && !isQualified ? [at] : [];
  });
}

function sameWord(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
