// Transactions on tables of engines without transactions: MyISAM, MEMORY, Aria and others. Each statement there commits by itself, so that
// a BEGIN ... COMMIT block is a unit of several transactions.
import type { Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { Command } from "../../program/statement";
import { plainUnit } from "../../program/unit";
import { namedTables } from "./tableNames";

/**
 * Converts transactions that only touch such tables. If others are touched as well, the transaction stays, and the tables' doubts report
 * it. Linear in a transaction.
 */
export function withoutTransactions(
  tables: readonly Table[],
): (transaction: Transaction) => Transaction {
  const without = new Set(
    tables.filter(({ hasNoTransactions }) => hasNoTransactions).map(({ name }) => name),
  );
  if (without.size === 0) return (transaction) => transaction;
  return (transaction) => {
    const named = [...namedTables(transaction.body).tables.keys()];
    if (named.length === 0 || !named.every((name) => without.has(name))) return transaction;
    if (transaction.boundary === "autocommit") return transaction;
    return plainUnit({ ...transaction, boundary: "unit", body: alone(transaction.body) });
  };
}

const NOTHING: Command = { kind: "sequence", commands: [] };

/** The commands without enclosing transactions and rollbacks. */
function alone(command: Command): Command {
  switch (command.kind) {
    case "sequence":
      return { ...command, commands: command.commands.map(alone) };
    case "if": {
      const { otherwise } = command;
      const then = alone(command.then);
      return { ...command, then, ...(otherwise && { otherwise: alone(otherwise) }) };
    }
    case "loop":
      return { ...command, body: alone(command.body) };
    case "try":
      return { ...command, body: alone(command.body), handler: alone(command.handler) };
    case "atomic":
      return alone(command.body);
    case "rollback":
      return command.leaves === undefined ? command : NOTHING;
    case "savepoint":
    case "release":
    case "rollbackTo":
      return NOTHING;
    default:
      return command;
  }
}
