// Functions that something unknown runs for the items of a list, and what it may give them.
import { isArray, unknown, type Value } from "../../values";
import type { HirParameter } from "../../hir";
import { callBuiltin } from "../builtins/builtins";
import { isInput, readsOf } from "../values/convert";
import { settle } from "../calls/settle";
import { lose, sourceOf, type CallSite, type State } from "../state";
import { eachItem } from "./iteration";
import { callWithItem } from "./items";

/** What lists' own methods do with a function, by what helpers call it: `pMap(list, f)`, `_.each(list, f)`. */
const METHODS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|[._a-z])map(?:Series|Limit|Async|Parallel|Values)?$/iu, "map"],
  [/(?:^|[._a-z])(?:for)?each(?:Series|Limit|Async|Parallel|Of)?$/iu, "forEach"],
  [/(?:^|[._])p?filter(?:Series|Limit|Async)?$/iu, "filter"],
  [/(?:^|[._])flatMap$/u, "flatMap"],
  [/(?:^|[._])(find|some|every|reduce)$/u, "$1"],
];

/** Methods of lists that are given a function of an item. */
const OF_LISTS =
  /\.(map|forEach|filter|flatMap|find|findIndex|findLast|some|every|reduce|sort|toSorted)$/u;

/**
 * What is done for each item: by a method of a list that is not known (`unknown.map(f)`), or by an unknown function
 * that is given a list and a function, which is said unless its name tells it. Undefined where it is neither.
 */
export function runForItems(
  state: State,
  callee: Value,
  args: readonly Value[],
  site: CallSite,
): Value | undefined {
  const [first, second] = args;
  const method = OF_LISTS.exec(site.name)?.[1];
  if (callee.kind === "unknown" && method !== undefined && first?.kind === "function") {
    return asMethod(state, { list: callee, method, args }, site);
  }
  if (!first || second?.kind !== "function" || !isList(first)) return undefined;
  if (second.function.parameters.length === 0) return undefined;
  const named = METHODS.find(([pattern]) => pattern.test(site.name));
  if (named) {
    const [pattern, template] = named;
    const called = template === "$1" ? (pattern.exec(site.name)?.[1] ?? "") : template;
    const made = asMethod(state, { list: first, method: called, args: args.slice(1) }, site);
    // Helpers wait for what they run; methods of lists do not.
    return called === "map" && made
      ? callBuiltin(state, { kind: "builtin", name: "Promise.all" }, [made], site)
      : made;
  }
  // What it is given is not an item then.
  if (/batch|chunk|page/iu.test(site.name)) return undefined;
  const before = state.emitted;
  eachItem(state, first, site.span, (item, index) => {
    settle(state, callWithItem(state, second, item, index, site));
  });
  if (state.emitted > before) {
    const reason = `${site.name}() is taken to run the function that it is given for each item of the list`;
    lose(state, reason, sourceOf(state, site.span));
  }
  return unknown(
    `${site.name} is not known`,
    args.flatMap((arg) => readsOf(arg)),
  );
}

function asMethod(
  state: State,
  { list, method, args }: { list: Value; method: string; args: readonly Value[] },
  site: CallSite,
): Value | undefined {
  return callBuiltin(state, { kind: "builtin", name: `list.${method}`, self: list }, args, site);
}

/** What is surely a list, of more items than one may count. */
function isList(value: Value): boolean {
  return (
    value.kind === "list" ||
    value.kind === "rows" ||
    value.kind === "derived" ||
    value.kind === "joined" ||
    isArray(value)
  );
}

/**
 * What an unknown function gives a function that it runs: what `input` says of its parameters, unless the unknown was
 * given what was read from the database, which may be what it hands on.
 */
export function handedOn(
  callee: Value,
  args: readonly Value[],
  input: (parameter: HirParameter) => Value,
): (parameter: HirParameter, name: string) => Value {
  const reads = [callee, ...args].flatMap((each) =>
    each.kind === "function" ? [] : readsOf(each),
  );
  const isFree = reads.every((each) => isInput(each));
  return (parameter, name) => {
    const value = input(parameter);
    if (isFree || value.kind !== "input") return value;
    return unknown(`what ${name}() gives to the function`, reads);
  };
}
