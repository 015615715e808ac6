// Arguments that a validator refuses: told only of those that something depends on.
import type { Expression } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import { walkCommand, walkExpression } from "../../../sql/walk";

/** Why a run ends where a validator refuses an argument. */
export const REFUSED = "the validator refuses it";

/** The command without refusals of arguments that nothing else mentions. Linear in its size. */
export function withoutIdleRefusals(command: Command): Command {
  if (!hasRefusal(command)) return command;
  const used = new Set<string>();
  const note = (expression: Expression): void => {
    const name = argumentOf(expression);
    if (name !== undefined) used.add(name);
  };
  walkCommand(
    kept(command, () => false),
    { expression: note },
  );
  return kept(command, (condition) => {
    const names: string[] = [];
    walkExpression(condition, [], {
      expression: (each) => {
        const name = argumentOf(each);
        if (name !== undefined) names.push(name);
      },
    });
    return names.length === 0 || names.some((name) => used.has(name));
  });
}

function argumentOf(expression: Expression): string | undefined {
  if (expression.kind === "parameter") return expression.name;
  return expression.kind === "array" ? expression.parameter : undefined;
}

function hasRefusal(command: Command): boolean {
  let isFound = false;
  walkCommand(command, {
    command: (each) => {
      isFound ||= each.kind === "rollback" && each.why === REFUSED;
    },
  });
  return isFound;
}

/** With those refusals alone whose conditions are wanted. */
function kept(command: Command, wanted: (condition: Expression) => boolean): Command {
  switch (command.kind) {
    case "sequence":
      return { ...command, commands: command.commands.map((each) => kept(each, wanted)) };
    case "if": {
      const { then, otherwise, condition } = command;
      const isRefusal = then.kind === "rollback" && then.why === REFUSED;
      if (isRefusal) return wanted(condition) ? command : { kind: "sequence", commands: [] };
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
