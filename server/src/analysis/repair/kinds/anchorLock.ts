// Locks a row that represents all rows of a condition before these are read: one that the transaction reads anyway, or the one that the
// rows refer to.
import type { Transaction } from "../../../program/program";
import type { SelectStatement, Statement } from "../../../program/statement";
import type { Candidate, Proposals, Refusal, TextEdit } from "../candidate";
import { lockRead } from "../idioms/lockRead";
import { lockRowBefore } from "../idioms/lockRow";
import { valueText } from "../idioms/valueText";
import { isAggregate } from "../../operations/aggregatesIn";
import { equalitiesOf, isOfOneRow } from "../predicate";
import type { Site, Workshop } from "../workshop";

/** The way in which one transaction locks an anchor row: without an edit if it does so already. */
interface Way {
  /** The anchor's table. */
  readonly table: string;
  readonly edits: readonly TextEdit[];
}

/** One candidate per table of which every transaction of the anomaly can lock a common row. */
export function anchorLocks(workshop: Workshop): Proposals {
  const refusals: Refusal[] = [];
  const ways = workshop.transactions.map((each) => waysOf(workshop, each, refusals));
  const tables = [...new Set((ways[0] ?? []).map(({ table }) => table))];
  const candidates = tables.flatMap((table): Candidate[] => {
    const own = ways.map((some) => some.find((way) => way.table === table));
    if (own.some((way) => way === undefined)) return [];
    const edits = own.flatMap((way) => way?.edits ?? []);
    if (edits.length === 0) return [];
    const names = [...new Set(workshop.transactions.map(({ name }) => name))];
    return [
      {
        kind: "anchor-lock",
        title: `Lock the row of ${table} first in ${names.join(" and ")} (FOR UPDATE)`,
        edits,
        costs: [`all that lock the same row of ${table} wait until this transaction ends`],
      },
    ];
  });
  return { candidates, refusals };
}

function waysOf(workshop: Workshop, transaction: Transaction, refusals: Refusal[]): readonly Way[] {
  const sites = workshop.sitesOf(transaction);
  const reads = sites.flatMap((site) =>
    site.statement.kind === "select" ? [{ site, statement: site.statement }] : [],
  );
  const ways: Way[] = [];
  for (const { site, statement } of reads) {
    const [relation] = statement.query.relations;
    if (!relation || relation.kind !== "base" || isAggregate(statement.query)) continue;
    const { table } = relation;
    const key = workshop.program.schema.tables.find(({ name }) => name === table)?.primaryKey;
    if (!isOfOneRow(statement, key)) continue;
    if (statement.query.lock) ways.push({ table, edits: [] });
    else {
      const written = lockRead(workshop, site);
      if (written.ok) ways.push({ table, edits: written.edits });
      else refusals.push({ kind: "anchor-lock", reason: written.reason });
    }
  }
  for (const site of sites) {
    const { statement } = site;
    if (statement.kind !== "update" && statement.kind !== "delete") continue;
    const { table } = statement.relation;
    const [key, ...others] =
      workshop.program.schema.tables.find(({ name }) => name === table)?.primaryKey ?? [];
    const equality = equalitiesOf(statement).find(
      (each) => each.table === table && each.column === key,
    );
    const [before] = sites.filter(
      (each) => each.file === site.file && isSameCall(each.statement, statement),
    );
    if (key === undefined || others.length > 0 || !equality || !before || before === site) continue;
    const value = valueText(workshop, site, equality);
    if (value === undefined) continue;
    const written = lockRowBefore(workshop, before, table, key, value);
    if (written.ok) ways.push({ table, edits: written.edits });
  }
  const first = reads.find(({ statement }) => isOfSeveral(workshop, statement)) ?? reads[0];
  if (first) ways.push(...parentWays(workshop, first.site, first.statement, refusals));
  return ways;
}

function isOfSeveral({ program }: Workshop, statement: SelectStatement): boolean {
  const [relation] = statement.query.relations;
  const table = program.schema.tables.find(({ name }) => name === relation?.table);
  return isAggregate(statement.query) || !isOfOneRow(statement, table?.primaryKey);
}

/** Locks the parent row of another table, by a separate statement, if the rows refer to a single one. */
function parentWays(
  workshop: Workshop,
  site: Site,
  statement: SelectStatement,
  refusals: Refusal[],
): readonly Way[] {
  return equalitiesOf(statement).flatMap((equality): Way[] => {
    const own = workshop.program.schema.tables.find(({ name }) => name === equality.table);
    const key = own?.foreignKeys.find(
      ({ columns }) => columns.length === 1 && columns[0] === equality.column,
    );
    const referenced = key?.referenced[0];
    if (!key || referenced === undefined) return [];
    const value = valueText(workshop, site, equality);
    if (value === undefined) {
      const reason = `the text does not name the ${equality.column} that it looks for in one piece`;
      refusals.push({ kind: "anchor-lock", reason });
      return [];
    }
    const written = lockRowBefore(workshop, site, key.table, referenced, value);
    if (!written.ok) {
      refusals.push({ kind: "anchor-lock", reason: written.reason });
      return [];
    }
    return [{ table: key.table, edits: written.edits }];
  });
}

/** True if two statements are in the same function call, so that names mean the same. */
function isSameCall(one: Statement, other: Statement): boolean {
  return JSON.stringify(one.through ?? []) === JSON.stringify(other.through ?? []);
}
