// Arguments of a witness, ordered by relevance.
import { walkStatement } from "../../frontend/sql/walk";
import type { WitnessInstance } from "../../protocol/witness";
import type { ExecutedStep } from "../../store/execution";

/**
 * Sorts the instance's arguments: those that its executed statements mention come first, because they say which rows are concerned; the
 * others only led there. Linear in the statements.
 */
export function withArgumentsByUse(
  each: WitnessInstance,
  steps: readonly ExecutedStep[],
): WitnessInstance {
  const mentioned = new Set<string>();
  for (const { instance, source } of steps) {
    if (instance !== each.instance || !source) continue;
    walkStatement(source, {
      expression: (expression) => {
        if (expression.kind === "parameter") mentioned.add(expression.name);
        if (expression.kind === "array") mentioned.add(expression.parameter);
      },
    });
  }
  const all = Object.entries(each.arguments);
  const isUsed = ([name]: (typeof all)[number]): boolean => mentioned.has(name);
  const ordered = [...all.filter(isUsed), ...all.filter((other) => !isUsed(other))];
  return { ...each, arguments: Object.fromEntries(ordered) };
}
