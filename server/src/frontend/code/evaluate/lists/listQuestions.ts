// Questions about the items of lists: `find`, `some`, `every`, `includes`.
import type { Expression } from "../../../../program/expression";
import { connective } from "../../../sql/terms";
import { constant, UNDEFINED, unknown, unknownItem, type Value } from "../../values";
import { conditionOf, expressionOf, negate, readsOf } from "../values/convert";
import { mayChange } from "../calls/outerEffects";
import { binary, choose, condition } from "../values/operators";
import { settle } from "../calls/awaits";
import { newCell, write, type CallSite, type State } from "../state";
import { unknownPart } from "../values/subvalues";
import { itemsOf, listOf } from "./collections";
import { callWithItem, NO_INDEX } from "./items";
import { eachItem, isQuietLoop, push, rowsAsLoop } from "./iteration";
import { askedOfMany, fewItemsOf } from "./longLists";
import { searchedItem, someItem } from "./rowSearch";

/** Runs a function that tests items for what it does besides, where it may do anything. */
export function runForEach(state: State, self: Value, by: Value, site: CallSite): void {
  if (by.kind !== "function" || !state.workspace.reach.mayReach(by.function)) return;
  rowsAsLoop(state, self, site.span, (item, index) => {
    settle(state, callWithItem(state, by, item, index, site));
  });
}

/**
 * `filter` by a function that changes what others see: it runs here, once for each item. Undefined for one that changes
 * nothing, which may be asked when the items are.
 */
export function chosenOnce(
  state: State,
  self: Value,
  by: Value,
  site: CallSite,
): Value | undefined {
  if (!mayChange(by)) return undefined;
  const ask = (item: Value, index: Value): Value => callWithItem(state, by, item, index, site);
  if (isQuietLoop(state, self, site.span, ask)) return undefined;
  const kept = listOf(state, []);
  eachItem(state, self, site.span, (item, index) => {
    state.evaluator.when(state, ask(item, index), site.span, () => {
      push(state, kept, item);
    });
  });
  return kept;
}

/**
 * Asks items one after the other, up to the first for which a function is true (or, for `every`, is not): gives whether
 * there is one, and which.
 */
function askedInTurn(
  state: State,
  self: Value,
  by: Value,
  site: CallSite,
  isWanted: boolean,
): { readonly isFound: Value; readonly item: Value } {
  const isFound = newCell(state, constant(false));
  const which = newCell(state, UNDEFINED);
  eachItem(state, self, site.span, (item, index) => {
    const isOver = conditionOf(state, isFound.value ?? UNDEFINED);
    const ask = (): Value => {
      const answer = conditionOf(state, callWithItem(state, by, item, index, site));
      const test = isWanted ? answer : negate(answer);
      write(state, isFound, condition(test));
      write(state, which, choose(test, item, UNDEFINED));
      return UNDEFINED;
    };
    state.evaluator.branches(state, negate(isOver), ask, () => UNDEFINED, site.span);
  });
  return { isFound: isFound.value ?? UNDEFINED, item: which.value ?? UNDEFINED };
}

/** `some` and `every`. */
export function quantify(
  state: State,
  self: Value,
  by: Value | undefined,
  site: CallSite,
  isSome: boolean,
): Value {
  if (!by) return unknown("a test of a list is not understood", readsOf(self));
  if (mayChange(by) || reaches(state, by)) {
    const { isFound } = askedInTurn(state, self, by, site, isSome);
    return isSome ? isFound : condition(negate(conditionOf(state, isFound)));
  }
  const ofMany = askedOfMany(state, self, by, site);
  if (ofMany) return ofMany;
  const test = itemsOf(self) ? undefined : testBy(state, by, site);
  const asked = test && someItem(state, self, (item) => (isSome ? test(item) : negate(test(item))));
  if (asked) return condition(isSome ? asked : negate(asked));
  const answer = newCell(state, constant(!isSome));
  eachItem(state, self, site.span, (item, index) => {
    const test = conditionOf(state, callWithItem(state, by, item, index, site));
    const old = answer.value ?? UNDEFINED;
    const next = isSome ? choose(test, constant(true), old) : choose(test, old, constant(false));
    write(state, answer, next);
  });
  return answer.value ?? UNDEFINED;
}

/** `find` and `findLast`: the first or last item for which a function is true, or nothing. */
export function findItem(
  state: State,
  self: Value,
  by: Value | undefined,
  site: CallSite,
  which: "first" | "last" = "first",
): Value {
  const items = itemsOf(self);
  const isPlain = !by || !(mayChange(by) || reaches(state, by));
  if (items && !isPlain && which === "first") return askedInTurn(state, self, by, site, true).item;
  const ofMany = by && askedOfMany(state, self, by, site);
  if (ofMany) return ofMany;
  if (!items || !by || !isPlain) {
    const test = by && testBy(state, by, site);
    const searched = test && searchedItem(state, self, which, test);
    if (searched) return searched;
    if (!isPlain) askedInTurn(state, self, by, site, true);
    return unknownPart(
      self,
      "an item that is searched for is not told from the others",
      readsOf(self),
    );
  }
  const choice = (otherwise: Value, item: Value, at: number): Value => {
    const test = conditionOf(state, callWithItem(state, by, item, constant(at), site));
    return choose(test, item, otherwise);
  };
  return which === "first" ? items.reduceRight(choice, UNDEFINED) : items.reduce(choice, UNDEFINED);
}

/**
 * `findIndex` and `findLastIndex`: where the first or last item stands for which a function is true, or -1. It is told
 * for items that are known, by a function that changes nothing.
 */
export function foundAt(
  state: State,
  self: Value,
  by: Value | undefined,
  site: CallSite,
  which: "first" | "last" = "first",
): Value {
  const why = "at which index an item is found is not known";
  if (!by) return unknown(why, readsOf(self));
  if (mayChange(by) || reaches(state, by)) {
    const { isFound } = askedInTurn(state, self, by, site, true);
    return unknown(why, [...readsOf(self), ...readsOf(isFound)]);
  }
  const items = fewItemsOf(self);
  if (!items) {
    const reads = readsOf(self);
    const answer = callWithItem(state, by, unknownItem("an item of a list", reads), NO_INDEX, site);
    return unknown(why, [...reads, ...readsOf(answer)]);
  }
  const choice = (otherwise: Value, item: Value, at: number): Value => {
    const test = conditionOf(state, callWithItem(state, by, item, constant(at), site));
    return choose(test, constant(at), otherwise);
  };
  return which === "first"
    ? items.reduceRight(choice, constant(-1))
    : items.reduce(choice, constant(-1));
}

/** True if a function may reach the database. */
function reaches(state: State, by: Value): boolean {
  return by.kind === "function" && state.workspace.reach.mayReach(by.function);
}

/** A function as a test of items; undefined for one that may reach the database. */
function testBy(
  state: State,
  by: Value,
  site: CallSite,
): ((item: Value) => Expression) | undefined {
  if (reaches(state, by)) return undefined;
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
  return condition(connective("or", tests));
}
