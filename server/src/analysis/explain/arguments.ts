// Arguments of a witness, ordered by relevance.
import { walkCommand, walkExpression, walkStatement, type Visitor } from "../../frontend/sql/walk";
import type { Transaction } from "../../program/program";
import type { WitnessInstance } from "../../protocol/witness";
import type { ExecutedStep } from "../../store/execution";

/**
 * Sorts the instance's arguments: those that its executed statements mention come first, because they say which rows are concerned; the
 * others only led there. Those that not even a condition mentions are marked as indirect. Linear in the statements.
 */
export function withArgumentsByUse(
  each: WitnessInstance,
  transaction: Transaction | undefined,
  steps: readonly ExecutedStep[],
): WitnessInstance {
  const mentioned = new Set<string>();
  for (const { instance, source } of steps)
    if (instance === each.instance && source) walkStatement(source, collector(mentioned));
  const all = Object.entries(each.arguments);
  const isUsed = ([name]: (typeof all)[number]): boolean => mentioned.has(name);
  const ordered = [...all.filter(isUsed), ...all.filter((other) => !isUsed(other))];
  const indirect = transaction ? indirectOf(transaction) : [];
  const named = indirect.filter((name) => Object.hasOwn(each.arguments, name));
  return {
    ...each,
    arguments: Object.fromEntries(ordered),
    ...(named.length > 0 && { indirect: named }),
  };
}

/** The arguments that are there for functions outside of the database alone. */
function indirectOf({ parameters, body, preconditions }: Transaction): readonly string[] {
  const mentioned = new Set<string>();
  const collect = collector(mentioned);
  walkCommand(body, collect);
  for (const each of preconditions) walkExpression(each, [], collect);
  const passed = new Set(parameters.flatMap(({ of }) => of?.arguments ?? []));
  return [...passed].filter((name) => !mentioned.has(name));
}

function collector(names: Set<string>): Visitor {
  return {
    expression: (expression) => {
      if (expression.kind === "parameter") names.add(expression.name);
      if (expression.kind === "array") names.add(expression.parameter);
    },
  };
}
