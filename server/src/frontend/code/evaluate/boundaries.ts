// Transactions that what stands around a function opens for it, told by its annotations and its class.
import type { HirClass } from "../hir";
import { UNDEFINED, type ObjectValue, type Value } from "../values";
import { rangeOf } from "../../sql/lines";
import { superclassOf } from "./member";
import type { State } from "./state";

type Callee = Extract<Value, { kind: "function" }>;

/** What runs the function in the transactions that its annotations open around it; undefined where it opens none. */
export function boundaryOf(
  state: State,
  callee: Callee,
  isOwnCall = false,
): ((run: () => void) => void) | undefined {
  const owner = callee.self?.kind === "object" ? ownerOf(callee, callee.self.class) : undefined;
  const { file } = callee.scope.module;
  for (const library of state.workspace.libraries) {
    if (!library.boundary) continue;
    const tools = state.evaluator.tools(state, library);
    const of = { function: callee.function, file, ...(owner && { class: owner }), isOwnCall };
    const options = library.boundary(of, tools);
    if (!options) continue;
    const { start, end } = callee.function.header;
    const source = rangeOf(state.workspace.lines(file), start, end);
    const connection = { id: library.name, isPool: false };
    return (run) => {
      tools.inTransaction(connection, { source, ...options }, () => {
        run();
        return UNDEFINED;
      });
    };
  }
  return undefined;
}

/** The class that a method stands in: an object's own, or one that it extends. */
function ownerOf(callee: Callee, own: ObjectValue["class"]): HirClass | undefined {
  for (let at = own, depth = 0; at && depth < 8; at = superclassOf(at), depth += 1) {
    if (at.class.methods.some((method) => method.function === callee.function)) return at.class;
  }
  return own?.class;
}

/** A function that others call in a transaction of its own, which this call of its own object does not open. */
export function isEntry(state: State, callee: Callee, isOwnCall: boolean): boolean {
  if (!isOwnCall || boundaryOf(state, callee, true) !== undefined) return false;
  return boundaryOf(state, callee) !== undefined;
}
