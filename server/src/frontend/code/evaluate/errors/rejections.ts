// Handlers of errors of promises: `.catch(handler)` and `.then(next, handler)`.
import type { Command } from "../../../../program/statement";
import { AN_ERROR, UNDEFINED, type Value } from "../../values";
import { unknownExpression } from "../values/convert";
import { hasLeft } from "../merge";
import { USER_ERROR } from "../values/member";
import { isPending, settle } from "../calls/awaits";
import { emit, newCell, sourceOf, write, type CallSite, type State } from "../state";
import { runWithHandlers, catchAll, leavesAtOnce } from "./tryCatch";

/** The value of `promise.catch(handler)`: what it gives, or what the handler gives where it fails. */
export function caughtBy(state: State, promise: Value, handler: Value, site: CallSite): Value {
  const tried = mayReject(state, promise, handler, site);
  if (!isPending(tried)) return promise;
  const result = newCell(state, UNDEFINED);
  const give = (value: Value): boolean => {
    write(state, result, value);
    return hasLeft(state);
  };
  runWithHandlers(state, {
    body: () => give(settle(state, tried)),
    handlers: [{ types: [], run: () => give(handle(state, handler, site)) }],
    leavesLoop: false,
    span: site.span,
  });
  return result.value ?? UNDEFINED;
}

/** The same of `promise.then(next, handler)`: what `next` throws is none of the handler's. */
export function thenOr(
  state: State,
  promise: Value,
  [next, handler]: readonly [next: Value, handler: Value],
  site: CallSite,
): Value {
  const goOn = (value: Value): Value => settle(state, state.evaluator.call(state, next, [value], site)); // prettier-ignore
  const run = (): Value => handle(state, handler, site);
  const tried = mayReject(state, promise, handler, site);
  if (!isPending(tried) || leavesAtOnce(state, run)) return goOn(settle(state, tried));
  let value: Value = UNDEFINED;
  const failed = catchAll(state, sourceOf(state, site.span), () => {
    value = settle(state, tried);
  });
  return state.evaluator.branches(state, failed, run, () => goOn(value), site.span);
}

function handle(state: State, handler: Value, site: CallSite): Value {
  return settle(state, state.evaluator.call(state, handler, [AN_ERROR], site));
}

/** A promise of which only its value is known may have failed, which matters where a handler runs statements. */
function mayReject(state: State, promise: Value, handler: Value, { span }: CallSite): Value {
  if (isPending(promise) || handler.kind !== "function") return promise;
  if (!state.workspace.reach.mayReach(handler.function)) return promise;
  const source = sourceOf(state, span);
  const run = (): Value => {
    const condition = unknownExpression(state, "whether it fails is not known", [], "bool");
    const then: Command = { kind: "rollback", why: "a promise fails", code: USER_ERROR, source };
    emit(state, { kind: "if", condition, then, source });
    return promise;
  };
  return { kind: "deferred", run };
}
