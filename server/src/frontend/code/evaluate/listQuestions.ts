// Questions about the items of lists: `find`, `some`, `every`, `includes`.
import type { Expression } from "../../../program/expression";
import { joined } from "../../sql/terms";
import { constant, UNDEFINED, unknown, type Value } from "../values";
import { itemsOf } from "./collections";
import { conditionOf, expressionOf, negated, readsOf } from "./convert";
import { callWithItem, NO_INDEX } from "./items";
import { eachItem, rowsAsLoop } from "./iteration";
import { binary, choose, condition } from "./operators";
import { searchedItem, someItem } from "./searched";
import { settle } from "./settle";
import { newCell, write, type CallSite, type State } from "./state";

/** Runs a function that tests items for what it does besides, where it may do anything. */
export function runForEach(state: State, self: Value, by: Value, site: CallSite): void {
  if (by.kind !== "function" || !state.workspace.reach.mayReach(by.function)) return;
  rowsAsLoop(state, self, site.span, (item, index) => {
    settle(state, callWithItem(state, by, item, index, site));
  });
}

/** `some` and `every`. */
export function quantified(
  state: State,
  self: Value,
  by: Value | undefined,
  site: CallSite,
  isSome: boolean,
): Value {
  if (!by) return unknown("a test of a list is not understood", readsOf(self));
  const test = itemsOf(self) ? undefined : testBy(state, by, site);
  const asked =
    test && someItem(state, self, (item) => (isSome ? test(item) : negated(test(item))));
  if (asked) return condition(isSome ? asked : negated(asked));
  const answer = newCell(state, constant(!isSome));
  eachItem(state, self, site.span, (item, index) => {
    const test = conditionOf(state, callWithItem(state, by, item, index, site));
    const old = answer.value ?? UNDEFINED;
    const next = isSome ? choose(test, constant(true), old) : choose(test, old, constant(false));
    write(state, answer, next);
  });
  return answer.value ?? UNDEFINED;
}

/** `find`: the first item for which a function is true, or nothing. */
export function found(state: State, self: Value, by: Value | undefined, site: CallSite): Value {
  const items = itemsOf(self);
  if (!items || !by) {
    const test = by && testBy(state, by, site);
    const searched = test && searchedItem(state, self, "first", test);
    if (searched) return searched;
    if (by) runForEach(state, self, by, site);
    return unknown("an item that is searched for is not told from the others", readsOf(self));
  }
  return items.reduceRight((otherwise: Value, item, at) => {
    const test = conditionOf(state, callWithItem(state, by, item, constant(at), site));
    return choose(test, item, otherwise);
  }, UNDEFINED);
}

/** A function as a test of items; undefined for one that may reach the database. */
function testBy(
  state: State,
  by: Value,
  site: CallSite,
): ((item: Value) => Expression) | undefined {
  if (by.kind === "function" && state.workspace.reach.mayReach(by.function)) return undefined;
  return (item) => conditionOf(state, callWithItem(state, by, item, NO_INDEX, site));
}

/** `includes`: whether an item is in a list. */
export function contains(state: State, self: Value, item: Value): Value {
  const items = itemsOf(self);
  const isHeld = (each: Value): Expression => expressionOf(state, binary(state, "===", item, each));
  const answer = items ? undefined : someItem(state, self, isHeld);
  if (answer) return condition(answer);
  if (!items)
    return unknown("whether a list holds it is not known", [...readsOf(self), ...readsOf(item)]);
  const tests = items.map((each): Expression => {
    const test = binary(state, "===", item, each);
    return expressionOf(state, test);
  });
  return condition(joined("or", tests));
}
