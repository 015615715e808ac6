// What the arguments of a transaction look like: as the columns that they are compared with or written to.
import type { Table } from "../../program/schema";
import type { Takes } from "../../program/takes";
import type { FlatTransaction, Operation, Term } from "../operations/operation";

/** By the arguments' names; those that no column says anything of are missing. Linear in the transaction's terms. */
export function takesOfArguments(
  { operations }: FlatTransaction,
  tables: ReadonlyMap<string, Table>,
): ReadonlyMap<string, Takes> {
  const found = new Map<string, Takes>();
  const byIndex = new Map(operations.map((each) => [each.index, each]));
  const takesOfColumn = (table: string, column: string): Takes | undefined =>
    tables.get(table)?.columns.find(({ name }) => name === column)?.takes;
  const takesOfTerm = (term: Term, at: Operation): Takes | undefined => {
    if (term.kind === "column") return takesOfColumn(at.table, term.column);
    if (term.kind !== "output" && term.kind !== "joined") return undefined;
    const from = byIndex.get(term.operation);
    const output = from?.outputs[term.name];
    return from && output?.kind === "column" ? takesOfColumn(from.table, output.column) : undefined;
  };
  const say = (term: Term, takes: Takes | undefined): void => {
    if (!takes) return;
    if (term.kind === "parameter" && !found.has(term.name)) found.set(term.name, takes);
    if (term.kind !== "conditional") return;
    say(term.then, takes);
    say(term.otherwise, takes);
  };
  for (const operation of operations) {
    const written = [operation.key, operation.set, operation.update ?? {}];
    for (const [column, term] of written.flatMap((each) => Object.entries(each)))
      say(term, takesOfColumn(operation.table, column));
    const visit = (part: unknown): void => {
      if (typeof part !== "object" || part === null) return;
      if (isComparison(part)) {
        say(part.left, takesOfTerm(part.right, operation));
        say(part.right, takesOfTerm(part.left, operation));
      }
      Object.values(part).forEach(visit);
    };
    visit(operation);
  }
  return found;
}

function isComparison(part: object): part is Extract<Term, { readonly kind: "compare" }> {
  return "kind" in part && part.kind === "compare";
}
