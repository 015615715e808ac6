// Table options of MySQL and MariaDB that affect transactions. The levels were measured on InnoDB.
import type { Doubt, Table } from "../../../program/schema";
import type { TableOption } from "./parseOptions";

/** Engines without rollback. */
const WITHOUT_TRANSACTIONS = new Set(
  "myisam isam mrg_myisam mrg_isam merge memory heap aria maria csv archive blackhole".split(" "),
);
const INNODB = new Set(["innodb", "xtradb", "innobase"]);

/** The table with the effect of an option. */
export function withOption(table: Table, option: TableOption): Table {
  switch (option.kind) {
    case "engine":
      return withEngine(table, option.name);
    case "other":
      return outside(table, `${option.text} of ${table.name} is not followed`);
    case "collation":
    case "charset":
      return table;
  }
}

function withEngine({ hasNoTransactions: _, ...before }: Table, engine: string): Table {
  const { doubts: all = [], ...rest } = before;
  const doubts = all.filter(({ part }) => part !== "engine");
  const table: Table = doubts.length === 0 ? rest : { ...rest, doubts };
  if (INNODB.has(engine)) return table;
  const why = WITHOUT_TRANSACTIONS.has(engine)
    ? "has no transactions: each statement commits by itself"
    : "is not followed";
  const doubted = outside(table, `the engine of ${before.name}, ${engine}, ${why}`, "engine");
  if (!WITHOUT_TRANSACTIONS.has(engine)) return doubted;
  // None of these enforces foreign keys.
  return { ...doubted, foreignKeys: [], hasNoTransactions: true };
}

/** The table with something that no level covers. */
function outside(table: Table, reason: string, part?: Doubt["part"]): Table {
  const doubt: Doubt = { reason, touching: "all", isOutside: true, ...(part && { part }) };
  return { ...table, doubts: [...(table.doubts ?? []), doubt] };
}

/** The table with an unmodelled feature, which affects all statements on it, or some. */
export function withDoubt(
  table: Table,
  reason: string,
  touching: Doubt["touching"] = "all",
): Table {
  const doubt: Doubt = { reason, touching };
  return { ...table, doubts: [...(table.doubts ?? []), doubt] };
}
