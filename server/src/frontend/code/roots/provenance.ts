// Provenance of values that are not known.
import type { Expression } from "../../../program/expression";
import { operandsOf } from "../../../program/operands";

/** True if an expression is free of reads of the database. */
export function isInput(expression: Expression): boolean {
  return isFree(expression, isInput);
}

/** The same where it does not matter which item of an argument is taken, as in the rounds of a loop. */
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
 * The reads that stand for many: each once, those of the database first. What is not known is often made of others that
 * are not, whose reads would double with each step if all of them were kept.
 */
export function fewReads(reads: readonly Expression[]): readonly Expression[] {
  if (reads.length <= MOST_READS) return reads;
  const distinct = [...new Set(reads)];
  if (distinct.length <= MOST_READS) return distinct;
  const ofDatabase = distinct.filter((each) => !isInput(each));
  return [...ofDatabase, ...distinct.filter(isInput)].slice(0, MOST_READS);
}

const MOST_READS = 64;
