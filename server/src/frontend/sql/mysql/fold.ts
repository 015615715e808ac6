// Partial evaluation of conditions with known values of some variables: the remainder of `IF done` after FETCH found no row.
import type { Expression } from "../../../program/expression";

export type Constants = ReadonlyMap<string, number>;

/** The truth value of a condition; undefined if the known variables do not decide it. Linear in the expression. */
export function holds(condition: Expression, known: Constants): boolean | undefined {
  const value = folded(condition, known);
  return value === undefined ? undefined : value !== 0;
}

/** The value as a number, with 1 and 0 for true and false. */
function folded(expression: Expression, known: Constants): number | undefined {
  switch (expression.kind) {
    case "literal":
      if (typeof expression.value === "boolean") return expression.value ? 1 : 0;
      return typeof expression.value === "number" ? expression.value : undefined;
    case "variable":
      return known.get(expression.name);
    case "not": {
      const operand = folded(expression.operand, known);
      return operand === undefined ? undefined : truth(operand === 0);
    }
    case "and":
    case "or": {
      const values = expression.operands.map((each) => folded(each, known));
      const decides = expression.kind === "or";
      if (values.some((each) => each !== undefined && (each !== 0) === decides)) {
        return truth(decides);
      }
      return values.includes(undefined) ? undefined : truth(!decides);
    }
    case "comparison": {
      const left = folded(expression.left, known);
      const right = folded(expression.right, known);
      if (left === undefined || right === undefined) return undefined;
      return truth(COMPARE[expression.operator](left, right));
    }
    case "conditional": {
      const condition = folded(expression.condition, known);
      if (condition === undefined) return undefined;
      return folded(condition === 0 ? expression.otherwise : expression.then, known);
    }
    default:
      return undefined;
  }
}

function truth(value: boolean): number {
  return value ? 1 : 0;
}

const COMPARE = {
  "=": (left: number, right: number): boolean => left === right,
  "<>": (left: number, right: number): boolean => left !== right,
  "<": (left: number, right: number): boolean => left < right,
  "<=": (left: number, right: number): boolean => left <= right,
  ">": (left: number, right: number): boolean => left > right,
  ">=": (left: number, right: number): boolean => left >= right,
} as const;
