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

const LATER = new WeakSet<HirExpression>();

/** Notes which calls give their promise to this one. Linear in the expressions whose value they are. */
export function noteHandedOn(state: State, scope: Scope, hir: Call): void {
  const { callee, arguments: args } = hir;
  if (callee.kind !== "member") return;
  const { object, property } = callee;
  if (property === "then" && args.length > 1) noteLater(object);
  if (property === "catch" && object.kind === "call" && !isAtTop(state)) {
    noteLater(object);
    const [handler] = args;
    if (handler && runsStatements(state, scope, handler.value)) MAY_FAIL.add(object);
  }
  if (object.kind !== "name" || object.name !== "Promise") return;
  if (property === "all" || property === "allSettled") {
    for (const { value } of args) eachCall(value, (call) => TOGETHER.add(call));
  }
  if (property === "allSettled") for (const { value } of args) noteLater(value);
  if (property !== "all") return;
  const note = isUndoneWhole(state) ? noteAwait : notePending;
  for (const { value } of args) note(value);
}

/** True if a call runs where its promise is settled, which goes before all else that is known of it. */
export function isLater(hir: HirExpression): boolean {
  return LATER.has(hir);
}

/** True if it matters to a handler that something unknown fails. */
function runsStatements(state: State, scope: Scope, hir: HirExpression): boolean {
  if (hir.kind !== "function" && hir.kind !== "name" && hir.kind !== "member") return false;
  const handler = state.evaluator.expression(state, scope, hir);
  return handler.kind === "function" && state.workspace.reach.mayReach(handler.function);
}

/** Notes that an expression's value is a promise that is handed on. */
export function noteLater(hir: HirExpression): void {
  switch (hir.kind) {
    case "call":
      LATER.add(hir);
      // The function's result for each item.
      if (isMap(hir)) for (const { value } of hir.arguments) noteResult(value);
      return;
    case "binary":
      noteLater(hir.right);
      return;
    case "conditional":
      noteLater(hir.then);
      noteLater(hir.otherwise);
      return;
    case "array":
      for (const { value } of hir.items) noteLater(value);
      return;
    case "typed":
      noteLater(hir.operand);
      return;
    default:
  }
}

function isMap({ callee }: Call): boolean {
  return callee.kind === "member" && callee.property === "map";
}

/** Result of a function that does not wait for it. */
function noteResult(hir: HirExpression): void {
  if (hir.kind !== "function" || hir.function.isAsync === true) return;
  visitInto(hir.function.body, (node) => {
    if (isReturn(node)) noteLater(node.value);
    return !("parameters" in node);
  });
}

function isReturn(node: object): node is { readonly value: HirExpression } {
  return "kind" in node && node.kind === "return" && "value" in node;
}

/** True if a call gives its promise to another one, and is one of a promise itself: it runs with all that it is of. */
export function isLaterChain(hir: Call): boolean {
  const { callee } = hir;
  if (!LATER.has(hir) || callee.kind !== "member") return false;
  if (PROMISE_METHODS.has(callee.property)) return true;
  const { object, property } = callee;
  return property === "all" && object.kind === "name" && object.name === "Promise";
}

/** The arguments of a call that hands the promises of a function on; others as they are. */
export function withLater(hir: Call, args: readonly Value[]): readonly Value[] {
  if (!LATER.has(hir) || !isMap(hir)) return args;
  return args.map((arg) => (isAsync(arg) ? { ...arg, isLater: true } : arg));
}

/** Calls whose promises are awaited together. */
const TOGETHER = new WeakSet<HirExpression>();

/** True if something unknown is called beside other calls that run where it fails, and a handler takes its error. */
export function failsBesideOthers({ attempts }: State, hir: Call, callee: Value): boolean {
  if (!TOGETHER.has(hir) || !attempts.some(({ isKept }) => isKept)) return false;
  return !["function", "builtin", "handle"].includes(callee.kind);
}

/** Calls of which it matters whether they fail, also those of something unknown. */
const MAY_FAIL = new WeakSet<HirExpression>();

/** True if a call of this function, or of a client, runs where its promise is settled. */
export function isLaterCall(hir: Call, callee: Value): boolean {
  if (MAY_FAIL.has(hir) && callee.kind !== "function" && callee.kind !== "builtin") return true;
  return LATER.has(hir) && (isAsync(callee) || callee.kind === "handle");
}

function isAsync(value: Value): value is Extract<Value, { kind: "function" }> {
  return value.kind === "function" && value.function.isAsync === true;
}
