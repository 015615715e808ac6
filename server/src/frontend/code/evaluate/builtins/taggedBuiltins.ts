// Either and Option of fp-ts: records with a tag, and the questions after it.
import { textOf, UNDEFINED, type Value } from "../../values";
import { recordOf } from "../lists/collections";
import { memberOf } from "../values/member";
import { binary, overChoice } from "../values/operators";
import type { CallSite, State } from "../state";
import type { Builtin } from "./builtin";

/** By the names that `taggedModule` gives. */
export const TAGGED_BUILTINS: Readonly<Record<string, Builtin>> = {
  "Either.right": ({ state, args: [value = UNDEFINED] }) =>
    recordOf(state, { _tag: textOf("Right"), right: value }),
  "Either.left": ({ state, args: [value = UNDEFINED] }) =>
    recordOf(state, { _tag: textOf("Left"), left: value }),
  "Either.isLeft": hasTag("Left"),
  "Either.isRight": hasTag("Right"),
  "Option.some": ({ state, args: [value = UNDEFINED] }) =>
    recordOf(state, { _tag: textOf("Some"), value }),
  "Option.isSome": hasTag("Some"),
  "Option.isNone": hasTag("None"),
};

function hasTag(tag: string): Builtin {
  return ({ state, args: [value = UNDEFINED], site }) =>
    binary(state, "===", tagOf(state, value, site), textOf(tag));
}

function tagOf(state: State, value: Value, site: CallSite): Value {
  if (value.kind === "choice") return overChoice(value, (part) => tagOf(state, part, site));
  if (value.kind === "builtin" && value.name === "Option.none") return textOf("None");
  return memberOf(state, value, "_tag", site.span);
}
