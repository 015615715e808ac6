// Reads with later UPDATEs of the same rows.
import type { SelectStatement, UpdateStatement } from "../../program/statement";
import { equalitiesOf } from "./predicate";
import type { Site, Workshop } from "./workshop";

export type ReadSite = Site & { readonly statement: SelectStatement };
export type UpdateSite = Site & { readonly statement: UpdateStatement };

/** The UPDATEs of the read's tables after it in its file and transaction. */
export function updatesBehind(workshop: Workshop, read: ReadSite): readonly UpdateSite[] {
  const tables = new Set(read.statement.query.relations.map(({ table }) => table));
  return workshop
    .sitesOf(read.transaction)
    .filter(
      (site): site is UpdateSite =>
        site.statement.kind === "update" &&
        site.file === read.file &&
        site.start > read.end &&
        site.statement.from.length === 0 &&
        tables.has(site.statement.relation.table),
    );
}

/** True if both select their rows by the same columns and values. */
export function isOfSameRow(read: ReadSite, update: UpdateSite): boolean {
  const [one, other] = [read, update].map(
    ({ statement }) =>
    JSON.stringify(equalitiesOf(statement).map(({ table, column, value }) => [table, column, value])), // prettier-ignore
  );
  return one === other;
}
