// The state of lowering routines in any language: names, the commands so far, losses outside of statements.
import type { Expression } from "../../../program/expression";
import type { Taint } from "../../../program/precision";
import type { Note } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { Command } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import type { Ids } from "../lowering";
import type { Span } from "../text/split";
import { rangeIn, type Body } from "./body";
import type { Names } from "./names";

export interface RoutineState {
  readonly body: Body;
  readonly ids: Ids;
  readonly names: Names;
  readonly taint: Taint[];
  readonly shared: {
    readonly note: (note: Note) => void;
    readonly table: (name: string) => Table | undefined;
  };
  /** The commands of the current block. */
  commands: Command[];
}

/** Adds a command to the current block. */
export function emit(state: RoutineState, command: Command): void {
  state.commands.push(command);
}

/** Lowers into a new list of commands. */
export function collectCommands(state: RoutineState, run: () => void): Command {
  const outer = state.commands;
  state.commands = [];
  run();
  const command: Command = { kind: "sequence", commands: state.commands };
  state.commands = outer;
  return command;
}

/** The range in the file of a part of the body. */
export function sourceAt(state: RoutineState, span: Span): SourceRange {
  return rangeIn(state.body, span);
}

/** Records a loss outside of any statement, once per place. */
export function lossAt(
  state: RoutineState,
  reason: string,
  span: Span,
  effect: Taint["effect"] = "over",
): void {
  const source = sourceAt(state, span);
  const line = source.range.start.line;
  const known = state.taint.some(
    (each) => each.reason === reason && each.source?.range.start.line === line,
  );
  if (!known) state.taint.push({ effect, reason, source });
}

/** An unknown value with its loss. */
export function unknownAt(
  state: RoutineState,
  reason: string,
  span: Span,
  dependsOn: readonly Expression[] = [],
): Expression {
  lossAt(state, reason, span);
  return { kind: "unknown", id: state.ids.fresh("u"), type: "other", dependsOn, why: reason };
}

/** Adds an assignment to a variable of the AR. */
export function assign(state: RoutineState, variable: string, value: Expression, span: Span): void {
  emit(state, { kind: "assign", variable, value, source: sourceAt(state, span) });
}
