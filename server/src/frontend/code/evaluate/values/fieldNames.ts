// The names of what a record or row holds, where all of them are known.
import type { ObjectValue, Value } from "../../values";
import { noteRead } from "../lists/lastReads";

/** The field of a record that stands for all keys that are only known when it runs. */
export const ANY_KEY = "#any";

/** True if a record has been written under a key that is only known when it runs. */
export function hasAnyKey(value: ObjectValue): boolean {
  return value.fields.get(ANY_KEY)?.value !== undefined;
}

/** The names as the code writes them; undefined where there may be others. */
export function fieldNamesOf(value: Value): readonly string[] | undefined {
  switch (value.kind) {
    case "object":
      noteRead(value.fields);
      if (value.rest ?? value.pairs ?? value.fields.get(ANY_KEY)?.value) return undefined;
      return [...value.fields.keys()].filter((name) => name !== ANY_KEY);
    case "row": {
      const { order, renamed, related, relatedTo } = value.columns;
      if (order.length === 0) return undefined;
      const back = new Map([...(renamed ?? [])].map(([code, name]) => [name, code]));
      const names = order.map((name) => back.get(name) ?? name);
      const along = [...(related?.keys() ?? []), ...(relatedTo?.keys() ?? [])];
      return [...new Set([...names, ...along, ...value.overlay.keys()])];
    }
    default:
      return undefined;
  }
}
