// What a routine is lowered in: its names, the commands so far, and how RETURN leaves it.
import type { Expression, ValueType } from "../../../program/expression";
import type { Taint } from "../../../program/precision";
import type { Note } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { Command, Query } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import type { CallArgument, CallResult, Ids, LoweringContext, SqlPiece } from "../lowering";
import type { Span } from "../split";
import { rangeIn, type Body } from "./plBody";
import { find, valueOf, type Names } from "./plNames";
import type { PgParser } from "./pgParser";
import type { RoutineDefinition } from "./routineDefinition";

/** What all routines of a reading share. */
export interface RoutineContext {
  readonly parser: PgParser;
  readonly table: (name: string) => Table | undefined;
  readonly view: (name: string) => Query | undefined;
  /** The routine of that name; undefined when there is none, or several. */
  readonly routine: (name: string) => RoutineDefinition | undefined;
  readonly note: (note: Note) => void;
}

export interface LoopFrame {
  readonly id: string;
  readonly label: string | undefined;
}

export interface State {
  readonly shared: RoutineContext;
  readonly definition: RoutineDefinition;
  readonly body: Body;
  readonly ids: Ids;
  readonly names: Names;
  readonly parameters: ReadonlyMap<string, ValueType>;
  readonly taint: Taint[];
  /** Names of the routines that are being inlined, outermost first. */
  readonly callers: readonly string[];
  /** The commands of the block at hand. */
  commands: Command[];
  readonly loops: LoopFrame[];
  /** Whether FOUND and ROW_COUNT are asked for anywhere. */
  readonly asksFound: boolean;
  readonly asksCount: boolean;
  /** What RETURN QUERY and RETURN NEXT gave so far. */
  readonly returned: Expression[];
  /** The body is inside of IF, LOOP or a block with EXCEPTION. */
  nested: number;
  /** Complete transactions of a procedure that commits. */
  readonly finished: Command[][];
  /** Runs another routine here; undefined when it is not known. */
  readonly call: (name: string, args: readonly CallArgument[], at: Span) => CallResult | undefined;
}

export function emit(state: State, command: Command): void {
  state.commands.push(command);
}

/** Lowers into a new list of commands. */
export function collected(state: State, run: () => void): Command {
  const outer = state.commands;
  state.commands = [];
  run();
  const command: Command = { kind: "sequence", commands: state.commands };
  state.commands = outer;
  return command;
}

export function sourceAt(state: State, span: Span): SourceRange {
  return rangeIn(state.body, span);
}

/** Records a loss outside of any statement. The same one is said once per place. */
export function lossAt(
  state: State,
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
  state: State,
  reason: string,
  span: Span,
  dependsOn: readonly Expression[] = [],
): Expression {
  lossAt(state, reason, span);
  return { kind: "unknown", id: state.ids.fresh("u"), type: "other", dependsOn, why: reason };
}

export function assign(state: State, variable: string, value: Expression, span: Span): void {
  emit(state, { kind: "assign", variable, value, source: sourceAt(state, span) });
}

/** What a piece of SQL inside the routine is lowered in. */
export function contextFor(
  state: State,
  piece: SqlPiece,
  span: Span,
  placeholder: LoweringContext["placeholder"] = (number) => argument(state, number),
): LoweringContext {
  const { shared, names, ids } = state;
  return {
    piece,
    table: shared.table,
    view: shared.view,
    placeholder,
    variable: (path) => valueOf(names, path) ?? special(state, path, span),
    ids,
    note: shared.note,
    types: { parameters: state.parameters, variables: names.types },
    cursor: (cursorName, column) => {
      const found = find(names, [cursorName])?.binding;
      if (found?.kind !== "cursor" || found.opened === undefined) return undefined;
      if (found.loop === undefined || !found.opened.columns.includes(column)) return undefined;
      const { name: result } = found.opened;
      return { kind: "field", result, field: column, at: { loop: found.loop } };
    },
    call: (name, args) => state.call(name, args, span),
  };
}

/** `$1` in a function's body. */
function argument(state: State, number: number): Expression | undefined {
  const inputs = state.definition.arguments.filter((each) => each.isInput);
  const name = inputs[number - 1]?.name;
  return name === undefined ? undefined : valueOf(state.names, [name]);
}

/** SQLSTATE and SQLERRM, which say what went wrong. */
function special(state: State, path: readonly string[], span: Span): Expression | undefined {
  const [name, ...others] = path;
  if (others.length > 0 || (name !== "sqlstate" && name !== "sqlerrm")) return undefined;
  return unknownAt(state, `what ${name.toUpperCase()} says`, span);
}
