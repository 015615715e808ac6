// Values, cells and rows in words: one spelling for steps, messages and every view.
import { shownKey, shownText, type Row, type Value } from "../../protocol/witness";
import type { CellAccess } from "../../store/execution";

/** A value as SQL writes it: 100, 'shipped', NULL, true. */
export function valueText(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${shownText(value).replaceAll("'", "''")}'`;
  return String(value);
}

/** "account[1]": a row by table and primary key. */
export function rowText(table: string, key: string): string {
  return key === "" ? table : `${table}[${shownKey(key)}]`;
}

/** "account[1].balance = 100, account[2].balance = 50": cells grouped by row, without existence. */
export function cellsText(cells: readonly CellAccess[]): string {
  return joinRows(cells, (cell) => `${cell.column} = ${valueText(cell.value)}`);
}

/** Written cells with their previous value: "account[1].balance = 40 (was 100)". */
export function writtenText(cells: readonly CellAccess[]): string {
  return joinRows(cells, (cell) => {
    const unchanged = cell.before === undefined || cell.before === cell.value;
    const before = unchanged ? "" : ` (was ${valueText(cell.before)})`;
    return `${cell.column} = ${valueText(cell.value)}${before}`;
  });
}

/** "(id 1, balance 100)": a result row. Unnamed columns show their value alone. */
export function resultText(row: Row): string {
  const fields = Object.entries(row).map(([name, value]) =>
    NAMELESS.has(name) ? valueText(value) : `${name} ${valueText(value)}`,
  );
  return fields.length === 1 ? (fields[0] ?? "") : `(${fields.join(", ")})`;
}

/** PostgreSQL's default names of unnamed columns. */
const NAMELESS: ReadonlySet<string> = new Set(["?column?", "coalesce", "case", "bool"]);

/** "a", "a and b", "a, b and c". */
export function listText(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1] ?? ""}`;
}

/** The number of cells that are spelled out before "and n more". */
const MOST = 4;

function joinRows(cells: readonly CellAccess[], one: (cell: CellAccess) => string): string {
  const rows = new Map<string, string[]>();
  const values = cells.filter((cell) => cell.column !== "@");
  for (const cell of values.slice(0, MOST)) {
    const row = rowText(cell.table, cell.key);
    rows.set(row, [...(rows.get(row) ?? []), one(cell)]);
  }
  const parts = [...rows].map(([row, columns]) =>
    columns.length === 1 ? `${row}.${columns[0] ?? ""}` : `${row}: ${columns.join(", ")}`,
  );
  const rest = values.length - MOST;
  return parts.join("; ") + (rest > 0 ? ` and ${String(rest)} more` : "");
}
