// Memoised table and column names of commands: most questions about a transaction are answered by these names.
import type { Command } from "../../program/statement";
import { ofNode } from "../../query/nodes";
import { walkCommand } from "./walk";

export interface NamedTables {
  /** The columns of each named table; a name may be that of a view. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** True if a truncation cascades. */
  readonly cascades: boolean;
}

/** Linear in the command; memoised. */
export const namedTables = ofNode((command: Command): NamedTables => namedIn(command));

function namedIn(body: Command): NamedTables {
  const tables = new Map<string, Set<string>>();
  let cascades = false;
  const columnsOf = (table: string): Set<string> => {
    let columns = tables.get(table);
    if (columns === undefined) tables.set(table, (columns = new Set()));
    return columns;
  };
  walkCommand(body, {
    statement: (statement) => {
      switch (statement.kind) {
        case "insert":
          columnsOf(statement.table);
          return;
        case "opaque":
          for (const table of statement.tables) columnsOf(table);
          return;
        case "lock":
          if (statement.table !== undefined) columnsOf(statement.table);
          return;
        case "update":
          columnsOf(statement.relation.table);
          return;
        case "delete":
          columnsOf(statement.relation.table);
          cascades ||= statement.truncates === "cascade";
          return;
        case "select":
          return;
        default:
          statement satisfies never;
      }
    },
    relation: (relation) => {
      if (relation.kind === "base") columnsOf(relation.table);
    },
    assignment: (table, column) => {
      columnsOf(table).add(column);
    },
    expression: (expression, scope) => {
      if (expression.kind !== "column") return;
      const relation = scope.find((each) => each.alias === expression.relation);
      if (relation?.kind === "base") columnsOf(relation.table).add(expression.column);
    },
  });
  return { tables, cascades };
}
