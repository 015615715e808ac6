// Functions that something unknown runs for the items of a list, and what it may give them.
import { constantScalar, isArray, UNDEFINED, unknown, type Value } from "../../values";
import type { HirParameter } from "../../hir";
import { callBuiltin } from "../builtins/builtins";
import { isInput } from "../../roots/provenance";
import { readsOf } from "../values/convert";
import { isAtTop } from "../calls/callbacks";
import { settle } from "../calls/awaits";
import { runPending, isRunning, rejectionOf } from "../errors/pendingPromises";
import { lose, sourceOf, type CallSite, type State } from "../state";
import { eachItem } from "./iteration";
import { callWithItem } from "./items";

/** The methods of lists that take a function, by what helpers call it: `pMap(list, f)`, `_.each(list, f)`. */
const METHODS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|[._a-z])map(?:Series|Limit|Async|Parallel|Values)?$/iu, "map"],
  [/(?:^|[._a-z])(?:for)?each(?:Series|Limit|Async|Parallel|Of)?$/iu, "forEach"],
  [/(?:^|[._])p?filter(?:Series|Limit|Async)?$/iu, "filter"],
  [/(?:^|[._])flatMap$/u, "flatMap"],
  [/(?:^|[._])(find|findIndex|findLast|findLastIndex|some|every|reduce)$/u, "$1"],
];

/** Methods of lists that are given a function of an item. */
const OF_LISTS =
  /\.(map|forEach|filter|flatMap|find|findIndex|findLast|findLastIndex|some|every|reduce|sort|toSorted)$/u;

/**
 * The commands for each item: by a method of a list that is not known (`unknown.map(f)`), or by an unknown function
 * that is given a list and a function, which is said unless its name tells it. Undefined where it is neither, or is one
 * that runs what it is given once (`isOnce`).
 */
export function runForItems(
  state: State,
  callee: Value,
  args: readonly Value[],
  site: CallSite & { readonly isOnce: boolean },
): Value | undefined {
  const [first] = args;
  const method = OF_LISTS.exec(site.name)?.[1];
  if (callee.kind === "unknown" && method !== undefined && first?.kind === "function") {
    return asMethod(state, { list: callee, method, args }, site);
  }
  // `eachLimit(list, 5, f)` is given how many may run at a time first.
  const ofLimit = /Limit$/u.test(site.name) ? args.slice(2) : [];
  const given = ofLimit[0]?.kind === "function" ? ofLimit : args.slice(1);
  const [second] = given;
  if (!first || second?.kind !== "function" || !isList(first)) return undefined;
  if (second.function.parameters.length === 0) return undefined;
  const named = METHODS.find(([pattern]) => pattern.test(site.name));
  if (named) {
    const [pattern, template] = named;
    const called = template === "$1" ? (pattern.exec(site.name)?.[1] ?? "") : template;
    const list = { list: first, method: called, args: given };
    const isAwaited = called === "map" || called === "forEach";
    if (!isAwaited || LIKE_METHODS.test(site.name)) {
      const made = asMethod(state, list, site);
      return called === "map" && made
        ? callBuiltin(state, { kind: "builtin", name: "Promise.all" }, [made], site)
        : made;
    }
    return besideOthers(state, list, pace(site.name, args), site);
  }
  if (site.isOnce) return undefined;
  // An argument of it is not an item then.
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

/** Helpers that do what lists' own methods do. */
const LIKE_METHODS = /^(?:_|lodash|fp|R|Ramda|remeda|underscore)\./u;

/**
 * How many rounds of a helper run at a time, undefined where that is not known: those that have begun when one fails go on,
 * and no further ones begin.
 */
type Pace = number | undefined;

const ALL = Number.POSITIVE_INFINITY;

/** How a helper that awaits what it runs goes on: `pMap(list, f, { concurrency })`, `async.eachLimit(list, 5, f)`. */
function pace(name: string, args: readonly Value[]): Pace {
  if (/Series$/u.test(name)) return 1;
  if (/Limit$/u.test(name)) return paceOf(args[1]);
  if (/^async\./u.test(name)) return ALL;
  if (!/(?:^|\.)p(?:Map|Each)$|^(?:\w*Promise|[bB]luebird|[pP])\.(?:map|each)$/u.test(name)) return undefined; // prettier-ignore
  // Bluebird's `each` is its series.
  if (/\.each$/u.test(name)) return 1;
  const [, , options] = args;
  if (!options || options.kind === "undefined") return ALL;
  if (options.kind !== "object" || options.rest) return undefined;
  const stops = constantScalar(options.fields.get("stopOnError")?.value);
  const limit = options.fields.get("concurrency")?.value;
  if (limit === undefined || limit.kind === "undefined") return ALL;
  // Without stopping, all begin, one by one if need be.
  return stops === false ? ALL : paceOf(limit);
}

function paceOf(limit: Value | undefined): Pace {
  const isEndless = limit?.kind === "external" || limit?.kind === "builtin";
  if (isEndless && /(?:^|\.)(?:POSITIVE_INFINITY|Infinity)$/u.test(limit.name)) return ALL;
  const known = constantScalar(limit);
  return typeof known === "number" ? known : undefined;
}

/** Runs a function for all items as `Promise.all` runs them, and says what is not known of it where one may fail. */
function besideOthers(
  state: State,
  { list, method, args }: { list: Value; method: string; args: readonly Value[] },
  how: Pace,
  site: CallSite,
): Value {
  const { isHeld, isLeaving, ...awaited } = site;
  const source = sourceOf(state, site.span);
  const run = (): Value => {
    const own: CallSite = how === 1 ? awaited : { ...awaited, isHeld: true };
    const made = asMethod(state, { list, method: "map", args }, own) ?? UNDEFINED;
    const begun = how ?? 1;
    const isWhole = made.kind === "list" ? made.items.length <= begun : begun === ALL;
    if (how !== 1 && !isWhole && mayReject(made)) {
      const reason = `which further items ${site.name}() begins once one of them fails is not known`;
      lose(state, reason, source);
    }
    const given = callBuiltin(state, { kind: "builtin", name: "Promise.all" }, [made], awaited);
    return method === "map" ? (given ?? UNDEFINED) : UNDEFINED;
  };
  return isHeld === true && !isAtTop(state) ? runPending(state, source, run, isLeaving) : run();
}

/** True if one of the promises of a list may hold an error that the code throws. */
function mayReject(made: Value): boolean {
  if (made.kind !== "list") return isRunning(made);
  return made.items.some(({ value }) => value !== undefined && rejectionOf(value) !== undefined);
}

function asMethod(
  state: State,
  { list, method, args }: { list: Value; method: string; args: readonly Value[] },
  site: CallSite,
): Value | undefined {
  return callBuiltin(state, { kind: "builtin", name: `list.${method}`, self: list }, args, site);
}

/** A list for sure, of more items than one may count. */
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
 * The arguments of a function that an unknown function runs: what `input` says of its parameters, unless the unknown was
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
