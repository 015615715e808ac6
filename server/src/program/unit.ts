// Units: what people take for one transaction and the database does not. Recognises units that are a single transaction, so that a reader
// of programs may emit every function as a unit.
import type { Expression } from "./expression";
import type { Transaction } from "./program";
import type { Command, Statement } from "./statement";

/**
 * Simplifies a unit: one with a single transaction becomes that transaction, one with at most one statement becomes an autocommitted one;
 * all others are unchanged. Linear in its text.
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

/** True if a run may fail after a commit, so that a retry repeats a part. Linear in its text. */
export function mayStayInPart(body: Command): boolean {
  const { failsBehind, goesOnBehind } = countParts(body);
  return failsBehind || goesOnBehind;
}

interface Parts {
  readonly atomic: Extract<Command, { kind: "atomic" }>[];
  /** Statements outside of `atomic`, on the path with the most of them. */
  statements: number;
  /** True if some of them are in a loop. */
  repeats: boolean;
  /** True if the unit may fail after one of its transactions committed a write. */
  failsBehind: boolean;
  /** True if it uses the database again after that. */
  goesOnBehind: boolean;
  /** The writing statements so far. */
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
        // Only one of two branches runs.
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
        // A handler begins after its block was undone.
        visitHandler(command.handler);
        return;
      case "rollback":
        if (parts.writers.length > 0) parts.failsBehind = true;
        return;
      default:
        return;
    }
  };
  /** `isIdle`: nothing was written before on this path. */
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

/** Rows that the statement changed, under the condition; undefined if it does not tell. */
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
