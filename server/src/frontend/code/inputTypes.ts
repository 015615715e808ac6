// The types of arguments and of the elements of those that are arrays, once statements have told them.
import type { Expression, ValueType } from "../../program/expression";
import type { Command } from "../../program/statement";
import { literal } from "../sql/expressions";
import { compare, joined } from "../sql/terms";
import type { ParameterTypes } from "../sql/types";
import { TRUTH } from "./evaluate/convert";

/**
 * The command in which arrays have the types of their elements, and in which what the code asks for being true is asked
 * by its type. What several parts share they share afterwards; linear in the parts, each counted once.
 */
export function withInputTypes(command: Command, types: ParameterTypes): Command {
  const known = new Map<object, object>();
  const typed = (part: object): object => {
    const before = known.get(part);
    if (before) return before;
    const own = typedArray(part, types.elements) ?? withoutTruth(withParts(part, typed), types);
    known.set(part, own);
    return own;
  };
  // The same properties with values of the same types.
  return typed(command) as Command;
}

/** A conjunction in which tests of what is true are tests of a number or text, or are left out for all else. */
function withoutTruth(part: object, types: ParameterTypes): object {
  if (!("kind" in part) || part.kind !== "and" || !("operands" in part)) return part;
  // Only expressions are of that kind.
  const { operands } = part as { readonly operands: readonly Expression[] };
  if (!operands.some((each) => each.kind === "call" && each.name === TRUTH)) return part;
  return joined(
    "and",
    operands.flatMap((each) =>
      each.kind === "call" && each.name === TRUTH ? truth(each.arguments[0], types) : [each],
    ),
  );
}

function truth(
  operand: Expression | undefined,
  { scalars, elements }: ParameterTypes,
): readonly Expression[] {
  const type =
    operand?.kind === "parameter"
      ? scalars.get(operand.name)
      : operand?.kind === "element" && operand.array.kind === "array"
        ? elements.get(operand.array.parameter)
        : undefined;
  if (!operand) return [];
  switch (type) {
    case "int":
    case "decimal":
      return [compare("<>", operand, literal(0))];
    case "text":
      return [compare("<>", operand, literal(""))];
    case "bool":
      return [operand];
    default:
      return [];
  }
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
