// Promise.all: an error of one ends the wait, but all others were called, and run.
import { literal } from "../../../sql/expressions";
import type { Command } from "../../../../program/statement";
import type { SourceRange } from "../../../../protocol/source";
import { oneOfSeveral, type Value } from "../../values";
import { isPending, settle } from "../calls/awaits";
import { itemsOf } from "../lists/collections";
import { emit, lose, type State } from "../state";
import { readsOf } from "../values/convert";
import {
  failsAlone,
  runPending,
  promiseList,
  isRunning,
  isUndoneWhole,
  rejectionOf,
} from "./pendingPromises";

/** The items of a list once all of them are awaited; errors are thrown when all have run. */
export function awaitAll(
  state: State,
  items: readonly Value[],
  source: SourceRange,
): readonly Value[] {
  if (items.length < 2 || isUndoneWhole(state)) return items.map((item) => settle(state, item));
  const started = items.map((item) =>
    isPending(item) && !isRunning(item)
      ? runPending(state, source, () => settle(state, item))
      : item,
  );
  if (state.attempts.some(({ isKept }) => isKept)) {
    for (const item of started) failsAlone(item);
  }
  // The last one may fail where it stands: nothing runs behind it.
  return started
    .toReversed()
    .map((item) => settle(state, item))
    .toReversed();
}

/** `Promise.race` and `Promise.any`: what comes first is kept, and all others go on. */
export function firstOf(state: State, list: Value, source: SourceRange): Value {
  const why = "which of several promises comes first is not known, and the others go on";
  const items = itemsOf(list);
  if (items?.every(isForeign) !== true) lose(state, why, source);
  const values = items?.map((item) => settle(state, item)) ?? [list];
  return oneOfSeveral(
    why,
    values.flatMap((each) => readsOf(each)),
  );
}

/** True if something is what unknown functions give: nobody knows what goes on in these. */
function isForeign(item: Value): boolean {
  if (item.kind === "scalar") return item.expression.kind === "call";
  return item.kind === "unknown" || item.kind === "external" || item.kind === "input";
}

/** The promises that the rounds of a loop make. */
export interface Rounds {
  /** To be told what each round gives. */
  readonly add: (promise: Value) => void;
  /** Result of the loop, which would be `value`; `start` is how many commands there were before it. */
  readonly end: (start: number, value: Value) => Value;
}

/** Rounds that all run, whichever of them fails. */
export function roundsOf(state: State, source: SourceRange): Rounds {
  const flag = state.ids.fresh("rejections");
  let isUsed = false;
  const set = (to: boolean): Command => {
    return { kind: "assign", variable: flag, value: literal(to), source };
  };
  return {
    add: (promise) => {
      if (state.attempts.some(({ isKept }) => isKept)) failsAlone(promise, true);
      const condition = rejectionOf(promise);
      if (!condition) return;
      isUsed = true;
      emit(state, { kind: "if", condition, then: set(true), source });
    },
    end: (start, value) => {
      if (!isUsed) return value;
      state.commands.splice(start, 0, set(false));
      return promiseList(state, flag, value, source);
    },
  };
}
