// Options of a table of MySQL and MariaDB, as far as transactions depend on them. InnoDB is what the levels were
// measured on.
import type { Doubt, Table } from "../../../program/schema";
import type { TableOption } from "./parseOptions";

/** Engines whose tables keep what was written whatever becomes of the transaction. */
const WITHOUT_TRANSACTIONS = new Set(
  "myisam isam mrg_myisam mrg_isam merge memory heap aria maria csv archive blackhole".split(" "),
);
const INNODB = new Set(["innodb", "xtradb", "innobase"]);

/** The table with what an option says of it. */
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
  // None of these keeps foreign keys.
  return { ...doubted, foreignKeys: [], hasNoTransactions: true };
}

/** The table with what no level answers for. */
function outside(table: Table, reason: string, part?: Doubt["part"]): Table {
  const doubt: Doubt = { reason, touching: "all", isOutside: true, ...(part && { part }) };
  return { ...table, doubts: [...(table.doubts ?? []), doubt] };
}

/** The table with what nothing follows of it, which matters to every statement on it, or to some. */
export function withDoubt(
  table: Table,
  reason: string,
  touching: Doubt["touching"] = "all",
): Table {
  const doubt: Doubt = { reason, touching };
  return { ...table, doubts: [...(table.doubts ?? []), doubt] };
}
