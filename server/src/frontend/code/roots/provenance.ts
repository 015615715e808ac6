// Provenance of unknown values.
import type { Expression } from "../../../program/expression";
import { operandsOf } from "../../../program/operands";

/** True if an expression does not read the database. */
export function isInput(expression: Expression): boolean {
  return isFree(expression, isInput);
}

/** Like `isInput`, but accepts any item of an argument, as in the iterations of a loop. */
export function isOfInputs(expression: Expression): boolean {
  if (expression.kind === "element") return isInput(expression.array);
  return isFree(expression, isOfInputs);
}

function isFree(expression: Expression, isPart: (part: Expression) => boolean): boolean {
  switch (expression.kind) {
    case "field":
    case "size":
    case "affected":
    case "variable":
    case "unknown":
    case "subquery":
    case "exists":
    case "inQuery":
    case "among":
      return false;
    default:
      return operandsOf(expression).every(isPart);
  }
}

/**
 * A small set of reads that represents many: each once, reads of the database first. Unknown values are often derived from other unknown
 * values; keeping all reads would double them with each step.
 */
export function fewReads(reads: readonly Expression[]): readonly Expression[] {
  if (reads.length <= MOST_READS) return reads;
  const distinct = [...new Set(reads)];
  if (distinct.length <= MOST_READS) return distinct;
  const ofDatabase = distinct.filter((each) => !isInput(each));
  return [...ofDatabase, ...distinct.filter(isInput)].slice(0, MOST_READS);
}

/** A set of as many reads stands for any. */
export const MOST_READS = 64;
