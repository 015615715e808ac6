// The assumption on numbers of sequences: they are new, in no order. A server gives them out when they are asked for, not in the order of
// commits, at SERIALIZABLE as well, and several sequences in different orders.
import { walkCommand, type Scope } from "../../frontend/sql/walk";
import type { Expression, Query } from "../../program/expression";
import { operandsOf } from "../../program/operands";
import type { Transaction } from "../../program/program";
import type { Assumption } from "../../protocol/report";

/** One assumption for the transactions that compare numbers which transactions of the program get from sequences. Linear in them. */
export function sequenceAssumptions(transactions: readonly Transaction[]): readonly Assumption[] {
  const numbered = new Set<string>();
  for (const { body } of transactions)
    walkCommand(body, {
      assignment: (table, column, value) => {
        if (value.kind === "fresh" && value.why === "sequence") numbered.add(keyOf(table, column));
      },
    });
  const comparing =
    numbered.size === 0 ? [] : transactions.filter((each) => compares(each, numbered));
  const [first] = comparing;
  if (first === undefined) return [];
  const rest = comparing.length - 1;
  const names = rest === 0 ? first.name : `${first.name} (and ${String(rest)} more)`;
  const text = `${names} may meet numbers of sequences in any order, whichever row commits first`;
  return [{ kind: "sequences", text, transactions: comparing.map(({ id }) => id) }];
}

function keyOf(table: string, column: string): string {
  return JSON.stringify([table, column]);
}

/** True if a transaction asks which of such numbers is the larger one. */
function compares({ body }: Transaction, numbered: ReadonlySet<string>): boolean {
  let found = false;
  const isNumber = (value: Expression, scope: Scope): boolean => {
    if (value.kind === "column") {
      const relation = scope.find(({ alias }) => alias === value.relation);
      const table = relation?.kind === "base" ? relation.table : value.relation;
      return numbered.has(keyOf(table, value.column));
    }
    if ("query" in value) return outputsNumber(value.query, scope);
    return operandsOf(value).some((each) => isNumber(each, scope));
  };
  const outputsNumber = ({ outputs, relations }: Query, scope: Scope): boolean =>
    outputs.some(({ value }) => isNumber(value, [...relations, ...scope]));
  walkCommand(body, {
    query: ({ relations, orderBy, limit }) => {
      if (limit !== undefined) found ||= orderBy.some(({ value }) => isNumber(value, relations));
    },
    expression: (value, scope) => {
      if (value.kind === "comparison" && /[<>]/u.test(value.operator) && value.operator !== "<>")
        found ||= isNumber(value.left, scope) || isNumber(value.right, scope);
      if (value.kind === "aggregate" && (value.function === "max" || value.function === "min"))
        found ||= operandsOf(value).some((each) => isNumber(each, scope));
    },
  });
  return found;
}
