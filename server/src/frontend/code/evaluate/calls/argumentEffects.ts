// Functions that are called for what they do to what they are given: nothing is done with what they give.
import { UNDEFINED, unknown, type Value } from "../../values";
import { setElement } from "../lists/arrays";
import { readsOf } from "../values/convert";
import { changeForeign } from "../values/foreignObjects";
import { foreignOf } from "../values/foreignValues";
import { setAnyMember } from "../values/member";
import { writeInside } from "../values/inputEffects";
import type { CallSite, State } from "../state";
import { ONLY_READS } from "./escapingArguments";

/** Names of functions that change the first thing that they are given. */
const CHANGES =
  /(?:^|[._])(?:shuffle|sort|reverse|fill|set|unset|assign|merge|extend|defaults|mutate|populate|append|push|pull|remove|insert|apply|patch|swap|splice|update)(?:[A-Z_]\w*)?$/u;

/** Those of these names that need nothing else. */
const CHANGES_ALONE = /(?:^|[._])(?:shuffle|sort|reverse|mutate|populate)(?:[A-Z_]\w*)?$/u;

/** Methods that change what they are called on: a collection is given a thing, or a key and a thing. */
const OF_RECEIVER = /\.(?:set|unset|fill|append|push|pull|remove|insert|splice)$/u;
const MOST_OF_COLLECTIONS = 2;
const OF_TOOLS = /(?:^|\.)(?:_|lodash|\w*[uU]tils?|\w*[hH]elpers?)\.\w+$/u;

function changesFirst(name: string, count: number): boolean {
  const isMethod = count <= MOST_OF_COLLECTIONS && OF_RECEIVER.test(name) && !OF_TOOLS.test(name);
  return !isMethod && (count > 1 ? CHANGES : CHANGES_ALONE).test(name);
}

/** Notes what an unknown function makes of its arguments. What is awaited changes something elsewhere. */
export function changedByFunction(
  state: State,
  args: readonly Value[],
  { name, isUnused, isAwaited }: CallSite,
): void {
  if (isUnused !== true || isAwaited === true) return;
  for (const [at, arg] of args.entries()) {
    const others = args.filter((_, other) => other !== at);
    const foreign = foreignOf(arg);
    if (foreign) {
      if (others.length > 0 && !ONLY_READS.test(name)) changeForeign(state, foreign, name, others);
    } else if (at === 0 && changesFirst(name, args.length)) {
      const reads = args.flatMap((each) => readsOf(each));
      replace(state, arg, unknown(`what ${name}() makes of what it is given is not known`, reads));
    }
  }
}

function replace(state: State, value: Value, by: Value): void {
  if (value.kind === "choice") {
    replace(state, value.then, by);
    replace(state, value.otherwise, by);
  } else if (value.kind === "list") setElement(state, value, UNDEFINED, by);
  else if (value.kind === "input") writeInside(state, value, by);
  else setAnyMember(state, value, by);
}
