// The likelihood that a tuple of three or more has a cycle that none of its pairs has.
import type { FlatProgram, FlatTransaction } from "../operations/operation";

/**
 * 2 for the commonest larger cycle where pairs are safe: a reader between writers that never write the same (Fekete et al. 2004); 1 if the
 * writers may write the same; else 0.
 */
export function likelihood(flat: FlatProgram, transactions: readonly number[]): 0 | 1 | 2 {
  const written = transactions.flatMap((index) => {
    const transaction = flat.transactions[index];
    return transaction && transaction.operations.some(({ kind }) => kind !== "read")
      ? [writtenBy(transaction)]
      : [];
  });
  if (transactions.length < 3 || transactions.length - written.length !== 1) return 0;
  const all = written.flatMap((columns) => [...columns]);
  return new Set(all).size === all.length ? 2 : 1;
}

/** Tables and columns as "table.column"; inserted and deleted rows count for the whole table. */
function writtenBy({ operations }: FlatTransaction): ReadonlySet<string> {
  return new Set(
    operations.flatMap(({ kind, table, set }) => {
      if (kind === "read") return [];
      return kind === "update" ? Object.keys(set).map((name) => `${table}.${name}`) : [table];
    }),
  );
}
