// SHOW: settings of both products, and what MySQL lists.
import type { Catalog } from "./catalog";
import { showRows } from "./mysql/showRows";
import { DISPLAY_NAMES } from "./sessionParts";
import type { Diagnostic } from "./sessionDiagnostics";
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
  readonly diagnostics: readonly Diagnostic[];
}

/** Result of SHOW. */
export function showResult(
  { name, of }: Extract<SqlStatement, { readonly kind: "show" }>,
  about: ShowRequest,
): SqlResult {
  const { catalog, database, databases, user, usual, own } = about;
  if (of !== undefined) {
    const settings = new Map([...usual, ...own]);
    const { diagnostics } = about;
    const around = { catalog, database, databases, user, settings, diagnostics };
    const { columns, rows } = showRows(of, around);
    return table(columns, rows);
  }
  if (about.isPostgres && name === "all") {
    const all = [...new Map([...usual, ...own])].sort();
    return table(
      ["name", "setting", "description"],
      all.map(([each, value]) => [each, value, null]),
    );
  }
  if (name === "tables") {
    const rows = [...catalog.tables.keys()].sort().map((each) => [each]);
    return table([`Tables_in_${database}`], rows);
  }
  return table([DISPLAY_NAMES.get(name.toLowerCase()) ?? name], [[about.setting(name)]]);
}

function table(names: readonly string[], rows: readonly SqlRow[]): SqlResult {
  return {
    command: "SHOW",
    columns: names.map((name) => ({ name, type: NUMBERS.has(name) ? "int8" : "text" })),
    rows: rows.map((row) =>
      row.map((value, at) =>
        value !== null && NUMBERS.has(names[at] ?? "") ? Number(value) : value,
      ),
    ),
    rowCount: rows.length,
  };
}

/** Columns of MySQL's SHOW that hold numbers. */
const NUMBERS: ReadonlySet<string> = new Set([
  "@@session.error_count",
  "@@session.warning_count",
  ...["Non_unique", "Seq_in_index", "Cardinality", "Sub_part", "Code", "Maxlen"],
  ...["Version", "Rows", "Avg_row_length", "Data_length", "Max_data_length", "Index_length"],
  ...["Data_free", "Auto_increment", "Checksum"],
]);
