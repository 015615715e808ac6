// Losses of routines called by a script.
import type { Taint } from "../../../program/precision";
import type { Command } from "../../../program/statement";

/** The reason why nobody knows whether the writes of a transaction without its end take place. */
export const LEFT_OPEN =
  "the transaction ends without COMMIT or ROLLBACK, so that the session keeps it or undoes it";

/** A script records losses at its statements: others are attached to the first one. */
export function withLosses(
  commands: readonly Command[],
  losses: readonly Taint[],
): readonly Command[] {
  if (losses.length === 0) return commands;
  let waiting = losses;
  const mark = (command: Command): Command => {
    switch (command.kind) {
      case "statement": {
        const { statement } = command;
        const marked = { ...statement, taint: [...statement.taint, ...waiting] };
        waiting = [];
        return { ...command, statement: marked };
      }
      case "sequence":
        return { ...command, commands: command.commands.map(mark) };
      case "if": {
        const then = mark(command.then);
        const { otherwise } = command;
        return otherwise === undefined
          ? { ...command, then }
          : { ...command, then, otherwise: mark(otherwise) };
      }
      case "loop":
      case "atomic":
        return { ...command, body: mark(command.body) };
      case "try":
        return { ...command, body: mark(command.body), handler: mark(command.handler) };
      default:
        return command;
    }
  };
  return commands.map(mark);
}
