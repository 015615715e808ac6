// Names in case-insensitive products: each takes the case of its declaration.
import type { Table } from "../../../program/schema";
import { plainName } from "../relationNames";

/** Maps a written name to its declared spelling. */
export type Spelling = (written: string) => string;

/** The spelling of these tables and their columns; unknown names are in lower case. */
export function spellingOf(tables: readonly Table[]): Spelling {
  const first = new Map<string, string>();
  const learn = firstSpelling(first);
  for (const { columns, ...table } of tables)
    for (const each of [plainName(table), ...columns.map((column) => column.name)]) learn(each);
  return (written) => first.get(written.toLowerCase()) ?? written.toLowerCase();
}

/** The first spelling of each name is kept. */
export function firstSpelling(first = new Map<string, string>()): Spelling {
  return (written) => {
    const folded = written.toLowerCase();
    const before = first.get(folded);
    if (before === undefined) first.set(folded, written);
    return before ?? written;
  };
}

/** The spelling without declarations. */
export const inLowerCase: Spelling = (written) => written.toLowerCase();
