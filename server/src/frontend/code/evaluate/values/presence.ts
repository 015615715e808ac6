// Which rows a condition tells to be there, so that the code may ask them for fields.
import type { Expression } from "../../../../program/expression";
import type { State } from "../state";

/** The results, and questions about rows, that surely have a row where the condition is (or, negated, is not) true. */
export function presentIn(condition: Expression, isTrue: boolean): readonly string[] {
  switch (condition.kind) {
    case "not":
      return presentIn(condition.operand, !isTrue);
    case "and":
      return isTrue ? condition.operands.flatMap((part) => presentIn(part, true)) : [];
    case "or":
      return isTrue ? [] : condition.operands.flatMap((part) => presentIn(part, false));
    case "among":
      return isTrue && condition.function === "any" ? [condition.loop] : [];
    case "comparison": {
      const { left, right, operator } = condition;
      if (left.kind !== "size" || right.kind !== "literal") return [];
      const number = Number(right.value);
      const holds = { ">": number >= 0, ">=": number > 0, "=": number > 0, "<>": number === 0 };
      const fails = { "<=": number >= 0, "<": number > 0, "<>": number > 0, "=": number === 0 };
      const tells: Readonly<Record<string, boolean | undefined>> = isTrue ? holds : fails;
      return tells[operator] === true ? [left.result] : [];
    }
    default:
      return [];
  }
}

/** From here on, the condition is known to hold, or not to. */
export function knowing(state: State, condition: Expression, isTrue: boolean): void {
  const more = presentIn(condition, isTrue);
  if (more.length > 0) state.present = new Set([...state.present, ...more]);
}
