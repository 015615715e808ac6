// Promise.allSettled: what fails is told among the results, and all others run nevertheless.
import { literal } from "../../../sql/expressions";
import { AN_ERROR, constant, scalar, UNDEFINED, unknown, type Value } from "../../values";
import { itemsOf, listOf, recordOf } from "../lists/collections";
import { conditional } from "../values/convert";
import { isPending, settle } from "../calls/awaits";
import { sourceOf, type CallSite, type State } from "../state";
import { isRunning } from "./pendingPromises";
import { catchAll } from "./tryCatch";

/** The outcomes of a list of which all items are known; undefined of others. */
export function allSettled(state: State, list: Value, { span }: CallSite): Value | undefined {
  const items = itemsOf(list);
  if (!items && isRunning(list)) return unknown("what becomes of each promise is not known");
  return (
    items &&
    listOf(
      state,
      items.map((item) => settled(state, item, span)),
    )
  );
}

function settled(state: State, item: Value, span: CallSite["span"]): Value {
  if (!isPending(item)) {
    return recordOf(state, { status: constant("fulfilled"), value: item });
  }
  let value: Value = UNDEFINED;
  const failed = catchAll(state, sourceOf(state, span), () => {
    value = settle(state, item);
  });
  const status = conditional(failed, literal("rejected"), literal("fulfilled"));
  return recordOf(state, { status: scalar(status, "text"), value, reason: AN_ERROR });
}

/** The value of an item once it is awaited, whose errors go no further. */
export function swallowing(state: State, item: Value): Value {
  catchAll(state, state.here, () => {
    settle(state, item);
  });
  return UNDEFINED;
}
