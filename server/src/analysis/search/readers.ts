// Which transactions of a tuple only read: what makes some tuples likelier than others.
import type { FlatProgram } from "../operations/operation";

/** How many of the transactions write nothing. */
export function readers(flat: FlatProgram, transactions: readonly number[]): number {
  return transactions.filter((index) =>
    flat.transactions[index]?.operations.every((operation) => operation.kind === "read"),
  ).length;
}
