// The table locks of PostgreSQL and which of them exclude each other, as in its documentation of explicit locking, and which
// of them statements take without being asked to.
import { ofNode } from "../query/nodes";
import { accessedBy } from "./accessedTables";
import type { Query } from "./expression";
import type { Statement } from "./statement";

/** From the weakest to the strongest. */
const TABLE_LOCKS = [
  "access share",
  "row share",
  "row exclusive",
  "share update exclusive",
  "share",
  "share row exclusive",
  "exclusive",
  "access exclusive",
] as const;

export type TableLock = (typeof TABLE_LOCKS)[number];

/** Of each lock those that exclude it. */
const EXCLUDED: Readonly<Record<TableLock, readonly TableLock[]>> = {
  "access share": TABLE_LOCKS.slice(7),
  "row share": TABLE_LOCKS.slice(6),
  "row exclusive": TABLE_LOCKS.slice(4),
  "share update exclusive": TABLE_LOCKS.slice(3),
  share: TABLE_LOCKS.filter((each, at) => at >= 2 && each !== "share"),
  "share row exclusive": TABLE_LOCKS.slice(2),
  exclusive: TABLE_LOCKS.slice(1),
  "access exclusive": TABLE_LOCKS,
};

/** True if two transactions cannot hold these locks on one table at a time. Symmetric. */
export function tableLocksExclude(held: TableLock, wanted: TableLock): boolean {
  return EXCLUDED[held].includes(wanted);
}

/** The lock of that name; what is not named is the strongest, which is LOCK TABLE's default. */
export function tableLockOf(mode: string): TableLock {
  const name = mode
    .toLowerCase()
    .replace(/\bmode\b|\bin\b|\bnowait\b/g, "")
    .replace(/[_\s]+/g, " ")
    .trim();
  return TABLE_LOCKS.find((each) => each === name) ?? "access exclusive";
}

/** The tables that a statement locks before it begins. */
export const tableLocksOf = ofNode((statement: Statement): ReadonlyMap<string, TableLock> => {
  const locks = new Map(
    accessedBy(statement).map((table): [string, TableLock] => [table, "access share"]),
  );
  if (statement.kind === "select")
    for (const table of lockedBy(statement.query)) locks.set(table, "row share");
  if (statement.kind === "insert") locks.set(statement.table, "row exclusive");
  if (statement.kind === "update" || statement.kind === "delete")
    locks.set(statement.relation.table, "row exclusive");
  if (statement.kind === "lock" && statement.table !== undefined)
    locks.set(statement.table, tableLockOf(statement.mode));
  return locks;
});

/** The tables whose rows a query's own lock clause locks. */
function lockedBy({ lock, relations }: Query): readonly string[] {
  if (lock === undefined) return [];
  return relations.flatMap((each) =>
    each.kind === "base" && (lock.of.length === 0 || lock.of.includes(each.alias))
      ? [each.table]
      : [],
  );
}

/** A statement is executed in many runs. */
