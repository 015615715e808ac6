// Lists in another order, parts of lists, and lists of lists as one: what is known of their items is kept, and where an
// item is one of several, it is not told from the others.
import {
  constant,
  constantScalar,
  scalar,
  UNDEFINED,
  unknown,
  type ListValue,
  type Value,
} from "../../values";
import type { Builtin, BuiltinCall } from "../builtins/builtin";
import { conditionOf, expressionOf, readsOf } from "../values/convert";
import { binary, choose } from "../values/operators";
import { write, type State } from "../state";
import { itemsOf, listOf } from "./collections";

/** Tells whether an item is in a part of its list. */
const PART = "isolens part";

/** Functions that order, cut and flatten lists. */
export const PERMUTATIONS: Readonly<Record<string, Builtin>> = {
  "list.sort": ({ state, self, args }) => inPlace(state, self, sorted(state, self, args[0])),
  "list.toSorted": ({ state, self, args }) => sorted(state, self, args[0]),
  "list.reverse": ({ state, self }) => inPlace(state, self, reversed(state, self)),
  "list.toReversed": ({ state, self }) => reversed(state, self),
  "input.sort": ({ self }) => asSorted(self),
  "input.toSorted": ({ self }) => asSorted(self),
  "input.reverse": ({ self }) => ordered(self),
  "input.toReversed": ({ self }) => ordered(self),
  "list.slice": sliced,
  "list.flat": ({ state, self, args }) =>
    args.length > 0 && constantScalar(args[0] ?? UNDEFINED) !== 1
      ? unknown("a list of lists of lists", readsOf(self))
      : flatten(state, self),
  [PART]: ({ args: [item = UNDEFINED] }) =>
    unknown("whether an item is in a part of a list is not known", readsOf(item)),
  // It may be a text as well as a list.
  "input.slice": (call) => (call.args.length === 0 ? call.self : textOrList(call, "slice")),
  "input.flat": (call) => textOrList(call, "flat"),
};

/** Methods after which a list itself is in another order. */
export const IN_PLACE: ReadonlySet<string> = new Set(["sort", "reverse"]);

/** The items of the items; what is no list is an item itself. */
export function flatten(state: State, self: Value): Value {
  const items = itemsOf(self);
  const isKnown = items?.every((item) => isSingle(item) || itemsOf(item) !== undefined) === true;
  if (isKnown) return listOf(state, items?.flatMap((item) => itemsOf(item) ?? [item]) ?? []);
  return self.kind === "rows" ? self : { kind: "derived", from: self, how: "flat", by: UNDEFINED };
}

/** True if a value is no list for sure. */
export function isSingle({ kind }: Value): boolean {
  return (
    kind === "scalar" ||
    kind === "text" ||
    kind === "row" ||
    kind === "object" ||
    kind === "undefined"
  );
}

function ordered(from: Value): Value {
  return { kind: "derived", from, how: "order", by: UNDEFINED };
}

function asSorted(from: Value): Value {
  return { kind: "derived", from, how: "order", by: UNDEFINED, isSorted: true };
}

/** Two items are compared; of more it is not known which comes first. */
function sorted(state: State, self: Value, by: Value | undefined): Value {
  const items = itemsOf(self);
  const [one, other] = items ?? [];
  if (items && items.length < 2) return listOf(state, items);
  if (items?.length !== 2 || !one || !other || !by) return asSorted(copyOf(state, self));
  const site = { span: { start: 0, end: 0 }, isNew: false, typeArguments: [], name: "sort" };
  const order = state.evaluator.call(state, by, [one, other], site);
  const isTurned = conditionOf(state, binary(state, ">", order, constant(0)));
  return listOf(state, [choose(isTurned, other, one), choose(isTurned, one, other)]);
}

function reversed(state: State, self: Value): Value {
  const items = itemsOf(self);
  return items ? listOf(state, items.toReversed()) : ordered(copyOf(state, self));
}

/** A list as it is now: it may be changed later. */
function copyOf(state: State, self: Value): Value {
  if (self.kind !== "list") return self;
  const copy = listOf(
    state,
    itemsOf({ ...self, grown: { ...self.grown, value: undefined } }) ?? [],
  );
  write(state, copy.grown, self.grown.value);
  return copy;
}

/** A list holds what it is ordered as from then on. */
function inPlace(state: State, self: Value, result: Value): Value {
  if (self.kind !== "list") return result;
  if (result.kind === "list") {
    fill(state, self, result);
    return self;
  }
  for (const cell of self.items) write(state, cell, undefined);
  write(state, self.grown, result);
  return self;
}

function fill(state: State, list: ListValue, { items }: ListValue): void {
  const own = list.items.filter(({ value }) => value !== undefined);
  own.forEach((cell, at) => {
    write(state, cell, items[at]?.value);
  });
}

function sliced({ state, self, args }: BuiltinCall): Value {
  const items = itemsOf(self);
  const bounds = args.map(constantScalar);
  if (args.length === 0) return items ? listOf(state, items) : copyOf(state, self);
  const [from, to] = bounds.map((each) => (typeof each === "number" ? each : undefined));
  if (items && from !== undefined && (args.length === 1 || to !== undefined)) {
    return listOf(state, items.slice(from, to));
  }
  return {
    kind: "derived",
    from: copyOf(state, self),
    how: "filter",
    by: { kind: "builtin", name: PART },
  };
}

function textOrList({ state, self, args }: BuiltinCall, name: string): Value {
  const inputs = [self, ...args].map((each) => expressionOf(state, each));
  return scalar({ kind: "call", name: `code:${name}`, arguments: inputs, deterministic: true });
}
