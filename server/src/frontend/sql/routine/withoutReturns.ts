// Jumps without a counterpart in the AR: the RETURN of an inlined routine, which continues after the call instead of ending the
// transaction, and the LEAVE of a block that is no loop.
import type { Expression } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import { literal } from "../expressions";

export interface JumpOptions {
  /** The flag variable that the jump was taken, used if the structure alone does not suffice. */
  readonly done: string;
  readonly source: SourceRange;
}

export interface ReturnOptions extends JumpOptions {
  /** The variable for the returned value. */
  readonly value: string;
}

/** The command with every `return` replaced: later commands run only if nothing was returned. */
export function withoutReturns(command: Command, options: ReturnOptions): Command {
  return withoutJumps(command, { ...options, isJump: (each) => each.kind === "return" });
}

/** The command with every non-loop `exit` of that name replaced: it continues after the command. */
export function withoutExits(command: Command, name: string, options: JumpOptions): Command {
  return withoutJumps(command, {
    ...options,
    isJump: (each) => each.kind === "exit" && each.loop === name,
  });
}

function withoutJumps(
  command: Command,
  options: Pick<State, "isJump" | "done" | "source" | "value">,
): Command {
  const state: State = { ...options, guarded: false, ends: [] };
  const inner = sequence(flat(command), state, undefined);
  if (state.guarded) {
    const start = assign(options.done, literal(false), options.source);
    return { kind: "sequence", commands: [start, inner] };
  }
  // Unused flags are removed.
  for (const { commands, done } of state.ends) commands.splice(commands.indexOf(done), 1);
  return inner;
}

interface State extends JumpOptions {
  readonly value?: string;
  readonly isJump: (command: Command) => boolean;
  guarded: boolean;
  /** The assignments of the flag. */
  readonly ends: { readonly commands: Command[]; readonly done: Command }[];
}

function assign(variable: string, value: Expression, source: SourceRange): Command {
  return { kind: "assign", variable, value, source };
}

function flat(command: Command | undefined): readonly Command[] {
  if (command === undefined) return [];
  return command.kind === "sequence" ? command.commands.flatMap(flat) : [command];
}

/** `loop` is the innermost loop inside of the routine. */
function sequence(commands: readonly Command[], state: State, loop: string | undefined): Command {
  const result: Command[] = [];
  for (const [at, command] of commands.entries()) {
    if (state.isJump(command)) {
      jumped(command, state, loop, result);
      break;
    }
    if (!mayJump(command, state)) {
      result.push(command);
      continue;
    }
    const rest = commands.slice(at + 1);
    if (command.kind === "if" && loop === undefined) {
      const then = flat(command.then);
      const otherwise = flat(command.otherwise);
      if (endsAlways(then)) {
        const moved = sequence([...otherwise, ...rest], state, loop);
        result.push({ ...command, then: sequence(then, state, loop), otherwise: moved });
        return { kind: "sequence", commands: result };
      }
      if (endsAlways(otherwise)) {
        const moved = sequence([...then, ...rest], state, loop);
        result.push({ ...command, then: moved, otherwise: sequence(otherwise, state, loop) });
        return { kind: "sequence", commands: result };
      }
    }
    result.push(guardedCommand(command, state, loop));
    if (rest.length === 0) break;
    state.guarded = true;
    const { source } = state;
    const done: Expression = { kind: "variable", name: state.done };
    const leave: Command =
      loop === undefined ? { kind: "sequence", commands: [] } : { kind: "exit", loop, source };
    const otherwise = sequence(rest, state, loop);
    result.push({ kind: "if", condition: done, then: leave, otherwise, source });
    break;
  }
  return { kind: "sequence", commands: result };
}

/** Adds the replacement of a jump. */
function jumped(command: Command, state: State, loop: string | undefined, to: Command[]): void {
  const { source } = command.kind === "return" || command.kind === "exit" ? command : state;
  const returned = command.kind === "return" ? command.value : undefined;
  if (returned !== undefined && state.value !== undefined) {
    to.push(assign(state.value, returned, source));
  }
  const done = assign(state.done, literal(true), source);
  to.push(done);
  state.ends.push({ commands: to, done });
  if (loop !== undefined) to.push({ kind: "exit", loop, source });
}

function guardedCommand(command: Command, state: State, loop: string | undefined): Command {
  switch (command.kind) {
    case "if": {
      const then = sequence(flat(command.then), state, loop);
      const rest =
        command.otherwise === undefined
          ? {}
          : { otherwise: sequence(flat(command.otherwise), state, loop) };
      return { ...command, then, ...rest };
    }
    case "loop": {
      const body = sequence(flat(command.body), state, command.id);
      if (loop === undefined) return { ...command, body };
      // A jump in an inner loop leaves the outer one, too.
      state.guarded = true;
      const { source } = state;
      const done: Expression = { kind: "variable", name: state.done };
      const leave: Command = { kind: "exit", loop, source };
      const check: Command = { kind: "if", condition: done, then: leave, source };
      return { kind: "sequence", commands: [{ ...command, body }, check] };
    }
    case "try": {
      const body = sequence(flat(command.body), state, loop);
      return { ...command, body, handler: sequence(flat(command.handler), state, loop) };
    }
    default:
      return command;
  }
}

function mayJump(command: Command, state: State): boolean {
  if (state.isJump(command)) return true;
  switch (command.kind) {
    case "sequence":
      return command.commands.some((each) => mayJump(each, state));
    case "if":
      return (
        mayJump(command.then, state) ||
        (command.otherwise !== undefined && mayJump(command.otherwise, state))
      );
    case "loop":
      return mayJump(command.body, state);
    case "try":
      return mayJump(command.body, state) || mayJump(command.handler, state);
    default:
      return false;
  }
}

/** True if every path through the commands leaves them: returns, rolls back, or jumps out of an enclosing loop. */
export function endsAlways(commands: readonly Command[]): boolean {
  return commands.some((command) => {
    switch (command.kind) {
      case "return":
      case "rollback":
      case "exit":
      case "continue":
        return true;
      case "if":
        return endsAlways(flat(command.then)) && endsAlways(flat(command.otherwise));
      default:
        return false;
    }
  });
}

/** The command with the call site added to all of its places. */
export function calledFrom(command: Command, site: SourceRange): Command {
  return placed(command, site);
}

function placed<Part>(part: Part, site: SourceRange): Part {
  if (Array.isArray(part)) {
    // A mapped array of the same elements has the type of the array.
    return part.map((each: unknown) => placed(each, site)) as Part;
  }
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([key, value]: [string, unknown]) => {
    return [key, key === "source" ? withSite(value, site) : placed(value, site)] as const;
  });
  // The same properties with values of the same types.
  return Object.fromEntries(entries) as Part;
}

function withSite(source: unknown, site: SourceRange): unknown {
  if (typeof source !== "object" || source === null) return source;
  const inner = "via" in source && Array.isArray(source.via) ? (source.via as unknown[]) : [];
  return { ...source, via: [site, ...inner] };
}
