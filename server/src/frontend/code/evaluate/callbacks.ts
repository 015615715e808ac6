// Functions that are given to others: which of them bring work, and which are only wrapped.
import type { Scope, Value } from "../values";
import type { State } from "./state";

/** Whether a value is a function that may run statements, or that calls one that it was written beside. */
export function bringsWork(state: State, value: Value, depth = 3): boolean {
  if (value.kind === "choice") {
    return bringsWork(state, value.then, depth) || bringsWork(state, value.otherwise, depth);
  }
  if (value.kind !== "function" || depth === 0) return false;
  const { reach } = state.workspace;
  if (reach.mayReach(value.function)) return true;
  return [...reach.calls(value.function)].some((name) => {
    const called = localValue(value.scope, name);
    return called !== undefined && bringsWork(state, called, depth - 1);
  });
}

/** The value of a name within the functions around a scope, not at the top of the module. */
function localValue(scope: Scope, name: string): Value | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const cell = at.bindings.get(name);
    if (cell) return cell.value;
  }
  return undefined;
}

/** Whether what is evaluated is the top of a module, and no function that runs by itself. */
export function isAtTop({ frame }: State): boolean {
  let outermost = frame;
  while (outermost.caller) outermost = outermost.caller;
  return outermost.span.end === 0;
}
