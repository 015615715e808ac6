// Tables and spellings by name, with tracking of the names that were looked up.
import type { Table } from "../../../program/schema";
import { spellingOf, type Spelling } from "../text/spelling";

export interface WatchedTables {
  readonly table: (name: string) => Table | undefined;
  /** The spelling of tables and their columns. */
  readonly spelling: Spelling;
  /** Reports each looked-up name to `asked` from now on, whether or not it exists. */
  readonly watch: (asked: (kind: "table" | "spelling", name: string) => void) => void;
}

/** These tables without a watcher. A lookup takes constant time. */
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
