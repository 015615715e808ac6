// Methods that a model's class gives to its rows: they change the row and run statements as any other function.
import { innerScope } from "../../evaluate/bindings";
import type { HirFunction } from "../../hir";
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
    const found = functionNamed(of, method);
    if (found) {
      const scope = found.isArrow ? innerScope(of.scope, row) : of.scope;
      return tools.call({ kind: "function", function: found, scope, self: row }, args, source);
    }
    of = parentOf(of);
  }
  return undefined;
}

/** A method, or a function that a field is given. */
function functionNamed(
  { class: { methods, fields } }: ClassValue,
  name: string,
): HirFunction | undefined {
  const method = methods.find((each) => each.name === name && !each.isStatic);
  if (method) return method.function;
  const value = fields.find((each) => each.name === name && !each.isStatic)?.value;
  return value?.kind === "function" ? value.function : undefined;
}

function parentOf({ class: { superclass }, scope }: ClassValue): ClassValue | undefined {
  const parent = superclass === undefined ? undefined : scope.module.lookup(superclass);
  return parent?.kind === "class" ? parent : undefined;
}
