// Paths of a function that return while the transaction that it began is open: the connection keeps it, with its writes and
// locks, for whoever uses it next.
import type { Command } from "../../../../program/statement";
import { lose, type State } from "../state";

const REASON =
  "a path returns without COMMIT or ROLLBACK, so that the connection keeps the transaction";

/** Notes the returns among the commands behind a BEGIN that leave it open; `isEnd`: tells a COMMIT of this transaction. */
export function loseOpenReturns(
  state: State,
  commands: readonly Command[],
  isEnd: (command: Command) => boolean,
): void {
  for (const command of commands) {
    // A ROLLBACK, and an error, end it.
    if (isEnd(command) || command.kind === "rollback") return;
    if (command.kind === "return") {
      lose(state, REASON, command.source, "outside");
      return;
    }
    for (const part of partsOf(command)) loseOpenReturns(state, part, isEnd);
  }
}

/** True if one of the commands, at any depth, is such a one. */
export function someCommand(
  commands: readonly Command[],
  test: (command: Command) => boolean,
): boolean {
  return commands.some(
    (each) => test(each) || partsOf(each).some((part) => someCommand(part, test)),
  );
}

function partsOf(command: Command): readonly (readonly Command[])[] {
  switch (command.kind) {
    case "sequence":
      return [command.commands];
    case "if":
      return [[command.then], ...(command.otherwise ? [[command.otherwise]] : [])];
    case "loop":
      return [[command.body]];
    case "try":
      return [[command.body], [command.handler]];
    default:
      return [];
  }
}
