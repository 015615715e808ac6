// Statements that are really several: what stands in their place in a transaction.
import type { Transaction } from "../../program/program";
import type { Command, Statement } from "../../program/statement";
import { createIds, type Ids } from "./lowering";

/** What stands for the statement, whose ids come from `ids`; undefined where it stays. */
export type Replace = (statement: Statement, ids: Ids) => readonly Command[] | undefined;

/**
 * The transaction with statements replaced; itself where nothing is. What replaces a statement of a unit that commits by
 * itself commits as one. Linear in the transaction.
 */
export function replaceStatements(transaction: Transaction, replace: Replace): Transaction {
  let ids: Ids | undefined;
  const fresh = (): Ids => (ids ??= idsBehind(transaction));
  const visit = (command: Command, isOne: boolean): Command => {
    switch (command.kind) {
      case "statement": {
        const commands = replace(command.statement, lazy(fresh));
        if (commands === undefined) return command;
        const body: Command = { kind: "sequence", commands };
        return isOne ? body : { kind: "atomic", body, source: command.statement.source };
      }
      case "sequence": {
        const commands = command.commands.map((each) => visit(each, isOne));
        return commands.every((each, at) => each === command.commands[at])
          ? command
          : { ...command, commands };
      }
      case "if": {
        const then = visit(command.then, isOne);
        const { otherwise: other } = command;
        const otherwise = other && visit(other, isOne);
        if (then === command.then && otherwise === other) return command;
        return { ...command, then, ...(otherwise && { otherwise }) };
      }
      case "loop": {
        const body = visit(command.body, isOne);
        return body === command.body ? command : { ...command, body };
      }
      case "atomic": {
        const body = visit(command.body, true);
        return body === command.body ? command : { ...command, body };
      }
      case "try": {
        const body = visit(command.body, isOne);
        const handler = visit(command.handler, isOne);
        return body === command.body && handler === command.handler
          ? command
          : { ...command, body, handler };
      }
      default:
        return command;
    }
  };
  const body = visit(transaction.body, transaction.boundary !== "unit");
  return body === transaction.body ? transaction : { ...transaction, body };
}

/** Ids that nothing in the transaction has. */
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

function lazy(ids: () => Ids): Ids {
  return {
    statement: () => ids().statement(),
    result: () => ids().result(),
    fresh: (prefix) => ids().fresh(prefix),
  };
}
