// The names of what a record or row holds, where all of them are known.
import type { Value } from "../values";

/** The names as the code writes them; undefined where there may be others. */
export function fieldNamesOf(value: Value): readonly string[] | undefined {
  switch (value.kind) {
    case "object":
      return value.rest === undefined ? [...value.fields.keys()] : undefined;
    case "row": {
      const { order, renamed } = value.columns;
      const back = new Map([...(renamed ?? [])].map(([code, name]) => [name, code]));
      const names = order.map((name) => back.get(name) ?? name);
      return order.length === 0 ? undefined : [...new Set([...names, ...value.overlay.keys()])];
    }
    default:
      return undefined;
  }
}
