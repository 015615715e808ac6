// Removes dead assignments: FOUND after each statement, unused fields of a record.
import type { Expression } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import { walkCommand, walkExpression } from "../walk";

/**
 * The command without assignments that no later command can read; `isKept` marks variables that are live at its end. Linear except for
 * loops.
 */
export function withoutDeadAssignments(
  command: Command,
  isKept: (variable: string) => boolean = () => false,
): Command {
  const kept = new Set<string>();
  walkCommand(command, {
    command: (each) => each.kind === "assign" && isKept(each.variable) && kept.add(each.variable),
  });
  return live(command, kept, union(kept, readsOf(command))).command;
}

interface Live {
  readonly command: Command;
  /** The variables that are live before the command. */
  readonly before: ReadonlySet<string>;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const NOTHING: Command = { kind: "sequence", commands: [] };

/**
 * Liveness. `all` is what is read anywhere, for jumps; `caught` is what enclosing handlers read, since an error may occur between any two
 * parts.
 */
function live(
  command: Command,
  after: ReadonlySet<string>,
  all: ReadonlySet<string>,
  caught: ReadonlySet<string> = NO_NAMES,
): Live {
  switch (command.kind) {
    case "assign": {
      const { variable } = command;
      if (!after.has(variable) && !caught.has(variable)) {
        return { command: NOTHING, before: after };
      }
      const before = new Set(after);
      if (!caught.has(variable)) before.delete(variable);
      return { command, before: union(before, readsIn(command.value)) };
    }
    case "sequence": {
      const commands: Command[] = [];
      let before = after;
      for (const each of command.commands.toReversed()) {
        const part = live(each, before, all, caught);
        before = part.before;
        if (part.command.kind !== "sequence") commands.unshift(part.command);
        else commands.unshift(...part.command.commands);
      }
      return { command: { ...command, commands }, before };
    }
    case "if": {
      const then = live(command.then, after, all, caught);
      const otherwise = command.otherwise && live(command.otherwise, after, all, caught);
      const rest = otherwise === undefined ? {} : { otherwise: otherwise.command };
      const branches = union(then.before, otherwise?.before ?? after);
      return {
        command: { ...command, then: then.command, ...rest },
        before: union(branches, readsIn(command.condition)),
      };
    }
    case "loop": {
      // A round may be followed by another one.
      const around = union(after, readsOf(command));
      return {
        command: { ...command, body: live(command.body, around, all, caught).command },
        before: around,
      };
    }
    case "try": {
      const read = live(command.handler, after, all, caught).before;
      const body = live(command.body, all, all, union(read, caught)).command;
      const handler = live(command.handler, union(after, all), all, caught).command;
      return { command: { ...command, body, handler }, before: all };
    }
    case "atomic": {
      const { command: body, before } = live(command.body, after, all, caught);
      return { command: { ...command, body }, before: union(before, all) };
    }
    case "return":
      // The AR's return ends the transaction.
      return { command, before: command.value === undefined ? new Set() : readsIn(command.value) };
    case "rollback":
    case "exit":
    case "continue":
    case "rollbackTo":
      return { command, before: all };
    case "statement":
    case "savepoint":
    case "release":
      return { command, before: union(after, readsOf(command)) };
    default:
      return command satisfies never;
  }
}

function union(left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> {
  if (right.size === 0) return left;
  return new Set([...left, ...right]);
}

function readsOf(command: Command): ReadonlySet<string> {
  const reads = new Set<string>();
  walkCommand(command, { expression: (part) => part.kind === "variable" && reads.add(part.name) });
  return reads;
}

function readsIn(expression: Expression): ReadonlySet<string> {
  const reads = new Set<string>();
  walkExpression(expression, [], {
    expression: (part) => part.kind === "variable" && reads.add(part.name),
  });
  return reads;
}
