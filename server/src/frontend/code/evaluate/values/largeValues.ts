// Large values of statements: variables of the AR stand for them.
import type { Expression } from "../../../../program/expression";
import type { SourceRange } from "../../../../protocol/source";
import { emit, type State } from "../state";
import { isLarge } from "./convert";

const MOST_PARTS = 40;

/** The expression, by way of a variable of the AR where it is large. */
export function boundSize(state: State, value: Expression, source: SourceRange): Expression {
  if (!isLarge(value, MOST_PARTS)) return value;
  const variable = state.ids.fresh("v");
  emit(state, { kind: "assign", variable, value, source });
  state.large.set(variable, value);
  return { kind: "variable", name: variable };
}

/** The value behind such a variable; undefined for other expressions. */
export function standsForLarge(state: State, value: Expression): Expression | undefined {
  return value.kind === "variable" ? state.large.get(value.name) : undefined;
}
