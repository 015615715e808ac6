// Items of lists, as functions are given them.
import { unknown, type ListValue, type Value } from "../../values";
import type { CallSite, State } from "../state";
import { noteRead } from "./lastReads";

/** The index of an item that is one of many. */
export const NO_INDEX = unknown("the index of an item is not known here");

/** The source of all that a list holds: an array among the inputs, or what a loop over rows fills it with. */
export function fillingOf({
  items,
  grown,
}: ListValue): Extract<Value, { kind: "input" | "derived" }> | undefined {
  noteRead(grown);
  const { value } = grown;
  const isFilling = items.length === 0 && (value?.kind === "input" || value?.kind === "derived");
  return isFilling ? value : undefined;
}

/** Calls a function with an item and, if it takes that, the item's index. */
export function callWithItem(
  state: State,
  callee: Value,
  item: Value,
  index: Value,
  site: CallSite,
): Value {
  const takesIndex =
    callee.kind === "function" ? callee.function.parameters.length > 1 : callee.kind === "builtin";
  return state.evaluator.call(state, callee, takesIndex ? [item, index] : [item], site);
}
