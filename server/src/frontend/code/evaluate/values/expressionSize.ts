// How large expressions are. Those of a few parts, which most are, are counted anew: to look them up takes longer.
import { ofNode } from "../../../../query/nodes";
import type { Expression } from "../../../../program/expression";
import { operandsOf } from "../../../../program/operands";

/** Smaller expressions are not kept. */
const LEAST_KEPT = 16;

/** How many parts an expression has when it is written out; what is shared counts wherever it stands. */
export function sizeOf(expression: Expression): number {
  switch (expression.kind) {
    case "literal":
    case "parameter":
    case "variable":
    case "field":
    case "size":
    case "affected":
    case "column":
    case "fresh":
      return 1;
    case "not":
    case "isNull":
    case "negate":
      return 1 + sizeOf(expression.operand);
    default:
  }
  const small = upTo(expression, LEAST_KEPT);
  if (small < LEAST_KEPT) return small;
  return largeSize(expression);
}

const largeSize = ofNode((expression: Expression): number => {
  let size = 1;
  for (const part of operandsOf(expression)) size += sizeOf(part);
  return size;
});

/** The size where it is less than `most`; else `most` or more. Visits no more parts than that. */
function upTo(expression: Expression, most: number): number {
  let size = 1;
  for (const part of operandsOf(expression)) {
    if (size >= most) return size;
    size += upTo(part, most - size);
  }
  return size;
}
