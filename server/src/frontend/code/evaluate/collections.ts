// Lists and records that the code makes.
import type { ListValue, ObjectValue, Value } from "../values";
import { newCell, type State } from "./state";

/** Why an item is not known that stands for those of a list that is spread. */
export const SPREAD = "what is spread here is not known";

/** The items of a list that no loop has filled. */
export function itemsOf(value: Value): readonly Value[] | undefined {
  if (value.kind !== "list" || value.grown.value !== undefined) return undefined;
  return value.items.flatMap((cell) => (cell.value ? [cell.value] : []));
}

/** A list of the values. */
export function listOf(state: State, items: readonly Value[]): ListValue {
  return {
    kind: "list",
    items: items.map((item) => newCell(state, item)),
    grown: newCell(state, undefined),
  };
}

/** A record of the values. */
export function recordOf(state: State, fields: Readonly<Record<string, Value>>): ObjectValue {
  const cells = Object.entries(fields).map(
    ([name, value]) => [name, newCell(state, value)] as const,
  );
  return { kind: "object", fields: new Map(cells) };
}
