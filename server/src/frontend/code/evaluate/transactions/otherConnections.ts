// Statements that run while a transaction is open, on a connection that is not its own: each commits by itself. Those in
// front of the transaction's first own statement are told as what runs before it, since nothing of it has happened by then.
import type { Command, Statement } from "../../../../program/statement";
import type { SourceRange } from "../../../../protocol/source";
import { mapSharing } from "../../../sql/dialectDetection/sharedParts";
import { walkCommand } from "../../../sql/walk";
import type { Connection } from "../../values";
import { lose, type State } from "../state";

const REASON = "this statement runs on another connection, outside of the open transaction";

/** True if a connection is another one than that of the open transaction. */
export function isOther({ open }: State, connection: Connection | undefined): boolean {
  const innermost = open.at(-1);
  if (!innermost || innermost.isAny === true || connection === undefined) return false;
  return innermost.connection !== connection.id;
}

/** The statement as one on another connection than that of the transaction that it stands in. */
export function besideTransaction(statement: Statement, source: SourceRange): Statement {
  return {
    ...statement,
    taint: [...statement.taint, { effect: "opaque", reason: REASON, source }],
  };
}

/**
 * Says at once that what runs on another connection is taken for a part of the transaction. That has fewer executions, not
 * more: others come between the two.
 */
export function loseConnection(state: State, source: SourceRange): void {
  lose(state, REASON, source, "opaque");
}

/** The commands of a transaction in two: what runs on other connections before anything of its own, and all the rest. */
export function splitAtOwn(commands: readonly Command[]): {
  readonly before: readonly Command[];
  readonly inside: readonly Command[];
} {
  const own = commands.findIndex((each) => !isApart(each));
  const front = own === -1 ? commands : commands.slice(0, own);
  const last = front.findLastIndex(runsBeside);
  // A transaction without statements of its own is none.
  const end = own === -1 && last !== -1 ? commands.length : last + 1;
  return { before: front.slice(0, end).map(unmarked), inside: commands.slice(end) };
}

/** The command with what is left of such statements said to be a part of their transactions. */
export function withinTransactions(state: State, command: Command): Command {
  if (!runsBeside(command)) return command;
  walkCommand(command, {
    statement: ({ taint }) => {
      for (const { reason, source } of taint)
        if (reason === REASON && source) loseConnection(state, source);
    },
  });
  return unmarked(command);
}

/** True if nothing in it runs on the transaction's own connection, or ends it and goes on. */
function isApart(command: Command): boolean {
  switch (command.kind) {
    case "sequence":
      return command.commands.every(isApart);
    case "statement":
      return isBeside(command.statement);
    case "if":
      return [command.then, ...(command.otherwise ? [command.otherwise] : [])].every(isApart);
    case "loop":
      return isApart(command.body);
    case "rollback":
      return command.leaves === undefined;
    case "assign":
    case "return":
    case "exit":
    case "continue":
      return true;
    case "try":
    case "atomic":
    case "savepoint":
    case "release":
    case "rollbackTo":
      return false;
  }
}

function runsBeside(command: Command): boolean {
  let found = false;
  walkCommand(command, {
    statement: (each) => {
      found ||= isBeside(each);
    },
  });
  return found;
}

function isBeside({ taint }: Statement): boolean {
  return taint.some(isMark);
}

function unmarked(command: Command): Command {
  return mapSharing(command, (part) =>
    Array.isArray(part) && part.some(isMark) ? part.filter((each) => !isMark(each)) : part,
  );
}

function isMark(part: unknown): boolean {
  return typeof part === "object" && part !== null && "reason" in part && part.reason === REASON;
}
