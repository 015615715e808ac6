// The assumption on numbers of sequences: they are new, in no order. A server gives them out when they are asked for, not in the order of
// commits, at SERIALIZABLE as well, and several sequences in different orders.
import { walkCommand, type Scope } from "../../frontend/sql/walk";
import type { Expression, Query } from "../../program/expression";
import { operandsOf } from "../../program/operands";
import type { Transaction } from "../../program/program";
import type { Command } from "../../program/statement";
import type { Assumption } from "../../protocol/report";

/**
 * One assumption for the transactions that compare numbers which transactions of the program get from sequences, one for those that get
 * several, between which others may get theirs. Linear in them.
 */
export function sequenceAssumptions(transactions: readonly Transaction[]): readonly Assumption[] {
  const numbered = new Set<string>();
  for (const { body } of transactions)
    walkCommand(body, {
      assignment: (table, column, value) => {
        if (isDrawn(value)) numbered.add(keyOf(table, column));
      },
    });
  const comparing =
    numbered.size === 0 ? [] : transactions.filter((each) => compares(each, numbered));
  return [
    ...assumed(
      comparing,
      "may meet numbers of sequences in any order, whichever row commits first",
    ),
    ...assumed(
      transactions.filter(({ body }) => numbersOf(body) > 1),
      "may get a smaller number of one sequence and a larger one of the next than who runs beside it",
    ),
  ];
}

function assumed(transactions: readonly Transaction[], what: string): readonly Assumption[] {
  const [first] = transactions;
  if (first === undefined) return [];
  const rest = transactions.length - 1;
  const names = rest === 0 ? first.name : `${first.name} (and ${String(rest)} more)`;
  const text = `${names} ${what}`;
  return [{ kind: "sequences", text, transactions: transactions.map(({ id }) => id) }];
}

function isDrawn(value: Expression): boolean {
  return value.kind === "fresh" && value.why === "sequence";
}

/** How many numbers of sequences a run gets, or more; two stand for many. */
function numbersOf(command: Command): number {
  let numbers = 0;
  walkCommand(command, {
    expression: (value) => {
      if (isDrawn(value)) numbers += 1;
    },
    statement: (statement) => {
      if (statement.kind !== "insert" || !("query" in statement.rows)) return;
      // A query gives several rows, each with its number.
      if (statement.rows.query.outputs.some(({ value }) => isDrawn(value))) numbers += 1;
    },
    command: (each) => {
      if (each.kind === "loop") numbers += numbersOf(each.body);
    },
  });
  return numbers;
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
