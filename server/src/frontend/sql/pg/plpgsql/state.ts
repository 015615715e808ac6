// The state of lowering a routine: its names, the commands so far, and the effect of RETURN.
import type { Expression, ValueType } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import type { CallArgument, CallResult, LoweringContext, SqlPiece } from "../../lowering";
import type { Span } from "../../text/split";
import { find, valueOf } from "../../routine/names";
import { unknownAt, type RoutineState } from "../../routine/state";
import { functionsOf } from "../valueFunctions";
import type { RoutineDefinition, RoutineContext } from "./routineDefinition";

/** The name of a routine in a call. */
export interface RoutineName {
  readonly name: string;
  readonly schema: string | undefined;
}

export interface LoopFrame {
  readonly id: string;
  readonly label: string | undefined;
}

export interface State extends RoutineState {
  readonly shared: RoutineContext;
  readonly definition: RoutineDefinition;
  readonly parameters: ReadonlyMap<string, ValueType>;
  /** Names of the routines being inlined, outermost first. */
  readonly callers: readonly string[];
  readonly loops: LoopFrame[];
  /** True if FOUND and ROW_COUNT are used anywhere. */
  readonly asksFound: boolean;
  readonly asksCount: boolean;
  /** The rows of RETURN QUERY and RETURN NEXT so far. */
  readonly returned: Expression[];
  /** The nesting depth in IF, LOOP or a block with EXCEPTION. */
  nested: number;
  /** Complete transactions of a procedure that commits. */
  readonly finished: Command[][];
  /** Inlines another routine; undefined if it is unknown. */
  readonly call: (
    called: RoutineName,
    args: readonly CallArgument[],
    at: Span,
  ) => CallResult | undefined;
}

/** The context of lowering a piece of SQL inside of the routine. */
export function contextFor(
  state: State,
  piece: SqlPiece,
  span: Span,
  placeholder: LoweringContext["placeholder"] = (number) => argument(state, number),
): LoweringContext {
  const { shared, names, ids } = state;
  const conflict = conflictIn(state.definition);
  return {
    ...(conflict && { conflict }),
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
    call: (name, args, schema) => state.call({ name, schema }, args, span),
    ...functionsOf(shared.routine),
  };
}

/** PL/pgSQL rejects an ambiguous name, unless an option before the body decides; in SQL functions it is the column. */
function conflictIn({ language, body }: RoutineDefinition): LoweringContext["conflict"] {
  if (language !== "plpgsql") return undefined;
  const decided = [...body.text.matchAll(OPTION)].findLast(
    ([, option]) => option !== undefined,
  )?.[1];
  if (decided?.toLowerCase() === "use_column") return undefined;
  return decided?.toLowerCase() === "use_variable" ? "variable" : "refused";
}

/** Options before the body (the last one decides), with comments. */
const OPTION =
  /\s+|--[^\n\r]*|\/\*[\s\S]*?\*\/|#\s*(?:variable_conflict\s+(\w+)|option\s+dump|print_strict_params\s+\w+)/giuy;

/** `$1` in a function's body. */
function argument(state: State, number: number): Expression | undefined {
  const inputs = state.definition.arguments.filter((each) => each.isInput);
  const name = inputs[number - 1]?.name;
  return name === undefined ? undefined : valueOf(state.names, [name]);
}

/** SQLSTATE and SQLERRM, which describe the error. */
function special(state: State, path: readonly string[], span: Span): Expression | undefined {
  const [name, ...others] = path;
  if (others.length > 0 || (name !== "sqlstate" && name !== "sqlerrm")) return undefined;
  return unknownAt(state, `what ${name.toUpperCase()} says`, span);
}
