// The tables of several databases in one program: identical declarations are one table, and other tables of the same name are distinguished
// by their database's name.
import { dialectLabel, sameFamily, type Dialect } from "../../../program/dialect";
import { renameInTable, type Rename } from "../../../program/renameTables";
import type { Table } from "../../../program/schema";

interface TablesOfDatabase {
  readonly dialect: Dialect;
  readonly label: string;
  readonly tables: readonly Table[];
}

export interface TablesApart {
  /** The renaming of each database's tables, if there is any. */
  readonly names: readonly (Rename | undefined)[];
  /** All tables under these names. */
  readonly tables: readonly Table[];
}

/** Names for the tables of all databases; the first one keeps its names. */
export function tablesApart(databases: readonly TablesOfDatabase[]): TablesApart {
  const taken = new Map<string, { readonly table: Table; readonly dialect: Dialect }>();
  const tables = new Map<string, Table>();
  const names = databases.map((database): Rename | undefined => {
    const renamed = new Map<string, string>();
    for (const table of database.tables) {
      const name = nameFor(table, database, taken);
      taken.set(name, { table: taken.get(name)?.table ?? table, dialect: database.dialect });
      if (name !== table.name) renamed.set(table.name, name);
    }
    const rename: Rename = (name) => renamed.get(name) ?? name;
    for (const table of database.tables) {
      const own = renamed.size === 0 ? table : renameInTable(table, rename);
      const known = tables.get(own.name);
      tables.set(own.name, known ? joined(known, own) : own);
    }
    return renamed.size === 0 ? undefined : rename;
  });
  return { names, tables: [...tables.values()] };
}

function nameFor(
  table: Table,
  { dialect, label }: TablesOfDatabase,
  taken: ReadonlyMap<string, { readonly table: Table; readonly dialect: Dialect }>,
): string {
  const { name } = table;
  const product = dialectLabel(dialect);
  const possible = [name, `${name} (${label})`, `${name} (${label}, ${product})`];
  for (let at = 0; ; at += 1) {
    const candidate = possible[at] ?? `${name} (${label}, ${product}, ${String(at)})`;
    const other = taken.get(candidate);
    if (other === undefined) return candidate;
    if (sameFamily(other.dialect, dialect) && isSame(other.table, table)) return candidate;
  }
}

/** True if they were declared at the same place, or nowhere. */
function isSame(left: Table, right: Table): boolean {
  if (left.inferred || right.inferred) return left.inferred && right.inferred;
  return JSON.stringify(left.source) === JSON.stringify(right.source);
}

/** Merges an inferred table that statements of both databases use. */
function joined(known: Table, other: Table): Table {
  const added = other.columns.filter(
    ({ name }) => !known.columns.some((column) => column.name === name),
  );
  return added.length === 0 ? known : { ...known, columns: [...known.columns, ...added] };
}
