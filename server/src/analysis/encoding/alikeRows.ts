// Rows that are alike but for their keys, of which a count needs many: one row of the encoding stands for all of them.
import type { FlatTransaction, Operation, Term } from "../operations/operation";
import { subterms } from "../operations/terms";
import { limitsOfCounts, termsOf } from "./countLimits";
import type { ProductTuple, TupleTable } from "./product/tuple";

/** Rows that one row of a table may stand for. */
export interface AlikeRows {
  /** As many at the most. */
  readonly most: number;
  /** The columns in which they differ, which no statement looks at: one of each key. */
  readonly differing: readonly string[];
}

/** Limits beyond these would make witnesses that nobody reads. */
const MOST = 500;

/**
 * Where the tuple compares how many rows of the table there are with more than `few`, and no statement tells rows apart
 * that differ in one column of each key alone; undefined elsewhere. Linear in the tuple's operations.
 */
export function alikeRows(
  tuple: ProductTuple,
  table: TupleTable,
  few: number,
): AlikeRows | undefined {
  // Cycles of three at a time beyond those of two are searched among few rows.
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
  // A sum of values that are the same is no sum of unknowns.
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

/** The columns by which an operation tells rows apart, or that it computes something of. */
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

/** True if the code goes through rows of the table, of which each counts for itself. */
function asksForRows(transaction: FlatTransaction, table: string): boolean {
  return [...subterms(...termsOf(transaction))].some(
    (term) => term.kind === "over" && transaction.operations[term.operation]?.table === table,
  );
}

function columnsOf(...terms: readonly Term[]): readonly string[] {
  return [...subterms(...terms)].flatMap((term) => (term.kind === "column" ? [term.column] : []));
}
