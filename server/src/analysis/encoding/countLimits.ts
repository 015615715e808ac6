// The row counts at which a program's own comparisons change their result.
import { ofNode } from "../../query/nodes";
import type { FlatTransaction, Term } from "../operations/operation";
import { parts, subterms } from "../operations/terms";

/** The integers that a transaction compares the table's row count with. */
export function limitsOfCounts(transaction: FlatTransaction, table: string): readonly number[] {
  return limitsByTable(transaction).get(table) ?? [];
}

/** Each row that is mentioned asks for the limits of its table. Linear in the terms of the transaction, and of its comparisons of counts. */
const limitsByTable = ofNode(
  (transaction: FlatTransaction): ReadonlyMap<string, readonly number[]> => {
    const limits = new Map<string, number[]>();
    const known = new Map<Term, ReadonlySet<string>>();
    const countedIn = (term: Term): ReadonlySet<string> => {
      const before = known.get(term);
      if (before) return before;
      const own = countedTable(transaction, term);
      const within = parts(term).map(countedIn);
      const [first = NOTHING, ...others] = within.filter((each) => each.size > 0);
      const all =
        own === undefined && others.length === 0
          ? first
          : new Set([...(own === undefined ? [] : [own]), ...within.flatMap((each) => [...each])]);
      known.set(term, all);
      return all;
    };
    for (const term of subterms(...termsOf(transaction))) {
      if (term.kind !== "compare") continue;
      const tables = countedIn(term);
      if (tables.size === 0) continue;
      const numbers = [...subterms(term)].flatMap((side) =>
        side.kind === "int" && side.value > 0 ? [side.value] : [],
      );
      for (const table of tables) limits.set(table, [...(limits.get(table) ?? []), ...numbers]);
    }
    return limits;
  },
);

const NOTHING: ReadonlySet<string> = new Set();

/** The table whose rows the term counts. */
function countedTable({ operations }: FlatTransaction, term: Term): string | undefined {
  if (term.kind !== "output" && term.kind !== "count" && term.kind !== "over") return undefined;
  const counted = operations[term.operation];
  const isCount =
    term.kind === "count" ||
    (term.kind === "over" && term.function === "total" && term.value.kind === "int") ||
    counted?.aggregate?.function === "count";
  return isCount ? counted?.table : undefined;
}

/** The terms that determine a transaction's rollback, its statements' conditions and its writes. */
export function termsOf({ aborts, exceeds, operations }: FlatTransaction): readonly Term[] {
  return [
    aborts,
    ...(exceeds ? [exceeds] : []),
    ...operations.flatMap((each) => [each.guard, each.where, ...Object.values(each.set)]),
  ];
}
