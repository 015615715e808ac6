// Reachability of tables by foreign keys.
import type { Table } from "../../program/schema";

/** The names, each after the tables that reference it; cyclic references keep their order. */
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

/** The names and those of all tables that reference one of them, transitively. */
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
