// SHOW: settings of both products, and what MySQL lists.
import type { Catalog } from "./catalog";
import { showRows } from "./mysql/showRows";
import { DISPLAY_NAMES } from "./sessionParts";
import type { SqlResult } from "./sessionTypes";
import type { SqlRow, SqlValue } from "./values/value";
import type { SqlStatement } from "./statementTree";

export interface ShowRequest {
  readonly catalog: Catalog;
  readonly isPostgres: boolean;
  readonly database: string;
  readonly databases: readonly string[];
  readonly user: string;
  readonly usual: ReadonlyMap<string, string>;
  /** Settings of the session. */
  readonly own: ReadonlyMap<string, string>;
  readonly setting: (name: string) => SqlValue;
}

/** Result of SHOW. */
export function showResult(
  { name, of }: Extract<SqlStatement, { readonly kind: "show" }>,
  about: ShowRequest,
): SqlResult {
  const { catalog, database, databases, user, usual, own } = about;
  if (of !== undefined) {
    const settings = new Map([...usual, ...own]);
    const { columns, rows } = showRows(of, { catalog, database, databases, user, settings });
    return table(columns, rows);
  }
  if (about.isPostgres && name === "all") {
    const all = [...new Map([...usual, ...own])].sort();
    return table(
      ["name", "setting", "description"],
      all.map(([each, value]) => [each, value, null]),
    );
  }
  if (name === "warnings") return table(["Level", "Code", "Message"], []);
  if (name === "tables") {
    const rows = [...catalog.tables.keys()].sort().map((each) => [each]);
    return table([`Tables_in_${database}`], rows);
  }
  return table([DISPLAY_NAMES.get(name.toLowerCase()) ?? name], [[about.setting(name)]]);
}

function table(names: readonly string[], rows: readonly SqlRow[]): SqlResult {
  return {
    command: "SHOW",
    columns: names.map((name) => ({ name, type: "text" })),
    rows,
    rowCount: rows.length,
  };
}
