// The row counts at which a program's own comparisons change their result.
import type { FlatTransaction, Term } from "../operations/operation";
import { subterms } from "../operations/terms";

/** The integers that a transaction compares the table's row count with. */
export function limitsOfCounts(transaction: FlatTransaction, table: string): readonly number[] {
  const counts = (term: Term): boolean => {
    if (term.kind !== "output" && term.kind !== "count" && term.kind !== "over") return false;
    const counted = transaction.operations[term.operation];
    const isCount =
      term.kind === "count" ||
      (term.kind === "over" && term.function === "total" && term.value.kind === "int") ||
      counted?.aggregate?.function === "count";
    return isCount && counted?.table === table;
  };
  return [...subterms(...termsOf(transaction))].flatMap((term) => {
    if (term.kind !== "compare") return [];
    const sides = [...subterms(term)];
    if (!sides.some(counts)) return [];
    return sides.flatMap((side) => (side.kind === "int" && side.value > 0 ? [side.value] : []));
  });
}

/** The terms that determine a transaction's rollback, its statements' conditions and its writes. */
export function termsOf({ aborts, exceeds, operations }: FlatTransaction): readonly Term[] {
  return [
    aborts,
    ...(exceeds ? [exceeds] : []),
    ...operations.flatMap((each) => [each.guard, each.where, ...Object.values(each.set)]),
  ];
}
