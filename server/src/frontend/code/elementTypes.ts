// The types of the elements of arrays among the arguments, once statements have told them.
import type { ValueType } from "../../program/expression";
import type { Command } from "../../program/statement";

/**
 * The command in which arrays have the types of their elements, by the arrays' names. What several parts share they
 * share afterwards; linear in the parts, each counted once.
 */
export function withElementTypes(command: Command, types: ReadonlyMap<string, ValueType>): Command {
  if (types.size === 0) return command;
  const known = new Map<object, object>();
  const typed = (part: object): object => {
    const before = known.get(part);
    if (before) return before;
    const own = typedArray(part, types) ?? withParts(part, typed);
    known.set(part, own);
    return own;
  };
  // The same properties with values of the same types.
  return typed(command) as Command;
}

function typedArray(part: object, types: ReadonlyMap<string, ValueType>): object | undefined {
  const isArray = "kind" in part && part.kind === "array" && "parameter" in part;
  if (!isArray || typeof part.parameter !== "string") return undefined;
  const elements = types.get(part.parameter);
  return elements === undefined ? part : { ...part, elements };
}

/** The part itself where none of its own parts changes. */
function withParts(part: object, map: (inner: object) => object): object {
  let changed: Record<string, unknown> | undefined;
  const entries = Object.entries(part) as [string, unknown][];
  for (const [key, value] of entries) {
    if (typeof value !== "object" || value === null || key === "source") continue;
    const own = map(value);
    if (own === value) continue;
    changed ??= Object.fromEntries(entries);
    changed[key] = own;
  }
  if (!changed) return part;
  return Array.isArray(part) ? Object.values(changed) : changed;
}
