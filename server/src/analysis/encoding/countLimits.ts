// How many rows it takes for a program's own comparisons of counts to go either way.
import type { FlatTransaction, Term } from "../operations/operation";
import { subterms } from "../operations/terms";

/** The integers with which a transaction compares how many rows of the table there are. */
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

/** Terms that a transaction's rollback, its statements' conditions and what they write hang on. */
export function termsOf({ aborts, exceeds, operations }: FlatTransaction): readonly Term[] {
  return [
    aborts,
    ...(exceeds ? [exceeds] : []),
    ...operations.flatMap((each) => [each.guard, each.where, ...Object.values(each.set)]),
  ];
}
