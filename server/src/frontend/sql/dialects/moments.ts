// Moments that are later or earlier by an interval, as MySQL and MariaDB write it.
import type { Expression } from "../../../program/expression";
import { movedInSql, unitOfName } from "../../../program/moments";
import type { SyntaxExpression } from "./syntax";
import type { Expressions } from "./work";

/** `moment + INTERVAL 1 DAY`, with `-` or the interval first; undefined for all other operators. */
export function momentOperator(
  operator: string,
  left: SyntaxExpression,
  right: SyntaxExpression,
  of: Expressions,
): Expression | undefined {
  if (operator === "-") return movedMoment(left, right, -1, of);
  if (operator !== "+") return undefined;
  return left.kind === "interval"
    ? movedMoment(right, left, 1, of)
    : movedMoment(left, right, 1, of);
}

/** A moment moved by an interval; undefined where the second is none, or of a unit that is not known. */
export function movedMoment(
  moment: SyntaxExpression,
  interval: SyntaxExpression,
  sign: 1 | -1,
  of: Expressions,
): Expression | undefined {
  if (interval.kind !== "interval") return undefined;
  const unit = unitOfName(interval.unit);
  if (unit === undefined) return undefined;
  return movedInSql(of.value(moment, of), of.value(interval.amount, of), unit, sign);
}
