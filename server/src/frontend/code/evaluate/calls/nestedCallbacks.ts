// Functions in the records and lists that something unknown is given: `run({ onRow(row) { ... } })`. When it runs them, and
// how often, is its own business.
import type { Value } from "../../values";
import { itemsOf } from "../lists/collections";

type FunctionValue = Extract<Value, { kind: "function" }>;

/** Records that hold functions, one in the other, up to which these are found. */
const DEEPEST = 3;

/** The functions that plain records and lists among values hold, each once. Linear in these. */
export function heldFunctions(values: readonly Value[]): readonly FunctionValue[] {
  const found = new Set<FunctionValue>();
  const add = (value: Value | undefined, depth: number): void => {
    if (!value || depth > DEEPEST) return;
    if (value.kind === "function" && depth > 0) found.add(value);
    else if (value.kind === "choice") {
      add(value.then, depth);
      add(value.otherwise, depth);
    } else if (value.kind === "list") for (const each of itemsOf(value) ?? []) add(each, depth + 1);
    else if (value.kind === "object" && !value.class) {
      for (const { value: part } of value.fields.values()) add(part, depth + 1);
    }
  };
  for (const each of values) add(each, 0);
  return [...found];
}
