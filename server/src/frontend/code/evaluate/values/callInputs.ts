// Inputs that stand for calls of unknown functions.
import type { Expression } from "../../../../program/expression";
import type { Value } from "../../values";
import type { State } from "../state";
import { expressionOf, readsOf } from "./convert";

/** The reads of an argument, and the texts in it as they are. */
export function inputsOf(state: State, arg: Value): readonly Expression[] {
  if (arg.kind === "text") return [expressionOf(state, arg)];
  if (arg.kind !== "object" || arg.class !== undefined || arg.rest) return readsOf(arg);
  return [...arg.fields.values()].flatMap(({ value }) => {
    if (value === undefined) return [];
    return value.kind === "text" ? [expressionOf(state, value)] : readsOf(value, 2);
  });
}
