// Calls whose promise is handed on, to Promise.allSettled or `.then(next, handler)`: what they throw does not leave the
// function that calls them, so they run where their promise is settled.
import type { HirExpression } from "../../hir";
import { visitInto } from "../../nodes";
import type { Scope, Value } from "../../values";
import { isAtTop } from "../calls/callbacks";
import { PROMISE_METHODS } from "../values/member";
import type { State } from "../state";
import { eachCall, isUndoneWhole, noteAwait, notePending } from "./pendingPromises";

type Call = Extract<HirExpression, { kind: "call" }>;

/** Notes which calls give their promise to this one. Linear in the expressions whose value they are. */
export function noteHandedOn(state: State, scope: Scope, hir: Call): void {
  const { callee, arguments: args } = hir;
  if (callee.kind !== "member") return;
  const { callUses } = state;
  const { object, property } = callee;
  if (property === "then" && args.length > 1) noteLater(state, object);
  if (property === "catch" && object.kind === "call" && !isAtTop(state)) {
    noteLater(state, object);
    const [handler] = args;
    if (handler && runsStatements(state, scope, handler.value)) callUses.fallible.add(object);
  }
  if (object.kind !== "name" || object.name !== "Promise") return;
  if (property === "all" || property === "allSettled") {
    for (const { value } of args) eachCall(value, (call) => callUses.together.add(call));
  }
  if (property === "allSettled") for (const { value } of args) noteLater(state, value);
  if (property !== "all") return;
  const note = isUndoneWhole(state) ? noteAwait : notePending;
  for (const { value } of args) note(state, value);
}

/** True if it matters to a handler that something unknown fails. */
function runsStatements(state: State, scope: Scope, hir: HirExpression): boolean {
  if (hir.kind !== "function" && hir.kind !== "name" && hir.kind !== "member") return false;
  const handler = state.evaluator.expression(state, scope, hir);
  return handler.kind === "function" && state.workspace.reach.mayReach(handler.function);
}

/** Notes that an expression's value is a promise that is handed on. */
export function noteLater(state: State, hir: HirExpression): void {
  switch (hir.kind) {
    case "call":
      state.callUses.deferred.add(hir);
      // The function's result for each item.
      if (isMap(hir)) for (const { value } of hir.arguments) noteResult(state, value);
      return;
    case "binary":
      noteLater(state, hir.right);
      return;
    case "conditional":
      noteLater(state, hir.then);
      noteLater(state, hir.otherwise);
      return;
    case "array":
      for (const { value } of hir.items) noteLater(state, value);
      return;
    case "typed":
      noteLater(state, hir.operand);
      return;
    default:
  }
}

function isMap({ callee }: Call): boolean {
  return callee.kind === "member" && callee.property === "map";
}

/** Result of a function that does not wait for it. */
function noteResult(state: State, hir: HirExpression): void {
  if (hir.kind !== "function" || hir.function.isAsync === true) return;
  visitInto(hir.function.body, (node) => {
    if (isReturn(node)) noteLater(state, node.value);
    return !("parameters" in node);
  });
}

function isReturn(node: object): node is { readonly value: HirExpression } {
  return "kind" in node && node.kind === "return" && "value" in node;
}

/** True if a call gives its promise to another one, and is one of a promise itself: it runs with all that it is of. */
export function isLaterChain({ callUses }: State, hir: Call): boolean {
  const { callee } = hir;
  if (!callUses.deferred.has(hir) || callee.kind !== "member") return false;
  if (PROMISE_METHODS.has(callee.property)) return true;
  const { object, property } = callee;
  return property === "all" && object.kind === "name" && object.name === "Promise";
}

/** The arguments of a call that hands the promises of a function on; others as they are. */
export function withLater(
  { callUses }: State,
  hir: Call,
  args: readonly Value[],
): readonly Value[] {
  if (!callUses.deferred.has(hir) || !isMap(hir)) return args;
  return args.map((arg) => (isAsync(arg) ? { ...arg, isLater: true } : arg));
}

/** True if something unknown is called beside other calls that run where it fails, and a handler takes its error. */
export function failsBesideOthers(
  { attempts, callUses }: State,
  hir: Call,
  callee: Value,
): boolean {
  if (!callUses.together.has(hir) || !attempts.some(({ isKept }) => isKept)) return false;
  return !["function", "builtin", "handle"].includes(callee.kind);
}

/** True if a call of this function, or of a client, runs where its promise is settled. */
export function isLaterCall({ callUses }: State, hir: Call, callee: Value): boolean {
  if (callUses.fallible.has(hir) && callee.kind !== "function" && callee.kind !== "builtin")
    return true;
  return callUses.deferred.has(hir) && (isAsync(callee) || callee.kind === "handle");
}

function isAsync(value: Value): value is Extract<Value, { kind: "function" }> {
  return value.kind === "function" && value.function.isAsync === true;
}
