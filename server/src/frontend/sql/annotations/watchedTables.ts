// Tables and spellings by names, for those who want to know which of them something that ran has asked for.
import type { Table } from "../../../program/schema";
import { spellingOf, type Spelling } from "../text/spelling";

export interface WatchedTables {
  readonly table: (name: string) => Table | undefined;
  /** How the tables and their columns are spelled. */
  readonly spelling: Spelling;
  /** From now on `asked` is told each name that is looked up, whether there is such a table or not. */
  readonly watch: (asked: (kind: "table" | "spelling", name: string) => void) => void;
}

/** These tables, which nobody watches yet. A lookup takes the same time however many there are. */
export function watchedTables(tables: readonly Table[]): WatchedTables {
  const byName = new Map(tables.map((table) => [table.name, table] as const));
  const spelled = spellingOf(tables);
  let tell: ((kind: "table" | "spelling", name: string) => void) | undefined;
  return {
    table: (name) => {
      tell?.("table", name);
      return byName.get(name);
    },
    spelling: (written) => {
      tell?.("spelling", written);
      return spelled(written);
    },
    watch: (asked) => {
      tell = asked;
    },
  };
}
