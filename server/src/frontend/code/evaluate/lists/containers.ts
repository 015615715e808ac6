// Lists, sets and maps of the language that are made, filled and changed in place. A set is a list and a map is a record;
// what changes them in a way that is not followed leaves them unknown, never as they were.
import type { Expression } from "../../../../program/expression";
import { compare } from "../../../sql/terms";
import {
  constant,
  constantScalar,
  isArray,
  type ObjectValue,
  UNDEFINED,
  unknown,
  unknownItem,
  type Value,
} from "../../values";
import { isInput } from "../../roots/provenance";
import { lists, aliases, type Builtin } from "../builtins/builtin";
import { listOfFields } from "../values/absentFields";
import { expressionOf, readsOf } from "../values/convert";
import { indexAccess } from "../expressions";
import { fieldNamesOf } from "../values/fieldNames";
import { hasKey, mapValue, putEntry } from "../builtins/javaBuiltins";
import { itemOf, setAnyMember } from "../values/member";
import { areIdle } from "../values/idleValues";
import { nowOf } from "../values/inputParts";
import { writeWhole } from "../values/inputEffects";
import { condition, overChoice } from "../values/operators";
import { lose, sourceOf, write, type CallSite, type State } from "../state";
import { unknownPart } from "../values/subvalues";
import { searchedItem, someItem } from "./rowSearch";
import { weakUpdate, eachItem, push } from "./iteration";
import { distinctItems, itemsOf, listOf, recordOf, SPREAD } from "./collections";

/** Functions by name; methods by the kind of their receiver and their name. */
export const CONTAINERS: Readonly<Record<string, Builtin>> = {
  ...aliases("Set WeakSet", ({ state, args: [from] }) => setFrom(state, from)),
  ...aliases("Map WeakMap", ({ state, args: [from] }) => mapFrom(state, from)),
  ...lists("push add addAll append", ({ state, self, args, site }) => {
    for (const arg of args) added(state, self, arg, site);
    return self;
  }),
  ...lists("unshift", ({ state, self, args, site }) => {
    for (const arg of args) changedInPlace(state, self, arg, site);
    return unknown("the length of a list that was changed", readsOf(self));
  }),
  // Their results, and what they leave, are not told from the rest of the list.
  ...lists("pop shift splice copyWithin delete clear", ({ state, self, args, site }) => {
    const reads = [...readsOf(self), ...args.flatMap((arg) => readsOf(arg))];
    for (const arg of args.length > 0 ? args : [UNDEFINED]) {
      changedInPlace(state, self, arg, site);
    }
    return unknownItem("an item of a list that is changed in place", reads);
  }),
  ...lists("fill", ({ state, self, args: [item = UNDEFINED] }) => {
    const items = itemsOf(self);
    if (items) return listOf(state, items.map(() => item)); // prettier-ignore
    weakUpdate(state, self, item);
    return self;
  }),
  ...lists("keys", ({ state, self }) => {
    const items = itemsOf(self);
    return items
      ? listOf(state, items.map((_, at) => constant(at))) // prettier-ignore
      : unknown("the indexes of a list", readsOf(self));
  }),
  "map.set": ({ state, self, args: [key, value] }) => {
    putEntry(state, self, key, value);
    return self;
  },
  "map.get": ({ state, self, args: [key], site }) => mapAsked(state, self, key, site),
  "map.has": ({ state, self, args: [key] }) =>
    (self.kind === "object" && self.pairs && pairIsThere(state, self, self.pairs, key)) ||
    hasKey(self, key),
  ...aliases("map.delete object.clear", ({ state, self }) => {
    setAnyMember(state, self, UNDEFINED);
    return unknown("whether a map had a key", readsOf(self));
  }),
  "map.keys": ({ state, self }) => pairsOf(state, self, (pair) => itemOf(state, pair, 0)),
  "map.values": ({ state, self }) => pairsOf(state, self, (pair) => itemOf(state, pair, 1)),
  "map.entries": ({ state, self }) => pairsOf(state, self, (pair) => pair),
  "map.forEach": ({ state, self, args: [by], site }) => {
    eachItem(
      state,
      pairsOf(state, self, (pair) => pair),
      site.span,
      (pair) => {
        if (by) state.evaluator.call(state, by, [itemOf(state, pair, 1), itemOf(state, pair, 0)], site); // prettier-ignore
      },
    );
    return UNDEFINED;
  },
};

/** A set is a list of its items. What is only known when it runs may have items that are alike. */
function setFrom(state: State, from: Value | undefined): Value {
  const copy = copied(state, from);
  if (copy.kind === "list") {
    const items = distinctItems(copy);
    return { ...(items ? listOf(state, items) : copy), isOnce: true };
  }
  if (copy.kind === "choice") return overChoice(copy, (part) => setFrom(state, part));
  const isGiven = copy.kind === "input" || copy.kind === "scalar" || copy.kind === "builtin";
  if (isGiven || (copy.kind === "derived" && copy.how === "order")) {
    return { ...copy, isOnce: true };
  }
  return copy.kind === "derived" || copy.kind === "joined"
    ? { kind: "derived", from: copy, how: "order", by: UNDEFINED, isOnce: true }
    : copy;
}

/** A list with the items of another, which is not changed with it. */
function copied(state: State, from: Value | undefined): Value {
  if (from === undefined || from.kind === "undefined") return listOf(state, []);
  const items = itemsOf(from);
  if (items) return listOf(state, items);
  if (from.kind !== "list") return from;
  const copy = listOf(state, []);
  write(state, copy.grown, from.grown.value);
  return copy;
}

function added(state: State, self: Value, item: Value, { span, name }: CallSite): void {
  const isSpread = item.kind === "unknown" && item.why === SPREAD;
  if (isListOfInputs(self, name) && !isSpread) {
    const now = nowOf(state, self);
    const before = now.kind === "joined" ? now.parts : [now];
    writeWhole(state, self, { kind: "joined", parts: [...before, listOf(state, [item])] });
    return;
  }
  if (isSpread) weakUpdate(state, self, item);
  else push(state, self, item);
  if (self.kind === "list" || name.startsWith("this.")) return;
  // Of a list that is unknown nothing is known later, either: only what the item brings along is lost.
  if (readsOf(item).every(isInput) && areIdle(state, [item])) return;
  lose(state, "what is added to a list that is not known", sourceOf(state, span));
}

/** Changes a list in a way that is not followed: one that the code did not make is not known any more. */
function changedInPlace(state: State, self: Value, item: Value, { span, name }: CallSite): void {
  if (self.kind === "list") weakUpdate(state, self, item);
  else if (isListOfInputs(self, name)) {
    const why = "a list among the arguments that is changed in place";
    writeWhole(state, self, unknown(why, [...readsOf(self), ...readsOf(item)]));
  } else if (READ.has(self.kind)) {
    lose(state, "what is changed in a list that is not known", sourceOf(state, span));
  }
}

/** Lists that the database or others' items gave. */
const READ: ReadonlySet<Value["kind"]> = new Set(["rows", "derived", "joined"]);

/** True if an argument is a list by its type, or by a method that lists alone have. */
function isListOfInputs(self: Value, name: string): self is Extract<Value, { kind: "input" }> {
  if (self.kind !== "input" || self.foreign) return false;
  if (self.type !== undefined) return isArray(self);
  return OF_LISTS_ALONE.test(name);
}

const OF_LISTS_ALONE = /\.(?:unshift|shift|pop|splice|push)$/u;

/** `new Array(n)`, `Array(a, b)`. */
export function arrayFrom(state: State, args: readonly Value[]): Value {
  const [first] = args;
  if (first === undefined || args.length > 1) return listOf(state, args);
  const length = constantScalar(first);
  if (typeof length !== "number") return unknown("a list of a length that is not known", readsOf(first)); // prettier-ignore
  if (length > MOST_ITEMS) return unknown("a long list", readsOf(first));
  return listOf(
    state,
    Array.from({ length }, () => UNDEFINED),
  );
}

const MOST_ITEMS = 16;

/** `new Map(pairs)`. */
function mapFrom(state: State, from: Value | undefined): Value {
  const map: Value = { ...recordOf(state, {}), isMap: true };
  if (from === undefined || from.kind === "undefined") return map;
  const pairs = itemsOf(from);
  if (!pairs && from.kind === "derived" && from.how === "map") return { ...map, pairs: from };
  if (!pairs) setAnyMember(state, map, from);
  for (const pair of pairs ?? [])
    putEntry(state, map, itemOf(state, pair, 0), itemOf(state, pair, 1));
  return map;
}

/** `map.get(key)`: one of what the map holds, where all of it is known. */
function mapAsked(state: State, map: Value, key: Value = UNDEFINED, { span }: CallSite): Value {
  if (map.kind === "object" && map.pairs) return valueOfPair(state, map, map.pairs, key);
  const isKnown = constantScalar(key) !== undefined || !fieldNamesOf(map);
  return isKnown || map.kind !== "object"
    ? mapValue(map, key)
    : indexAccess(state, { kind: "object", fields: map.fields }, key, span);
}

/** The value of the last pair with that key, which wins over others. */
function valueOfPair(state: State, map: ObjectValue, pairs: Value, key: Value): Value {
  const at = expressionOf(state, key);
  const pair =
    map.fields.size > 0
      ? undefined
      : searchedItem(state, pairs, "last", (item) => isKeyOf(state, at, item));
  if (!pair) {
    const reads = [at, ...readsOf(pairs)];
    return unknownPart(map, "a map is asked for a key that is only known when it runs", reads);
  }
  const valueIn = (each: Value): Value =>
    each.kind === "undefined" ? each : itemOf(state, each, 1);
  return pair.kind === "choice" ? overChoice(pair, valueIn) : valueIn(pair);
}

function pairIsThere(state: State, map: ObjectValue, pairs: Value, key: Value = UNDEFINED): Value {
  const at = expressionOf(state, key);
  const isThere =
    map.fields.size > 0 ? undefined : someItem(state, pairs, (item) => isKeyOf(state, at, item));
  return isThere
    ? condition(isThere)
    : unknown("whether a map has a key is not known", [at, ...readsOf(pairs)]);
}

function isKeyOf(state: State, key: Expression, pair: Value): Expression {
  return compare("=", key, expressionOf(state, itemOf(state, pair, 0)));
}

/** The results for each pair of a map's key and value. */
function pairsOf(state: State, map: Value, made: (pair: Value) => Value): Value {
  const pairs = listOfFields(state, map, (name, value) =>
    made(listOf(state, [constant(name), value])),
  );
  return pairs ?? unknownItem("an item of a map is not told from the others", readsOf(map));
}
