// Reads with later UPDATEs of the same rows.
import type { SelectStatement, UpdateStatement } from "../../program/statement";
import type { Schema } from "../../program/schema";
import { equalitiesOf, type Equality } from "./predicate";
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

/** True if both select their rows by the same columns and values, or the UPDATE by the key of the row that was read. */
export function isOfSameRow({ program }: Workshop, read: ReadSite, update: UpdateSite): boolean {
  return selectAlike(read, update) || isOfReadRow(program.schema, read, update);
}

/** True if an UPDATE's only conditions are that the key is that of the read's first row. */
function isOfReadRow({ tables }: Schema, read: ReadSite, update: UpdateSite): boolean {
  const { into, query } = read.statement;
  const key = tables.find(({ name }) => name === update.statement.relation.table)?.primaryKey ?? [];
  const equalities = equalitiesOf(update.statement);
  const isOwn = ({ table, column, value }: Equality): boolean => {
    if (value.kind !== "field" || value.result !== into || value.at !== "first") return false;
    const output = query.outputs.find(({ name }) => name === value.field)?.value;
    const source = query.relations.find(
      ({ alias }) => output?.kind === "column" && alias === output.relation,
    );
    return output?.kind === "column" && output.column === column && source?.table === table;
  };
  return (
    key.length > 0 &&
    equalities.length === key.length &&
    key.every((column) => equalities.some((each) => each.column === column && isOwn(each)))
  );
}

function selectAlike(read: ReadSite, update: UpdateSite): boolean {
  const [one, other] = [read, update].map(
    ({ statement }) =>
    JSON.stringify(equalitiesOf(statement).map(({ table, column, value }) => [table, column, value])), // prettier-ignore
  );
  return one === other;
}
