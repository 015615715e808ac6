// The current date. Unlike the time it is shared by many transactions, which meet in the rows of that day: an argument of each of them.
import type { Expression } from "../../program/expression";
import { mapParts } from "../../program/operands";
import type { Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { Command } from "../../program/statement";
import { ofNode } from "../../query/nodes";
import { walkCommand, walkExpression } from "./walk";

const NAME = "CURRENT_DATE";

/** `CURRENT_DATE` in a statement. */
export const TODAY: Expression = { kind: "parameter", name: NAME };

/** The same in a table's declaration, which has no arguments. */
const DECLARED: Expression = { kind: "fresh", id: NAME, type: "time", why: "now" };

/** True if an expression is the current date of a statement. */
export function isToday(expression: Expression): boolean {
  return expression.kind === "parameter" && expression.name === NAME;
}

/** True if an expression of a declared table is the current date. */
export function isDeclaredToday(expression: Expression): boolean {
  return expression.kind === "fresh" && expression.id === NAME;
}

const mentionsToday = ofNode((body: Command): boolean => {
  let isAsked = false;
  walkCommand(body, {
    expression: (each) => {
      isAsked ||= isToday(each);
    },
  });
  return isAsked;
});

/** The transaction with the date among its parameters, if it uses it. Linear in its body, once per transaction. */
export function withToday(transaction: Transaction): Transaction {
  const { body, parameters } = transaction;
  if (!mentionsToday(body)) return transaction;
  const others = parameters.filter(({ name }) => name !== NAME);
  const today = { name: NAME, type: "time", origin: "argument" } as const;
  return { ...transaction, parameters: [...others, today] };
}

/** The tables without parameters in their defaults and checks. Linear in these. */
export function withDeclaredToday(tables: readonly Table[]): readonly Table[] {
  return tables.map((table) => {
    const said = [...table.checks, ...table.columns.flatMap((each) => each.default ?? [])];
    if (!said.some(mentions)) return table;
    const columns = table.columns.map((each) =>
      each.default ? { ...each, default: declared(each.default) } : each,
    );
    return { ...table, columns, checks: table.checks.map(declared) };
  });
}

function mentions(expression: Expression): boolean {
  let isFound = false;
  walkExpression(expression, [], {
    expression: (each) => {
      isFound ||= isToday(each);
    },
  });
  return isFound;
}

function declared(expression: Expression): Expression {
  return isToday(expression) ? DECLARED : mapParts(expression, declared);
}
