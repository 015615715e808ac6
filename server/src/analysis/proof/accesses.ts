// The instances of a proof query. A statement also reads what keys and CHECKs make it fail for: a serial order in which it fails would not
// be an order of committed transactions.
import { EXISTENCE, makeInstances, tableOf } from "../encoding/relational/instances";
import type { Instance, Site } from "../encoding/relational/instances";
import type { FlatProgram } from "../operations/operation";
import { columnsIn } from "../operations/terms";

/** The instances of these transactions, with all that they depend on. */
export function openInstances(flat: FlatProgram, members: readonly number[]): readonly Instance[] {
  return makeInstances(flat, members).map((instance) => ({
    ...instance,
    sites: instance.sites.map((site) => ({ ...site, reads: allReads(flat, site) })),
  }));
}

/** The tables without unique keys: snapshots are not assumed to satisfy them. */
export function withoutUnique(flat: FlatProgram): FlatProgram["tables"] {
  return Object.fromEntries(
    Object.entries(flat.tables).map(([name, table]) => [
      name,
      { ...table, uniqueKeys: [], deferredKeys: [] },
    ]),
  );
}

/** The unique keys, other than the primary one, that the operation writes a column of. */
export function uniqueKeyWrites(flat: FlatProgram, site: Site): readonly (readonly string[])[] {
  const { uniqueKeys } = tableOf(flat, site.operation.table);
  if (site.operation.kind === "read" || site.operation.kind === "delete") return [];
  return uniqueKeys.filter((unique) => unique.some((column) => site.writes.has(column)));
}

function allReads(flat: FlatProgram, site: Site): ReadonlySet<string> {
  const { checks } = tableOf(flat, site.operation.table);
  const unique = uniqueKeyWrites(flat, site);
  const checked =
    site.operation.kind === "update" || site.operation.kind === "insert"
      ? checks
          .map((check) => [...columnsIn(check)])
          .filter((columns) => columns.some((column) => site.writes.has(column)))
      : [];
  // An insertion writes every column itself.
  const alone =
    site.operation.kind === "insert" && site.operation.update === undefined ? [] : checked.flat();
  return new Set([
    ...site.reads,
    ...alone,
    ...unique.flat(),
    ...(unique.length > 0 ? [EXISTENCE] : []),
  ]);
}
