// Parts of arguments that may themselves be missing: `data?.place`, and fields of `{ ...data }`.
import { UNDEFINED, type Value } from "../../values";
import type { State } from "../state";
import { leftOut, mayBeNothing } from "./absence";
import { choose, isNullish } from "./operators";

/** The value of an argument: left out where that may be. Constant time. */
export function ofPerhapsNothing(
  state: State,
  whole: Extract<Value, { kind: "input" }>,
  part: Value,
): Value {
  if (!mayBeNothing(whole)) return part;
  const isMissing = leftOut(whole) ?? isNullish(state, whole);
  switch (part.kind) {
    case "input":
      return { ...part, mayLack: true };
    case "scalar":
    case "choice":
    case "unknown":
    case "object":
    case "list":
      return choose(isMissing, UNDEFINED, part);
    default:
      return part;
  }
}
