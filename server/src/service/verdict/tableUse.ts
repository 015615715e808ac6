// The tables that each transaction reads and writes.
import type { FlatTransaction } from "../../analysis/operations/operation";
import type { TableUse } from "../../protocol/report";

/** The tables of each transaction by its id, in the order of their first access. Linear in operations. */
export function tableUses(
  transactions: readonly FlatTransaction[],
): ReadonlyMap<string, readonly TableUse[]> {
  return new Map(transactions.map(({ id, operations }) => [id, usesOf(operations)]));
}

function usesOf(operations: FlatTransaction["operations"]): readonly TableUse[] {
  const uses = new Map<string, TableUse>();
  for (const { kind, table: name } of operations) {
    const { reads = false, writes = false } = uses.get(name) ?? {};
    const isRead = kind === "read";
    uses.set(name, { name, reads: reads || isRead, writes: writes || !isRead });
  }
  return [...uses.values()];
}
