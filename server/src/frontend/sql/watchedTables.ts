// Tables by their names, for those who want to know which of them something that ran has asked for.
import type { Table } from "../../program/schema";

export interface WatchedTables {
  readonly table: (name: string) => Table | undefined;
  /** From now on `asked` is told each name that a table is looked up by, whether there is one or not. */
  readonly watch: (asked: (name: string) => void) => void;
}

/** These tables, which nobody watches yet. A lookup takes the same time however many there are. */
export function watchedTables(tables: readonly Table[]): WatchedTables {
  const byName = new Map(tables.map((table) => [table.name, table] as const));
  let tell: ((name: string) => void) | undefined;
  return {
    table: (name) => {
      tell?.(name);
      return byName.get(name);
    },
    watch: (asked) => {
      tell = asked;
    },
  };
}
