// TRUNCATE: every row of some tables goes, and with CASCADE of those that refer to them.
import type { Key as StoreKey, Reply, Request, Value } from "../../exploration/client";
import type { Catalog, Table } from "../catalog";
import { failure } from "../sqlError";
import { noTable } from "../tableParts";
import type { SqlStatement } from "../statementTree";
import type { StatementEnd } from "./statement";
import { indexPrefix, tablePrefix } from "./versions";

type Truncate = Extract<SqlStatement, { readonly kind: "truncate" }>;

/** The tables whose rows go. Fails for one to which others refer. `free`: references are not looked at. */
export function truncatedTables(
  catalog: Catalog,
  { tables: names, cascade }: Truncate,
  free: boolean,
): readonly Table[] {
  const found = new Set<Table>();
  for (const name of names) {
    const table = catalog.tables.get(name);
    if (table === undefined) throw noTable(catalog, name);
    found.add(table);
  }
  // The set grows while it is gone through.
  if (!free)
    for (const table of found)
      for (const child of catalog.tables.values()) {
        const isOutside = !found.has(child);
        if (!isOutside || !child.foreignKeys.some((key) => key.table === table.name)) continue;
        if (!cascade) throw isReferenced(catalog, table, child);
        found.add(child);
      }
  return [...found];
}

function isReferenced({ dialect }: Catalog, table: Table, child: Table): Error {
  return dialect === "postgres"
    ? failure("truncation", "cannot truncate a table referenced in a foreign key constraint", {
        detail: `Table "${child.name}" references "${table.name}".`,
      })
    : failure(
        "truncation",
        `Cannot truncate a table referenced in a foreign key constraint (\`${child.name}\`)`,
      );
}

/** Takes the rows away, those that wait in the session included. */
export function* truncateTables(
  tables: readonly Table[],
  waiting: ReadonlyMap<StoreKey, Value>,
): Generator<Request, StatementEnd, Reply> {
  const scans = tables.flatMap((table) => [tablePrefix(table), indexPrefix(table)]);
  const reply = yield { kind: "read", keys: [], scans, current: true };
  if (reply.kind === "failed") return { ok: false, code: reply.code, message: reply.message };
  const writes = new Map<StoreKey, Value>();
  const read = reply.kind === "values" ? reply.values : new Map<StoreKey, Value>();
  for (const [key, value] of [...read, ...waiting])
    if (value !== undefined && scans.some((prefix) => key.startsWith(prefix)))
      writes.set(key, undefined);
  return { ok: true, result: { rows: [], count: 0 }, writes };
}
