// The results of a routine at its end: the values of its OUT arguments.
import type { Expression } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import { rowValue } from "../routine/names";
import { emit, sourceAt } from "../routine/state";
import type { Span } from "../text/split";
import type { State } from "./state";

/** The variables of the OUT arguments, in order. */
export function outputsOf(state: State): readonly Expression[] {
  return state.definition.arguments.flatMap(({ name, isOutput }): readonly Expression[] => {
    const binding = isOutput ? state.names.levels[0]?.names.get(name) : undefined;
    return binding?.kind === "variable" ? [{ kind: "variable", name: binding.variable }] : [];
  });
}

/** The end of the routine or its transaction, with the current OUT arguments. */
export function returnOf(state: State, span: Span): Command {
  const source = sourceAt(state, span);
  const outputs = outputsOf(state);
  return outputs.length === 0
    ? { kind: "return", source }
    : { kind: "return", value: rowValue(outputs), source };
}

/** Ends the routine here. */
export function emitReturn(state: State, span: Span): void {
  emit(state, returnOf(state, span));
}
