// Commands that no statement depends on: what the code calculates for itself, such as random values that it draws or
// messages that it puts together.
import type { Expression } from "../../../../program/expression";
import { operandsOf } from "../../../../program/operands";
import type { Command } from "../../../../program/statement";
import { walkCommand, walkExpression } from "../../../sql/walk";

interface Needed {
  readonly variables: Set<string>;
  readonly loops: Set<string>;
  /** Commands and expressions of which the variables are known: what several share is gone over once. */
  readonly noted: Set<object>;
}

/**
 * The command without assignments that neither a statement nor a result nor an end depends on, and without the branches
 * and loops that hold nothing else. Linear in its size for each step of such a dependency.
 */
export function withoutIdleCommands(command: Command): Command {
  const needed: Needed = { variables: new Set(), loops: new Set(), noted: new Set() };
  let before = -1;
  while (before !== needed.variables.size + needed.loops.size) {
    before = needed.variables.size + needed.loops.size;
    mark(command, needed);
  }
  return kept(command, needed) ?? { kind: "sequence", commands: [] };
}

/** Notes what a command needs, given what is known to be needed; gives whether it is needed itself. */
function mark(command: Command, needed: Needed): boolean {
  switch (command.kind) {
    case "sequence": {
      const found = command.commands.map((each) => mark(each, needed));
      return found.includes(true);
    }
    case "assign": {
      const isNeeded = needed.variables.has(command.variable);
      if (isNeeded) use(command.value, needed);
      return isNeeded;
    }
    case "if": {
      const { then, otherwise } = command;
      const found = [mark(then, needed), otherwise !== undefined && mark(otherwise, needed)];
      const isNeeded = found.includes(true);
      if (isNeeded) use(command.condition, needed);
      return isNeeded;
    }
    case "loop": {
      const isNeeded = mark(command.body, needed) || command.over.kind === "recursion";
      if (!isNeeded) return false;
      needed.loops.add(command.id);
      if (command.over.kind === "while") use(command.over.condition, needed);
      if (command.over.kind === "count") {
        use(command.over.from, needed);
        use(command.over.to, needed);
      }
      return true;
    }
    case "exit":
    case "continue":
      return needed.loops.has(command.loop);
    case "try": {
      const found = [mark(command.body, needed), mark(command.handler, needed)];
      return found.includes(true);
    }
    case "atomic":
      mark(command.body, needed);
      return true;
    default:
      if (needed.noted.has(command)) return true;
      needed.noted.add(command);
      walkCommand(command, { expression: (each) => noteVariable(each, needed) }); // prettier-ignore
      return true;
  }
}

function use(expression: Expression, needed: Needed): void {
  noteVariable(expression, needed);
  const parts = operandsOf(expression);
  const hasQuery = "query" in expression;
  if ((parts.length === 0 && !hasQuery) || needed.noted.has(expression)) return;
  needed.noted.add(expression);
  for (const part of parts) use(part, needed);
  if (hasQuery) walkExpression(expression, [], { expression: (each) => noteVariable(each, needed) }); // prettier-ignore
}

function noteVariable(expression: Expression, needed: Needed): void {
  if (expression.kind === "variable") needed.variables.add(expression.name);
}

/** Rest of a command; undefined for nothing. */
function kept(command: Command, needed: Needed): Command | undefined {
  switch (command.kind) {
    case "sequence": {
      const commands = command.commands.flatMap((each) => kept(each, needed) ?? []);
      return commands.length === 0 ? undefined : { ...command, commands };
    }
    case "assign":
      return needed.variables.has(command.variable) ? command : undefined;
    case "if": {
      const then = kept(command.then, needed);
      const otherwise = command.otherwise && kept(command.otherwise, needed);
      if (!then && !otherwise) return undefined;
      const { condition, source } = command;
      const empty: Command = { kind: "sequence", commands: [] };
      return {
        kind: "if",
        condition,
        then: then ?? empty,
        ...(otherwise && { otherwise }),
        source,
      };
    }
    case "loop": {
      if (!needed.loops.has(command.id)) return undefined;
      return { ...command, body: kept(command.body, needed) ?? EMPTY };
    }
    case "exit":
    case "continue":
      return needed.loops.has(command.loop) ? command : undefined;
    case "try": {
      const body = kept(command.body, needed);
      return body && { ...command, body, handler: kept(command.handler, needed) ?? EMPTY };
    }
    case "atomic":
      return { ...command, body: kept(command.body, needed) ?? EMPTY };
    default:
      return command;
  }
}

const EMPTY: Command = { kind: "sequence", commands: [] };
