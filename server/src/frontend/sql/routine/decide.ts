// Constant folding of conditions: `TG_OP = 'INSERT'` in the body of a trigger for an UPDATE.
import type { Expression } from "../../../program/expression";

/** The truth value of a condition; null for NULL, undefined if constants do not decide it. Linear. */
export function decide(condition: Expression): boolean | null | undefined {
  switch (condition.kind) {
    case "literal":
      return condition.value === null || typeof condition.value === "boolean"
        ? condition.value
        : undefined;
    case "not": {
      const operand = decide(condition.operand);
      return typeof operand === "boolean" ? !operand : operand;
    }
    case "and":
    case "or": {
      const decisive = condition.kind === "or";
      const operands = condition.operands.map(decide);
      if (operands.includes(decisive)) return decisive;
      if (operands.includes(undefined)) return undefined;
      return operands.includes(null) ? null : !decisive;
    }
    case "isNull":
      return condition.operand.kind === "literal" ? condition.operand.value === null : undefined;
    case "comparison":
      return compared(condition.left, condition.right, condition.operator);
    case "in": {
      const each = condition.values.map((value) => compared(condition.operand, value, "="));
      if (each.includes(true)) return true;
      if (each.includes(undefined)) return undefined;
      return each.includes(null) ? null : false;
    }
    default:
      return undefined;
  }
}

/** Texts are only compared for equality: their order is the database's. */
function compared(
  left: Expression,
  right: Expression,
  operator: string,
): boolean | null | undefined {
  if (left.kind !== "literal" || right.kind !== "literal") return undefined;
  if (left.value === null || right.value === null) return null;
  if (typeof left.value !== typeof right.value) return undefined;
  if (operator === "=") return left.value === right.value;
  if (operator === "<>") return left.value !== right.value;
  return undefined;
}
