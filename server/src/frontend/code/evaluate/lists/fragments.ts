// Lists of parts of queries, whose items stand in one text: two of them stand for all.
import { literal } from "../../../sql/expressions";
import { UNDEFINED, type Value } from "../../values";
import { speculate } from "../fork";
import type { CallSite, State } from "../state";
import { elementOf, itemOf } from "../values/member";
import { itemsOf } from "./collections";

/** Two rows take part in a dependency; beyond the end of an array is NULL, which nothing is equal to. */
const ELEMENTS = [1, 2];

/** The first two items of an argument, or of what is made of each of its items. */
export function firstElements(state: State, value: Value): readonly Value[] | undefined {
  if (value.kind === "derived" && value.how === "map") {
    const items = firstElements(state, value.from);
    return items && ELEMENTS.map((index) => itemOf(state, value, index - 1));
  }
  if (value.kind !== "input" || value.element) return undefined;
  return ELEMENTS.map((index) => elementOf(value, literal(index)));
}

/** The parts of a query that a function makes one: `parts.reduce((all, part) => sql`${all}, ${part}`)`; undefined of others. */
export function reducedParts(
  state: State,
  list: Value,
  by: Value,
  site: CallSite,
): Value | undefined {
  if (itemsOf(list)) return undefined;
  const [first] = speculate(state, () => firstElements(state, list)) ?? [];
  if (first?.kind !== "handle" || first.connection) return undefined;
  const [one = UNDEFINED, ...others] = firstElements(state, list) ?? [];
  return others.reduce((all, each) => state.evaluator.call(state, by, [all, each], site), one);
}
