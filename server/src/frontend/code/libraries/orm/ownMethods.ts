// Methods that a model's class gives to its rows: they change the row and run statements as any other function.
import type { Value } from "../../values";
import type { Call, ClassValue, Tools } from "../library";
import { isRowData } from "./statements";

const DEEPEST = 8;

/** What such a method gives; undefined where the class, or one that it extends, has none of that name. */
export function ownMethod(
  row: Value,
  method: string,
  { arguments: args, source }: Call,
  tools: Tools,
): Value | undefined {
  if (row.kind !== "row" || !isRowData(row.data)) return undefined;
  let of: ClassValue | undefined = row.data.model.class;
  for (let depth = 0; of && depth < DEEPEST; depth += 1) {
    const found = of.class.methods.find((each) => each.name === method && !each.isStatic);
    if (found) {
      const callee = { kind: "function", function: found.function, scope: of.scope, self: row } as const; // prettier-ignore
      return tools.call(callee, args, source);
    }
    of = parentOf(of);
  }
  return undefined;
}

function parentOf({ class: { superclass }, scope }: ClassValue): ClassValue | undefined {
  const parent = superclass === undefined ? undefined : scope.module.lookup(superclass);
  return parent?.kind === "class" ? parent : undefined;
}
