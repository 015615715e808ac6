// Rows that differ only in their keys, of which a count may need many: one row of the encoding represents all of them.
import type { FlatTransaction, Operation, Term } from "../operations/operation";
import { subterms } from "../operations/terms";
import { limitsOfCounts, termsOf } from "./countLimits";
import type { ProductTuple, TupleTable } from "./product/tuple";

/** A multiplicity for one row of a table. */
export interface AlikeRows {
  /** The maximal number of represented rows. */
  readonly most: number;
  /** The columns in which they differ, which no statement looks at: one of each key. */
  readonly differing: readonly string[];
}

/** Higher limits would make witnesses unreadable. */
const MOST = 500;

/**
 * The multiplicity for a table, if the tuple compares its row count with more than `few` and no statement distinguishes rows that differ in
 * one column per key; else undefined. Linear in the tuple's operations.
 */
export function alikeRows(
  tuple: ProductTuple,
  table: TupleTable,
  few: number,
): AlikeRows | undefined {
  // Larger tuples are searched with few rows.
  if (tuple.units.length > 2) return undefined;
  const { name, primaryKey, uniqueKeys, columns, checks } = table.table;
  const limits = tuple.transactions.flatMap((each) => limitsOfCounts(each, name));
  const wanted = limits.filter((limit) => limit > few && limit <= MOST);
  if (wanted.length === 0) return undefined;
  if (tuple.flat.invariants?.some(({ tables }) => tables.includes(name)) === true) return undefined;
  const operations = tuple.accesses
    .flat()
    .filter((each) => each.table === table)
    .map(({ operation, point }) => ({ operation, point }));
  // A sum of equal values cannot represent a sum of unknowns.
  if (operations.some(({ operation }) => operation.aggregate?.function === "sum")) return undefined;
  if (tuple.transactions.some((each) => asksForRows(each, name))) return undefined;
  const told = new Set(columnsOf(...checks));
  for (const each of table.table.foreignKeys ?? [])
    each.columns.forEach((column) => told.add(column));
  for (const { operation, point } of operations) {
    for (const each of toldApartBy(operation)) told.add(each);
    if (!point && operation.kind !== "insert")
      for (const each of Object.keys(operation.key)) told.add(each);
  }
  const isFree = (column: string): boolean =>
    !told.has(column) && columns.find((each) => each.name === column)?.type !== "bool";
  const differing = [primaryKey, ...uniqueKeys].map((key) => key.find(isFree));
  if (!differing.every((each) => each !== undefined)) return undefined;
  return { most: Math.max(...wanted), differing: [...new Set(differing)] };
}

/** The columns by which an operation distinguishes rows or which it computes with. */
function toldApartBy({
  kind,
  where,
  set,
  update = {},
  updateWhere,
  aggregate,
  orderBy,
}: Operation): readonly string[] {
  const changed = kind === "update" ? { ...set, ...update } : update;
  const terms = [where, updateWhere, aggregate?.operand, ...Object.values(changed)];
  return [
    ...columnsOf(...terms.filter((each) => each !== undefined)),
    ...Object.keys(changed),
    ...(orderBy ? [orderBy.column] : []),
  ];
}

/** True if the code iterates over rows of the table, where each row counts. */
function asksForRows(transaction: FlatTransaction, table: string): boolean {
  return [...subterms(...termsOf(transaction))].some(
    (term) => term.kind === "over" && transaction.operations[term.operation]?.table === table,
  );
}

function columnsOf(...terms: readonly Term[]): readonly string[] {
  return [...subterms(...terms)].flatMap((term) => (term.kind === "column" ? [term.column] : []));
}
