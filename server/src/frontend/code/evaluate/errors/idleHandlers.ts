// Handlers and failures of the code that change nothing in the database: behind them a function ends as it would without them.
import type { Expression } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import { walkExpression } from "../../../sql/walk";
import { RETHROWN } from "../transactions/transactions";

/**
 * The command without handlers that run no statement and behind which none is run: an error ends the function there,
 * and what was not committed is undone. Handlers inside of a transaction stay: behind them it may still commit.
 * Failures behind the last statement that depend on arguments alone (`res.json()` of what was committed) go as well: every
 * execution with these arguments has them.
 */
export function withoutIdleHandlers(command: Command, isFollowed = false): Command {
  return withoutIdle(withoutRethrows(command, false), isFollowed);
}

/** Savepoints of nested transactions matter only where something around them catches the error and goes on. */
function withoutRethrows(command: Command, isCaught: boolean): Command {
  const inside = (each: Command): Command => withoutRethrows(each, isCaught);
  switch (command.kind) {
    case "sequence":
      return { ...command, commands: command.commands.map(inside) };
    case "if": {
      const { otherwise } = command;
      const then = inside(command.then);
      return { ...command, then, ...(otherwise && { otherwise: inside(otherwise) }) };
    }
    case "loop":
      return { ...command, body: inside(command.body) };
    case "atomic":
      return { ...command, body: withoutRethrows(command.body, false) };
    case "try": {
      const { handler } = command;
      const rethrows = handler.kind === "rollback" && handler.why === RETHROWN;
      if (rethrows && !isCaught) return inside(command.body);
      const body = withoutRethrows(command.body, true);
      return { ...command, body, handler: inside(handler) };
    }
    default:
      return command;
  }
}

function withoutIdle(command: Command, isFollowed: boolean): Command {
  switch (command.kind) {
    case "sequence": {
      const commands: Command[] = [];
      let followed = isFollowed;
      for (const each of command.commands.toReversed()) {
        commands.unshift(withoutIdle(each, followed));
        followed ||= runsStatements(each);
      }
      return { ...command, commands };
    }
    case "if": {
      const { otherwise } = command;
      if (!isFollowed && isFailure(command) && ofArguments(command.condition)) return NOTHING;
      return {
        ...command,
        then: withoutIdle(command.then, isFollowed),
        ...(otherwise && { otherwise: withoutIdle(otherwise, isFollowed) }),
      };
    }
    case "loop":
      // The next round follows.
      return { ...command, body: withoutIdle(command.body, runsStatements(command.body)) };
    case "try": {
      const works = runsStatements(command.handler);
      // An error that a handler inside lets through would lead to this one.
      const body = withoutIdle(command.body, isFollowed || works);
      const isIdle = !isFollowed && !works;
      return isIdle ? body : { ...command, body };
    }
    default:
      return command;
  }
}

const NOTHING: Command = { kind: "sequence", commands: [] };

function isFailure({ then, otherwise }: Extract<Command, { kind: "if" }>): boolean {
  return then.kind === "rollback" && then.leaves === undefined && otherwise === undefined;
}

const OF_ARGUMENTS: ReadonlySet<Expression["kind"]> = new Set<Expression["kind"]>(
  ["parameter", "literal", "comparison", "and", "or", "not", "isNull", "sameValue"], // prettier-ignore
);

/** True if a condition is the same in every execution with the same arguments. */
function ofArguments(condition: Expression): boolean {
  let isSame = true;
  walkExpression(condition, [], {
    expression: (each) => {
      isSame &&= OF_ARGUMENTS.has(each.kind);
    },
  });
  return isSame;
}

/** True if a command may run a statement. */
export function runsStatements(command: Command): boolean {
  switch (command.kind) {
    case "statement":
      return true;
    case "sequence":
      return command.commands.some(runsStatements);
    case "if":
      return (
        runsStatements(command.then) ||
        (command.otherwise !== undefined && runsStatements(command.otherwise))
      );
    case "loop":
    case "atomic":
      return runsStatements(command.body);
    case "try":
      return runsStatements(command.body) || runsStatements(command.handler);
    default:
      return false;
  }
}
