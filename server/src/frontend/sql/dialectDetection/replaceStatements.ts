// Replacement of statements in a transaction by several others.
import type { Transaction } from "../../../program/program";
import type { Command, Statement } from "../../../program/statement";
import { createIds, type Ids } from "../lowering";

/**
 * The replacement of a statement, with ids from `ids`; undefined to keep it. `isRepaired`: a handler around it goes on from what the
 * statements before it did.
 */
export type Replace = (
  statement: Statement,
  ids: Ids,
  isRepaired?: boolean,
) => readonly Command[] | undefined;

/**
 * The transaction with statements replaced; unchanged ones are returned as they are. The replacement of a unit's single-statement
 * transaction is one transaction. Linear in the transaction.
 */
export function replaceStatements(transaction: Transaction, replace: Replace): Transaction {
  let own: Ids | undefined;
  const known = (): Ids => (own ??= idsBehind(transaction));
  const ids: Ids = {
    statement: () => known().statement(),
    result: () => known().result(),
    fresh: (prefix) => known().fresh(prefix),
  };
  const isOne = transaction.boundary !== "unit";
  const body = inStatements(
    transaction.body,
    (each, isRepaired) => replace(each, ids, isRepaired),
    isOne,
  );
  return body === transaction.body ? transaction : { ...transaction, body };
}

/** The command with statements replaced; `isOne` if it is a single transaction. */
export function inStatements(
  command: Command,
  replace: (statement: Statement, isRepaired: boolean) => readonly Command[] | undefined,
  isOne = true,
  isRepaired = false,
): Command {
  const visit = (each: Command): Command => inStatements(each, replace, isOne, isRepaired);
  switch (command.kind) {
    case "statement": {
      const commands = replace(command.statement, isRepaired);
      if (commands === undefined) return command;
      const body: Command = { kind: "sequence", commands };
      return isOne ? body : { kind: "atomic", body, source: command.statement.source };
    }
    case "sequence": {
      const commands = command.commands.map(visit);
      return commands.every((each, at) => each === command.commands[at])
        ? command
        : { ...command, commands };
    }
    case "if": {
      const then = visit(command.then);
      const { otherwise: other } = command;
      const otherwise = other && visit(other);
      if (then === command.then && otherwise === other) return command;
      return { ...command, then, ...(otherwise && { otherwise }) };
    }
    case "loop":
    case "atomic": {
      const isWhole = isOne || command.kind === "atomic";
      const body = inStatements(command.body, replace, isWhole, isRepaired);
      return body === command.body ? command : { ...command, body };
    }
    case "try": {
      const isInside = isRepaired || command.undoes === "statement";
      const body = inStatements(command.body, replace, isOne, isInside);
      const handler = visit(command.handler);
      return body === command.body && handler === command.handler
        ? command
        : { ...command, body, handler };
    }
    default:
      return command;
  }
}

/** Ids that are unused in the transaction. */
function idsBehind({ id, body }: Transaction): Ids {
  const text = JSON.stringify(body);
  const statements = [...text.matchAll(/"id":"(?:[^"\\]|\\.)*\/(\d+)"/g)].map(([, n]) => Number(n));
  const highest = statements.reduce((most, each) => Math.max(most, each), 0);
  const own = createIds(id, { statements: highest, results: 0, fresh: new Map() });
  const free = (next: () => string): string => {
    for (;;) {
      const name = next();
      if (!text.includes(JSON.stringify(name))) return name;
    }
  };
  return {
    statement: own.statement,
    result: () => free(own.result),
    fresh: (prefix) => free(() => own.fresh(prefix)),
  };
}
