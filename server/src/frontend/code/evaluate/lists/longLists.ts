// Lists of so many known items that to take them one after the other would take too long: one stands for all of them.
import { unknown, unknownItem, type Value } from "../../values";
import { readsOf } from "../values/convert";
import type { CallSite, State } from "../state";
import { itemsOf } from "./collections";
import { callWithItem, NO_INDEX } from "./items";

/** More items are not told apart. */
const MOST_ITEMS = 64;

/** The items of a list, where they are known and few enough to be taken one after the other. */
export function fewItemsOf(list: Value): readonly Value[] | undefined {
  const items = itemsOf(list);
  return items && isLong(items) ? undefined : items;
}

/** True if there are too many items to take one after the other. */
export function isLong(items: readonly Value[]): boolean {
  return items.length > MOST_ITEMS;
}

/** The value that stands for each of many items. */
export function oneOf(items: readonly Value[]): Value {
  const reads = new Set(items.flatMap((item) => readsOf(item)));
  return unknownItem(`an item of a list of more than ${String(MOST_ITEMS)}`, [...reads]);
}

/** The result of a function without effects for a long list; undefined where the list is not long. */
export function askedOfMany(
  state: State,
  list: Value,
  by: Value,
  site: CallSite,
): Value | undefined {
  const items = itemsOf(list);
  if (!items || !isLong(items)) return undefined;
  const item = oneOf(items);
  const answer = callWithItem(state, by, item, NO_INDEX, site);
  return unknown(`${site.name} asks a list of more than ${String(MOST_ITEMS)} items`, [
    ...readsOf(item),
    ...readsOf(answer),
  ]);
}
