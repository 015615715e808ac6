// `promise.catch(f)`: a try around what makes the promise.
import type { HirExpression, HirPattern, HirStatement } from "../hir";
import { UNDEFINED, type Scope, type Value } from "../values";
import { bind, innerScope, lookup } from "./bindings";
import { isAtTop } from "./callbacks";
import { noteLater, noteMayFail } from "./laterCalls";
import { memberOf } from "./member";
import { isPending } from "./settle";
import type { State } from "./state";
import { evaluateTry } from "./tries";

type Call = Extract<HirExpression, { kind: "call" }>;

/** What a call of `catch` gives that is asked of another call; undefined of all other calls. */
export function caughtPromise(state: State, scope: Scope, hir: Call): Value | undefined {
  const made = madeBy(hir);
  const [first, ...others] = hir.arguments;
  if (!made || !first || first.isSpread || others.length > 0 || isAtTop(state)) return undefined;
  const { value: handler } = first;
  if (!mayBeFunction(handler)) return undefined;
  const callee = state.evaluator.expression(state, scope, handler);
  if (callee.kind !== "function" && callee.kind !== "builtin" && callee.kind !== "external") {
    return undefined;
  }
  const { span } = hir;
  // What its arguments throw is thrown here.
  noteLater(made);
  if (callee.kind === "function" && state.workspace.reach.mayReach(callee.function)) {
    noteMayFail(made);
  }
  const promise = state.evaluator.expression(state, scope, made);
  const site = { span, isNew: false, typeArguments: [], name: "catch" };
  if (!isPending(promise)) {
    const method = memberOf(state, promise, "catch", span);
    return state.evaluator.call(state, method, [callee], site);
  }
  const inner = innerScope(scope);
  bind(state, inner, { kind: "bind", name: PROMISE, span }, promise, true);
  const result = { kind: "bind", name: RESULT, span } as const;
  bind(state, inner, result, UNDEFINED, true);
  const error = errorOf(handler);
  const toResult = (value: HirExpression): HirStatement => ({
    kind: "expression",
    expression: {
      kind: "assign",
      target: result,
      value: { kind: "await", operand: value, span },
      span,
    },
    span,
  });
  const handling: Call = {
    kind: "call",
    callee: handler,
    arguments: [{ value: { kind: "name", name: error, span }, isSpread: false }],
    optional: false,
    span,
  };
  evaluateTry(state, inner, {
    kind: "try",
    resources: [],
    body: [toResult({ kind: "name", name: PROMISE, span })],
    handlers: [
      { pattern: { kind: "bind", name: error, span }, types: [], body: [toResult(handling)] },
    ],
    last: [],
    span,
  });
  return lookup(inner, RESULT);
}

/** What the promise is made by, where that is a call. */
function madeBy({ callee, optional }: Call): Call | undefined {
  if (callee.kind !== "member" || callee.property !== "catch") return undefined;
  return optional || callee.optional || callee.object.kind !== "call" ? undefined : callee.object;
}

function mayBeFunction({ kind }: HirExpression): boolean {
  return kind === "function" || kind === "name" || kind === "member";
}

/** The handler's own name of the error, by which it throws it again. */
function errorOf(handler: HirExpression): string {
  const pattern: HirPattern | undefined =
    handler.kind === "function" ? handler.function.parameters[0]?.pattern : undefined;
  return pattern?.kind === "bind" ? pattern.name : ERROR;
}

/** No names of any program. */
const PROMISE = " promise";
const RESULT = " result";
const ERROR = " error";
