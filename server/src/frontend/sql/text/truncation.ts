// TRUNCATE ... CASCADE, expanded to the tables that it empties implicitly.
import type { Table } from "../../../program/schema";
import type { Command, Statement } from "../../../program/statement";
import { referringFirst, withReferring } from "../references";
import type { Replace } from "../dialectDetection/replaceStatements";

/** Expands the cascades of truncations by the tables' foreign keys. */
export function cascading(tables: readonly Table[]): Replace {
  const byName = new Map(tables.map((table) => [table.name, table] as const));
  return (statement, ids) => {
    if (statement.kind !== "delete" || statement.truncates !== "cascade") return undefined;
    const { table } = statement.relation;
    const all = withReferring([table], tables);
    if (all.length === 1) return undefined;
    const { source, text } = statement;
    const others = all.filter((name) => name !== table);
    const locks = others.map((name): Statement => {
      const base = { id: ids.statement(), source, text, taint: [] };
      return { ...base, kind: "lock", table: name, mode: "access exclusive" };
    });
    const deletions = referringFirst(all, (name) => byName.get(name)).map((name): Statement => {
      if (name === table) return { ...statement, truncates: "alone" };
      const relation = { alias: name, table: name, kind: "base", join: "inner" } as const;
      return { ...statement, id: ids.statement(), relation, truncates: "alone" };
    });
    return [...locks, ...deletions].map((each): Command => {
      return { kind: "statement", statement: each };
    });
  };
}
