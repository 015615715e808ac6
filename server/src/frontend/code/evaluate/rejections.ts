// `.catch(handler)` and `.then(next, handler)` of a promise that runs something: what fails in it goes no further.
import { UNDEFINED, unknown, type Value } from "../values";
import { settle } from "./settle";
import { sourceOf, type CallSite, type State } from "./state";
import { caught, leavesAtOnce } from "./tries";

/** What is there behind a promise: what it gives, handed to `next`, or what the handler gives where it fails. */
export function handling(
  state: State,
  promise: Value,
  handler: Value,
  site: CallSite,
  next: (value: Value) => Value = (value) => value,
): Value {
  const handle = (): Value =>
    settle(state, state.evaluator.call(state, handler, [unknown("what an error says")], site));
  if (leavesAtOnce(state, handle)) return next(settle(state, promise));
  let value: Value = UNDEFINED;
  const failed = caught(state, sourceOf(state, site.span), () => {
    value = settle(state, promise);
  });
  return state.evaluator.branches(state, failed, handle, () => next(value), site.span);
}
