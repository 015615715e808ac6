// Units: what people take for one transaction and the database does not. How one that is none after all is told, so that
// a reader of programs may emit every function as a unit and leave the rest to this.
import type { Expression } from "./expression";
import type { Transaction } from "./program";
import type { Command, Statement } from "./statement";

/**
 * The transaction as what it is: a unit of one transaction alone becomes that transaction, a unit that runs one
 * statement at the most an autocommitted one; all others stay as they are. Linear in its text.
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

/**
 * True if what runs may fail where something that it wrote stays: who runs it again then does a part of it twice. Linear
 * in its text.
 */
export function mayStayInPart(body: Command): boolean {
  const { failsBehind, goesOnBehind } = countParts(body);
  return failsBehind || goesOnBehind;
}

interface Parts {
  readonly atomic: Extract<Command, { kind: "atomic" }>[];
  /** Outside of these, on the path with the most of them. */
  statements: number;
  /** Some of them are in a loop. */
  repeats: boolean;
  /** The unit may fail where a transaction of it has committed what it wrote. */
  failsBehind: boolean;
  /** The database is asked for something else by then. */
  goesOnBehind: boolean;
  /** Statements that write, of those so far. */
  readonly writers: Statement[];
}

function countParts(body: Command): Parts {
  const parts: Parts = {
    atomic: [],
    statements: 0,
    repeats: false,
    failsBehind: false,
    goesOnBehind: false,
    writers: [],
  };
  const visit = (command: Command): void => {
    switch (command.kind) {
      case "sequence":
        command.commands.forEach(visit);
        return;
      case "statement":
        parts.statements += 1;
        parts.goesOnBehind ||= parts.writers.length > 0;
        if (writes(command.statement)) parts.writers.push(command.statement);
        return;
      case "atomic":
        parts.atomic.push(command);
        parts.goesOnBehind ||= parts.writers.length > 0;
        parts.writers.push(...writersIn(command.body));
        return;
      case "if": {
        const [only, ...others] = parts.writers;
        const told = only && others.length === 0 ? changedBy(command.condition, only) : undefined;
        const { statements } = parts;
        const before = parts.writers.length;
        visitWhere(command.then, told === "nothing");
        if (command.otherwise === undefined) return;
        // One of two branches runs.
        const inThen = parts.writers.splice(before);
        const most = parts.statements;
        parts.statements = statements;
        visitWhere(command.otherwise, told === "something");
        parts.writers.splice(before, 0, ...inThen);
        parts.statements = Math.max(most, parts.statements);
        return;
      }
      case "loop": {
        const before = parts.atomic.length + parts.statements;
        const written = parts.writers.length;
        visit(command.body);
        if (parts.atomic.length + parts.statements > before) parts.repeats = true;
        parts.goesOnBehind ||= parts.writers.length > written;
        return;
      }
      case "try":
        visit(command.body);
        // A handler begins where what it is for was undone.
        visitHandler(command.handler);
        return;
      case "rollback":
        if (parts.writers.length > 0) parts.failsBehind = true;
        return;
      default:
        return;
    }
  };
  /** `isIdle`: nothing has been written there before. */
  const visitWhere = (command: Command, isIdle: boolean): void => {
    const failed = parts.failsBehind;
    const written = parts.writers.length;
    visit(command);
    if (isIdle && parts.writers.length === written) parts.failsBehind = failed;
  };
  const visitHandler = (handler: Command): void => {
    const before = parts.failsBehind;
    visit(handler);
    parts.failsBehind = before;
  };
  visit(body);
  return parts;
}

function writes(statement: Statement): boolean {
  if (statement.kind === "opaque") return statement.writes;
  return statement.kind !== "select" && statement.kind !== "lock";
}

function writersIn(command: Command): readonly Statement[] {
  switch (command.kind) {
    case "sequence":
      return command.commands.flatMap(writersIn);
    case "statement":
      return writes(command.statement) ? [command.statement] : [];
    case "if":
      return [command.then, ...(command.otherwise ? [command.otherwise] : [])].flatMap(writersIn);
    case "loop":
    case "atomic":
      return writersIn(command.body);
    case "try":
      return [...writersIn(command.body), ...writersIn(command.handler)];
    default:
      return [];
  }
}

/** Rows that the statement has changed where the condition holds; undefined where it does not tell. */
function changedBy(
  condition: Expression,
  statement: Statement,
): "nothing" | "something" | undefined {
  if (condition.kind === "not") {
    const inner = changedBy(condition.operand, statement);
    return inner && (inner === "nothing" ? "something" : "nothing");
  }
  if (condition.kind !== "comparison") return undefined;
  const returned = "returning" in statement ? statement.returning?.into : undefined;
  const isCount = (each: Expression): boolean =>
    (each.kind === "affected" && each.statement === statement.id) ||
    (each.kind === "size" && each.result === returned);
  const { left, right, operator } = condition;
  const [count, bound] = isCount(left) ? [left, right] : [right, left];
  if (!isCount(count) || bound.kind !== "literal") return undefined;
  const words = `${isCount(left) ? operator : (MIRRORED[operator] ?? operator)} ${String(bound.value)}`;
  if (["= 0", "< 1", "<= 0"].includes(words)) return "nothing";
  return ["<> 0", "> 0", ">= 1"].includes(words) ? "something" : undefined;
}

const MIRRORED: Readonly<Record<string, string>> = { "<": ">", ">": "<", "<=": ">=", ">=": "<=" };

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
