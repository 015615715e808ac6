// Units: what people take for one transaction and the database does not. How one that is none after all is told, so that
// a reader of programs may emit every function as a unit and leave the rest to this.
import type { Transaction } from "./program";
import type { Command } from "./statement";

/**
 * The transaction as what it is: a unit of one transaction alone becomes that transaction, a unit of one statement an
 * autocommitted one; all others stay as they are. Linear in its text.
 */
export function plainUnit(transaction: Transaction): Transaction {
  if (transaction.boundary !== "unit") return transaction;
  const found = countParts(transaction.body);
  if (found.repeats || found.failsBehind) return transaction;
  if (found.atomic.length === 0 && found.statements === 1)
    return { ...transaction, boundary: "autocommit" };
  const [only, ...others] = found.atomic;
  if (only === undefined || others.length > 0 || found.statements > 0) return transaction;
  if (goesOnAfterRollback(only.body)) return transaction;
  const level = only.level ?? transaction.level;
  return {
    ...transaction,
    boundary: "explicit",
    body: withoutAtomic(transaction.body),
    ...(level && { level }),
  };
}

interface Parts {
  readonly atomic: Extract<Command, { kind: "atomic" }>[];
  /** Outside of these. */
  statements: number;
  /** Some of them are in a loop. */
  repeats: boolean;
  /** The unit may fail where a transaction of it has committed. */
  failsBehind: boolean;
}

function countParts(body: Command): Parts {
  const parts: Parts = { atomic: [], statements: 0, repeats: false, failsBehind: false };
  const isPart = (): boolean => parts.atomic.length + parts.statements > 0;
  const visit = (command: Command): void => {
    switch (command.kind) {
      case "sequence":
        command.commands.forEach(visit);
        return;
      case "statement":
        parts.statements += 1;
        return;
      case "atomic":
        parts.atomic.push(command);
        return;
      case "if":
        visit(command.then);
        if (command.otherwise) visit(command.otherwise);
        return;
      case "loop": {
        const before = parts.atomic.length + parts.statements;
        visit(command.body);
        if (parts.atomic.length + parts.statements > before) parts.repeats = true;
        return;
      }
      case "try":
        visit(command.body);
        // A handler begins where what it is for was undone.
        visitHandler(command.handler);
        return;
      case "rollback":
        if (isPart()) parts.failsBehind = true;
        return;
      default:
        return;
    }
  };
  const visitHandler = (handler: Command): void => {
    const before = parts.failsBehind;
    visit(handler);
    parts.failsBehind = before;
  };
  visit(body);
  return parts;
}

function goesOnAfterRollback(command: Command): boolean {
  switch (command.kind) {
    case "sequence":
      return command.commands.some(goesOnAfterRollback);
    case "if":
      return [command.then, command.otherwise].some((each) => each && goesOnAfterRollback(each));
    case "loop":
      return goesOnAfterRollback(command.body);
    case "try":
      return goesOnAfterRollback(command.body) || goesOnAfterRollback(command.handler);
    case "rollback":
      return command.leaves === "atomic";
    default:
      return false;
  }
}

function withoutAtomic(command: Command): Command {
  switch (command.kind) {
    case "sequence":
      return { ...command, commands: command.commands.map(withoutAtomic) };
    case "atomic":
      return command.body;
    case "if": {
      const { otherwise } = command;
      const rest = otherwise === undefined ? {} : { otherwise: withoutAtomic(otherwise) };
      return { ...command, then: withoutAtomic(command.then), ...rest };
    }
    case "loop":
      return { ...command, body: withoutAtomic(command.body) };
    case "try": {
      const [body, handler] = [withoutAtomic(command.body), withoutAtomic(command.handler)];
      return { ...command, body, handler };
    }
    default:
      return command;
  }
}
