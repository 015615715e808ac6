// Rows that leave the function: what its caller, or something unknown, comes to see.
import type { Expression } from "../../../../program/expression";
import { operandsOf } from "../../../../program/operands";
import { ofNode } from "../../../../query/nodes";
import type { Value } from "../../values";
import type { State } from "../state";
import { readsOf } from "./convert";
import { sizeOf } from "./expressionSize";

/** Marks the results whose rows a value holds: they leave the function. */
export function escape(state: State, value: Value, depth = 6): void {
  if (depth === 0) return;
  const inner = (cell: { readonly value: Value | undefined }): void => {
    if (cell.value) escape(state, cell.value, depth - 1);
  };
  switch (value.kind) {
    case "row":
    case "rows":
      state.escaped.add(value.result);
      return;
    case "object":
      for (const cell of value.fields.values()) inner(cell);
      return;
    case "list":
      for (const cell of [...value.items, value.grown]) inner(cell);
      return;
    case "joined":
      for (const part of value.parts) escape(state, part, depth - 1);
      return;
    case "derived":
      escape(state, value.from, depth - 1);
      return;
    case "choice":
      escape(state, value.then, depth - 1);
      escape(state, value.otherwise, depth - 1);
      return;
    case "scalar":
    case "text":
    case "unknown":
      for (const read of readsOf(value)) escapeReads(state, read);
      return;
    default:
      return;
  }
}

function escapeReads(state: State, expression: Expression): void {
  if (expression.kind === "field" || expression.kind === "size") {
    state.escaped.add(expression.result);
  } else if (sizeOf(expression) < LEAST_KEPT) {
    for (const part of operandsOf(expression)) escapeReads(state, part);
  } else {
    for (const result of resultsIn(expression)) state.escaped.add(result);
  }
}

/** Smaller expressions are not kept: to look one up takes longer. */
const LEAST_KEPT = 16;

/** The results that an expression reads; parts that several share are gone over once. */
function resultsIn(expression: Expression): readonly string[] {
  if (expression.kind === "field" || expression.kind === "size") return [expression.result];
  const operands = operandsOf(expression);
  return operands.length === 0 ? [] : resultsInside(expression);
}

const resultsInside = ofNode((expression: Expression): readonly string[] => {
  const own = expression.kind === "among" ? [expression.result] : [];
  return [...new Set([...own, ...operandsOf(expression).flatMap(resultsIn)])];
});
