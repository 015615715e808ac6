// Which tables refer to which by their foreign keys.
import type { Table } from "../../program/schema";

/** The names, each behind those of the tables that refer to it; tables that refer to each other in a circle keep their order. */
export function referringFirst(
  names: readonly string[],
  table: (name: string) => Table | undefined,
): readonly string[] {
  const sorted: string[] = [];
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const other of names) if (refersTo(table(other), name)) visit(other);
    sorted.push(name);
  };
  names.forEach(visit);
  return sorted;
}

/** The names and those of all tables that refer to one of them, directly or through others. */
export function withReferring(
  names: readonly string[],
  tables: readonly Table[],
): readonly string[] {
  const found = new Set(names);
  for (const name of found)
    for (const each of tables) if (refersTo(each, name)) found.add(each.name);
  return [...found];
}

function refersTo(table: Table | undefined, name: string): boolean {
  return table?.foreignKeys.some((key) => key.table === name) === true;
}
