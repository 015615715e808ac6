// Functions that do nothing but throw or go on, and whose condition is not understood: whether they fail is one question.
import type { Expression } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import { walkCommand, walkExpression } from "../../../sql/walk";
import type { HirFunction } from "../../hir";
import { semanticsOf } from "../../semantics";
import { ageOf, scalar } from "../../values";
import { emit, lose, sourceOf, type CallSite, type State } from "../state";
import { conditionOf, negate } from "../values/convert";
import { requireHolds } from "../values/member";
import { truthFromOutside } from "../values/outside";

/** The state where a call begins. */
export interface CallStart extends Pick<State, "present"> {
  readonly written: number;
  readonly births: number;
  readonly losses: number;
  readonly unfollowed: number;
}

export interface Call {
  readonly site: CallSite;
  readonly callee: HirFunction;
  readonly name: string;
}

export function startOf({ trail, workspace, taint, unfollowed, present }: State): CallStart {
  const { births } = workspace.counts;
  return {
    written: trail.length,
    births,
    losses: taint.length,
    unfollowed: unfollowed.size,
    present,
  };
}

/**
 * Ends the transaction with an error or goes on, in place of what a call did, where that was nothing else: it ran no statement,
 * wrote nothing older than itself, and nobody asks for its result. What it does before its first part that is not understood
 * stays. The answer is an input; where it depends on what was read, it is a function of that, and a loss.
 * Gives whether it did so.
 */
export function asksWhetherItFails(
  state: State,
  commands: readonly Command[],
  start: CallStart,
  { site, callee, name }: Call,
): boolean {
  if (site.isUnused !== true || state.effects || semanticsOf(state.frame.file).catchesByClass)
    return false;
  const exact = commands.findIndex((command) => !isExact(command));
  const rest = exact === -1 ? [] : commands.slice(exact);
  if (!rest.every(isIdle) || !rest.some(mayThrow)) return false;
  const isOld = ({ cell }: State["trail"][number]): boolean => ageOf(cell) <= start.births;
  if (state.trail.slice(start.written).some(isOld)) return false;
  const isOpaque =
    state.unfollowed.size > start.unfollowed ||
    state.taint.slice(start.losses).some(({ effect }) => effect === "opaque");
  // Nobody awaits a statement that a function without promises may send.
  if (isOpaque && (callee.isAsync === true || site.isAwaited === true)) return false;
  // Losses on the way are of the answer alone; facts that were learnt there may not hold.
  state.taint.length = start.losses;
  for (const key of [...state.unfollowed.keys()].slice(start.unfollowed))
    state.unfollowed.delete(key);
  state.present = start.present;
  for (const command of commands.slice(0, exact)) emit(state, command);
  const source = sourceOf(state, site.span);
  const failure = `${name}() fails`;
  const reads = readsIn(state, rest);
  const holds =
    reads.length === 0
      ? negate(truthFromOutside(state, failure))
      : conditionOf(state, scalar(goesOn(name, reads), "bool"));
  requireHolds(state, holds, failure, source);
  const doubt = isOpaque ? "uses the database" : "refuses what was read";
  if (isOpaque || reads.length > 0) lose(state, `whether ${name}() ${doubt} is not known`, source);
  return true;
}

/** A function of the code with an answer for what was read. */
function goesOn(name: string, reads: readonly Expression[]): Expression {
  return { kind: "call", name: `code:${name}`, arguments: reads, deterministic: true };
}

/** The results on which commands and values behind them depend, and the variables of the code before them. */
export function readsIn(
  { outside }: State,
  commands: readonly Command[],
  behind: readonly Expression[] = [],
): readonly Expression[] {
  const own = new Set(outside);
  const note = (command: Command): void => {
    if (command.kind === "assign") own.add(command.variable);
    if (command.kind === "loop" && command.over.kind === "count") own.add(command.over.variable);
  };
  for (const each of commands) walkCommand(each, { command: note });
  const found = new Map<string, Expression>();
  const expression = (each: Expression): void => {
    const read = readOf(each, own);
    if (read) found.set(JSON.stringify(read), read);
  };
  for (const each of commands) walkCommand(each, { expression });
  for (const each of behind) walkExpression(each, [], { expression });
  return [...found.values()];
}

function readOf(expression: Expression, own: ReadonlySet<string>): Expression | undefined {
  switch (expression.kind) {
    case "field":
      // The row of a round is none behind its loop.
      return expression.at === "first" ? expression : { kind: "size", result: expression.result };
    case "among":
      return { kind: "size", result: expression.result };
    case "size":
    case "affected":
      return expression;
    case "variable":
      return own.has(expression.name) ? undefined : expression;
    default:
      return undefined;
  }
}

function contains(command: Command, test: (command: Command) => boolean): boolean {
  let isFound = false;
  walkCommand(command, {
    command: (each) => {
      isFound ||= test(each);
    },
  });
  return isFound;
}

/** True if it runs no statement, and leaves nothing but by an error or within the call. */
export function isIdle(command: Command): boolean {
  return !contains(command, (each) => !IDLE.has(each.kind) || isRecursion(each));
}

function isRecursion(command: Command): boolean {
  return command.kind === "loop" && command.over.kind === "recursion";
}

const IDLE: ReadonlySet<Command["kind"]> = new Set(["sequence", "assign", "if", "loop", "exit", "continue", "rollback", "return"]); // prettier-ignore

/** True if it may end with an error. */
export function mayThrow(command: Command): boolean {
  return contains(command, ({ kind }) => kind === "rollback");
}

/** True if all of it is understood, round by round. */
function isExact(command: Command): boolean {
  let isKnown = true;
  walkCommand(command, {
    command: ({ kind }) => {
      isKnown &&= kind !== "loop";
    },
    expression: ({ kind }) => {
      isKnown &&= kind !== "unknown";
    },
  });
  return isKnown;
}
