// The tables that a statement names, wherever in it they stand, and the one that it changes.
import type { Statement } from "./statement";

/** The tables of a statement, wherever in it they are named. */
export function accessedBy(statement: Statement): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<object>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    // Expressions share structure: each part is looked at once.
    seen.add(value);
    if ("table" in value && typeof value.table === "string") found.add(value.table);
    Object.values(value).forEach(visit);
  };
  visit(statement);
  return [...found, ...(statement.kind === "opaque" ? statement.tables : [])];
}

/** The table that a statement changes; undefined for those that change none. */
export function changedTable(statement: Statement): string | undefined {
  switch (statement.kind) {
    case "insert":
      return statement.table;
    case "update":
    case "delete":
      return statement.relation.table;
    default:
      return undefined;
  }
}
