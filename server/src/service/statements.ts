// Walks over the abstract representation: the statements of a transaction, and the tables that they name.
import type { Expression, LockClause } from "../program/expression";
import { precisionOf, worstPrecision } from "../program/precision";
import type { Invariant, Transaction } from "../program/program";
import type { Command, Statement } from "../program/statement";
import type { Precision } from "../protocol/report";

/** The statements of a command in text order. */
export function statementsOf(command: Command): readonly Statement[] {
  switch (command.kind) {
    case "sequence":
      return command.commands.flatMap(statementsOf);
    case "statement":
      return [command.statement];
    case "if":
      return [
        ...statementsOf(command.then),
        ...(command.otherwise ? statementsOf(command.otherwise) : []),
      ];
    case "loop":
    case "atomic":
      return statementsOf(command.body);
    case "try":
      return [...statementsOf(command.body), ...statementsOf(command.handler)];
    case "assign":
    case "exit":
    case "continue":
    case "rollback":
    case "return":
    case "savepoint":
    case "release":
    case "rollbackTo":
      return [];
  }
}

/** True if the statement, or a query inside of it, requests row locks with this wait policy. */
export function asksForLocks(statement: Statement, wait: LockClause["wait"]): boolean {
  const open: unknown[] = [statement];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== "object" || part === null) continue;
    if ("wait" in part && "strength" in part && part.wait === wait) return true;
    open.push(...(Object.values(part) as readonly unknown[]));
  }
  return false;
}

/** The precision with which a statement was understood. */
export function statementPrecision(statement: Statement): Precision {
  const precision = precisionOf(statement.taint);
  return statement.kind === "opaque" ? worstPrecision([precision, "approx"]) : precision;
}

/** The worst precision of a transaction's statements and of the losses between them. */
export function transactionPrecision(transaction: Transaction): Precision {
  return worstPrecision([
    precisionOf(transaction.taint),
    ...statementsOf(transaction.body).map(statementPrecision),
  ]);
}

/** Every table that a transaction names. */
export function tablesOf(transaction: Transaction): ReadonlySet<string> {
  return tablesNamedIn(transaction.body, transaction.preconditions);
}

/**
 * Every table that parts of a program name, found anywhere in their plain data: tables occur only under the keys `table` and `tables`, so
 * that new kinds of statements and expressions need no change here.
 */
export function tablesNamedIn(
  ...parts: readonly (Command | readonly Expression[] | Invariant)[]
): ReadonlySet<string> {
  const tables = new Set<string>();
  const open: unknown[] = [...parts];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) open.push(...(value as readonly unknown[]));
    else if (typeof value === "object" && value !== null) {
      for (const [key, field] of Object.entries(value)) {
        if (key === "table" && typeof field === "string") tables.add(field);
        else if (key === "tables" && Array.isArray(field)) {
          for (const name of field) if (typeof name === "string") tables.add(name);
        } else if (typeof field === "object") open.push(field);
      }
    }
  }
  return tables;
}
