// Names in products that do not tell upper from lower case: each goes by the case that it is declared with.
import type { Table } from "../../../program/schema";

/** From a name as somebody wrote it to the one that it stands for. */
export type Spelling = (written: string) => string;

/** The spelling of these tables and their columns; names that none of them has are in lower case. */
export function spellingOf(tables: readonly Table[]): Spelling {
  const first = new Map<string, string>();
  const learn = firstSpelling(first);
  for (const { name, columns } of tables)
    for (const each of [name, ...columns.map((column) => column.name)]) learn(each);
  return (written) => first.get(written.toLowerCase()) ?? written.toLowerCase();
}

/** Whatever a name was first written as, it is from then on. */
export function firstSpelling(first = new Map<string, string>()): Spelling {
  return (written) => {
    const folded = written.toLowerCase();
    const before = first.get(folded);
    if (before === undefined) first.set(folded, written);
    return before ?? written;
  };
}

/** The spelling where nothing is declared. */
export const inLowerCase: Spelling = (written) => written.toLowerCase();
