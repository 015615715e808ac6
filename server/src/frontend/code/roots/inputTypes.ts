// The types of arguments and of array arguments' elements, after statements have determined them.
import type { Expression, ValueType } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import type { Call } from "../../../program/operands";
import { literal } from "../../sql/expressions";
import { withParts } from "../../sql/dialectDetection/sharedParts";
import { compare, connective } from "../../sql/terms";
import type { ParameterTypes } from "../../sql/types";
import { TRUTH } from "../evaluate/values/convert";

/**
 * Gives arrays the types of their elements, and resolves tests for truthiness by type. Parts that were shared stay shared; linear in the
 * parts, each counted once.
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

/** Replaces a test for truthiness by one for the value's type, or drops it if any value is truthy. */
function withoutTruth(part: object, types: ParameterTypes): object {
  if (!("kind" in part) || part.kind !== "and" || !("operands" in part)) return part;
  // Only expressions are of that kind.
  const { operands } = part as { readonly operands: readonly Expression[] };
  if (!operands.some((each) => each.kind === "call" && each.name === TRUTH)) return part;
  return connective(
    "and",
    operands.flatMap((each) =>
      each.kind === "call" && each.name === TRUTH ? truth(each, types) : [each],
    ),
  );
}

function truth(call: Call, types: ParameterTypes): readonly Expression[] {
  const [operand] = call.arguments;
  if (!operand) return [];
  switch (typeOf(operand, types)) {
    case "int":
    case "decimal":
      return [compare("<>", operand, literal(0))];
    case "text":
      return [compare("<>", operand, literal(""))];
    case "bool":
      return [operand];
    case undefined:
      // Only its truthiness is tested.
      return operand.kind === "parameter" || operand.kind === "element" ? [operand] : [call];
    default:
      return [];
  }
}

function typeOf(operand: Expression, types: ParameterTypes): ValueType | undefined {
  const { scalars, elements, variables } = types;
  switch (operand.kind) {
    case "parameter":
      return scalars.get(operand.name);
    case "variable":
      return variables.get(operand.name);
    case "element":
      return operand.array.kind === "array" ? elements.get(operand.array.parameter) : undefined;
    case "literal":
      return operand.value === null ? undefined : operand.type;
    case "conditional":
      return typeOf(operand.then, types) ?? typeOf(operand.otherwise, types);
    case "coalesce":
      return operand.operands.map((each) => typeOf(each, types)).find((each) => each !== undefined);
    case "arithmetic":
      return operand.operator === "||" ? "text" : "decimal";
    default:
      return undefined;
  }
}

function typedArray(part: object, types: ReadonlyMap<string, ValueType>): object | undefined {
  const isArray = "kind" in part && part.kind === "array" && "parameter" in part;
  if (!isArray || typeof part.parameter !== "string") return undefined;
  const elements = types.get(part.parameter);
  return elements === undefined ? part : { ...part, elements };
}
