// Searches in lists that callers give: `session.organizations.find((each) => each.id === id)`. Callers may give any item
// for which the test holds, or none.
import type { Expression } from "../../../../program/expression";
import { connective } from "../../../sql/terms";
import { UNDEFINED, type Value } from "../../values";
import { calculatedCondition } from "../calls/pureFunctions";
import { FOUND } from "../values/dynamicKeys";
import { inputExpression, isTooLarge, negate } from "../values/convert";
import { choose } from "../values/operators";
import type { State } from "../state";

type Input = Extract<Value, { kind: "input" }>;

/**
 * The item of an argument for which a test holds: an argument of its own, and nothing where it is NULL or the test does not
 * hold. One and the same however often it is searched for. Undefined where the list is searched by another test as well, whose
 * items may be the same, and where each round of a loop may have another.
 */
export function searchedInput(
  state: State,
  list: Input,
  test: (item: Value) => Expression,
): Value | undefined {
  if (list.element || list.isOnce || state.loops.length > 0) return undefined;
  const path = list.path + FOUND;
  const item: Input = { kind: "input", path, origin: list.origin };
  const holds = calculatedCondition(state, () => test(item));
  if (!holds || isTooLarge(holds)) return undefined;
  const own = JSON.stringify(holds);
  if ((state.searches.get(path) ?? own) !== own) return undefined;
  state.searches.set(path, own);
  const isThere = negate({ kind: "isNull", operand: inputExpression(item) });
  return choose(connective("and", [isThere, holds]), item, UNDEFINED);
}
