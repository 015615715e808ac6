// Handlers of the code that do nothing with the database: behind them a function ends as an error ends it.
import type { Command } from "../../../program/statement";

/**
 * The command without handlers that run no statement and behind which none is run: an error ends the function there,
 * and what was not committed is undone. Handlers inside of a transaction stay: behind them it may still commit.
 */
export function withoutIdleHandlers(command: Command, isFollowed = false): Command {
  switch (command.kind) {
    case "sequence": {
      const commands: Command[] = [];
      let followed = isFollowed;
      for (const each of command.commands.toReversed()) {
        commands.unshift(withoutIdleHandlers(each, followed));
        followed ||= runsStatements(each);
      }
      return { ...command, commands };
    }
    case "if": {
      const { otherwise } = command;
      return {
        ...command,
        then: withoutIdleHandlers(command.then, isFollowed),
        ...(otherwise && { otherwise: withoutIdleHandlers(otherwise, isFollowed) }),
      };
    }
    case "loop":
      // The next round follows.
      return { ...command, body: withoutIdleHandlers(command.body, runsStatements(command.body)) };
    case "try": {
      const body = withoutIdleHandlers(command.body, isFollowed);
      const isIdle = !isFollowed && !runsStatements(command.handler);
      return isIdle ? body : { ...command, body };
    }
    default:
      return command;
  }
}

/** Whether a command may run a statement. */
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
