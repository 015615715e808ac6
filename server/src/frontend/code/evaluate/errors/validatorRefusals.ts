// Arguments that a validator refuses: told only of those that something depends on.
import type { Expression } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import { walkCommand, walkExpression } from "../../../sql/walk";

/** The reason why a run ends where a validator refuses an argument. */
export const REFUSAL = "the validator refuses it";
/** The same for what tells of which kind a record is: it counts wherever the record does. */
export const OF_ANOTHER_KIND = "the validator refuses it: it is of another kind";

/**
 * The command without refusals of arguments that nothing else mentions, nor, where they are for what a record is, a part of
 * the record. Linear in its size.
 */
export function withoutIdleRefusals(command: Command): Command {
  if (!hasRefusal(command)) return command;
  const used = new Set<string>();
  const records = new Set<string>();
  const note = (expression: Expression): void => {
    const name = argumentOf(expression);
    if (name === undefined || used.has(name)) return;
    used.add(name);
    for (const record of [name, ...recordsOf(name)]) records.add(record);
  };
  walkCommand(
    kept(command, () => false),
    { expression: note },
  );
  return kept(command, (condition, isTag) => {
    const names: string[] = [];
    walkExpression(condition, [], {
      expression: (each) => {
        const name = argumentOf(each);
        if (name !== undefined) names.push(name);
      },
    });
    const counts = (name: string): boolean => {
      const record = recordsOf(name).at(-1);
      return used.has(name) || (isTag && record !== undefined && records.has(record));
    };
    return names.length === 0 || names.some(counts);
  });
}

/** The records that an argument is a part of, the largest first. */
function recordsOf(name: string): readonly string[] {
  const parts = name.split(".");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("."));
}

function argumentOf(expression: Expression): string | undefined {
  if (expression.kind === "parameter") return expression.name;
  return expression.kind === "array" ? expression.parameter : undefined;
}

function hasRefusal(command: Command): boolean {
  let isFound = false;
  walkCommand(command, {
    command: (each) => {
      isFound ||= isRefusal(each);
    },
  });
  return isFound;
}

function isRefusal(command: Command): boolean {
  if (command.kind !== "rollback") return false;
  return command.why === REFUSAL || command.why === OF_ANOTHER_KIND;
}

/** With those refusals alone whose conditions are wanted. */
function kept(
  command: Command,
  wanted: (condition: Expression, isTag: boolean) => boolean,
): Command {
  switch (command.kind) {
    case "sequence":
      return { ...command, commands: command.commands.map((each) => kept(each, wanted)) };
    case "if": {
      const { then, otherwise, condition } = command;
      if (then.kind === "rollback" && isRefusal(then)) {
        const isWanted = wanted(condition, then.why === OF_ANOTHER_KIND);
        return isWanted ? command : { kind: "sequence", commands: [] };
      }
      const other = otherwise && { otherwise: kept(otherwise, wanted) };
      return { ...command, then: kept(then, wanted), ...other };
    }
    case "loop":
    case "atomic":
      return { ...command, body: kept(command.body, wanted) };
    case "try":
      return {
        ...command,
        body: kept(command.body, wanted),
        handler: kept(command.handler, wanted),
      };
    default:
      return command;
  }
}
