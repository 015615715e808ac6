// Comparisons of the language, which are true or false where SQL's are NULL: only under NOT that is another thing.
import type { Expression } from "../../../../program/expression";
import { connective } from "../../../sql/terms";

/** The operand of NOT, in which what is compared with a constant and is not there differs from it. Linear in AND and OR. */
export function toldFromNull(operand: Expression, there: readonly Expression[] = []): Expression {
  switch (operand.kind) {
    case "and":
    case "or": {
      const known = operand.kind === "and" ? [...there, ...presentIn(operand.operands)] : there;
      const told = operand.operands.map((each) => toldFromNull(each, known));
      const isSame = told.every((each, at) => each === operand.operands[at]);
      return isSame ? operand : connective(operand.kind, told);
    }
    case "comparison": {
      const { left, right, operator } = operand;
      if (operator !== "=" || !isConstant(right) || !mayBeNull(left)) return operand;
      return there.includes(left) ? operand : { kind: "sameValue", left, right };
    }
    default:
      return operand;
  }
}

/** Values that a conjunction says are there: then a comparison that is NULL makes it no less false. */
function presentIn(operands: readonly Expression[]): readonly Expression[] {
  return operands.flatMap((each) =>
    each.kind === "not" && each.operand.kind === "isNull" ? [each.operand.operand] : [],
  );
}

/** The plain comparison for one that tells NULL from a constant: as good where no NOT is around it. */
export function plainComparison(condition: Expression): Expression {
  if (condition.kind !== "sameValue" || !isConstant(condition.right)) return condition;
  const { left, right } = condition;
  return { kind: "comparison", operator: "=", left, right };
}

function isConstant(expression: Expression): boolean {
  return expression.kind === "literal" && expression.value !== null;
}

function mayBeNull({ kind }: Expression): boolean {
  return kind !== "size" && kind !== "affected" && kind !== "fresh";
}
