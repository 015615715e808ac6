// Names in products that do not tell upper from lower case: each goes by the case that it is declared with.
import type { Table } from "../../program/schema";

/** From a name as somebody wrote it to the one that it stands for. */
export type Spelling = (written: string) => string;

/** The spelling of these tables and their columns; names that none of them has are in lower case. */
export function spellingOf(tables: readonly Table[]): Spelling {
  const spelling = firstSpelling();
  for (const { name, columns } of tables) {
    spelling(name);
    for (const column of columns) spelling(column.name);
  }
  return spelling.known;
}

/** Whatever a name was first written as, it is from then on; `known` adds none. */
export function firstSpelling(): Spelling & { readonly known: Spelling } {
  const first = new Map<string, string>();
  const spelling = (written: string): string => {
    const folded = written.toLowerCase();
    const before = first.get(folded);
    if (before !== undefined) return before;
    first.set(folded, written);
    return written;
  };
  const known: Spelling = (written) => {
    const folded = written.toLowerCase();
    return first.get(folded) ?? folded;
  };
  return Object.assign(spelling, { known });
}

/** The spelling where nothing is declared. */
export const inLowerCase: Spelling = (written) => written.toLowerCase();
