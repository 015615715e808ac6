// Lists and records that the code makes.
import {
  constantScalar,
  unknown,
  type Cell,
  type ListValue,
  type ObjectValue,
  type Value,
} from "../../values";
import { readsOf } from "../values/convert";
import { bornNow, newCell, type State } from "../state";
import { noteRead } from "./lastReads";

/** The reason why an item is not known that stands for those of a list that is spread. */
export const SPREAD = "what is spread here is not known";

/** The items of a list that no loop has filled. */
export function itemsOf(value: Value): readonly Value[] | undefined {
  if (value.kind !== "list") return undefined;
  noteRead(value.grown);
  if (value.grown.value !== undefined) return undefined;
  return value.items.flatMap((cell) => (cell.value ? [cell.value] : []));
}

/** The items of a set, where it is known which of them are alike. */
export function distinctItems(value: Value): readonly Value[] | undefined {
  const items = itemsOf(value);
  if (!items || items.length < 2) return items;
  const known = items.map(constantScalar);
  return known.includes(undefined)
    ? undefined
    : items.filter((_, at) => known.indexOf(known[at]) === at);
}

/** The arguments that a list spreads to; those that a root was given as a rest are told by whoever takes them. */
export function spreadArguments(value: Value): readonly Value[] {
  if (value.kind === "input" && value.isRest === true) return [value];
  return itemsOf(value) ?? [unknown(SPREAD, readsOf(value))];
}

/** A list of the values. */
export function listOf(state: State, items: readonly Value[]): ListValue {
  return {
    kind: "list",
    items: items.map((item) => newCell(state, item)),
    grown: grownCell(state),
  };
}

/** The items that will be added to a new list behind those that are known, if not something already. */
export function grownCell(state: State, value?: Value): Cell {
  return { ...newCell(state, value), isGrown: true };
}

/** A record of the values. */
export function recordOf(state: State, fields: Readonly<Record<string, Value>>): ObjectValue {
  const cells = Object.entries(fields).map(
    ([name, value]) => [name, newCell(state, value)] as const,
  );
  return { kind: "object", fields: new Map(cells), born: bornNow(state) };
}
