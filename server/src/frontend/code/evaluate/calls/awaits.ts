// Effect of `await`: promises that have not begun run, and so do queries that were put together.
import { UNDEFINED, type Value } from "../../values";
import { listOf } from "../lists/collections";
import type { State } from "../state";
import { libraryOf } from "../../libraries/library";

/** The value of a promise once it is awaited. */
export function settle(state: State, value: Value): Value {
  if (value.kind === "deferred") return settle(state, value.run());
  if (value.kind === "handle") {
    const library = libraryOf(value);
    return library.awaited?.(value, state.evaluator.tools(state, library)) ?? value;
  }
  if (value.kind === "choice" && isPending(value)) {
    const { condition, then, otherwise } = value;
    const span = state.evaluator.span(state, state.here);
    const either = (each: Value) => (): Value => settle(state, each);
    return state.evaluator.branches(state, condition, either(then), either(otherwise), span);
  }
  if (value.kind === "list" && value.items.some(({ value: item }) => item?.kind === "deferred")) {
    return listOf(
      state,
      value.items.map((cell) => settle(state, cell.value ?? UNDEFINED)),
    );
  }
  return value;
}

/** True if awaiting it runs something. */
export function isPending(value: Value): boolean {
  if (value.kind === "choice") return isPending(value.then) || isPending(value.otherwise);
  return (
    value.kind === "deferred" || (value.kind === "handle" && libraryOf(value).awaited !== undefined)
  );
}
