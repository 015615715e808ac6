// Results of functions of the workspace that are not followed.
import type { Value } from "../../values";
import { externalResult } from "../builtins/builtins";
import { valueFromOutside } from "../values/outside";
import type { State } from "../state";

type FunctionValue = Extract<Value, { kind: "function" }>;

/**
 * The result of a function that is not followed: a function of its arguments, and where it, or what it names, asks for
 * something new each time (random bytes, the time), a new value with each call.
 */
export function unfollowedResult(
  state: State,
  callee: FunctionValue,
  name: string,
  args: readonly Value[],
): Value {
  const result = externalResult(state, name, callee, args);
  const isSame = result.kind === "scalar" && result.expression.kind === "call";
  if (!isSame || ![callee, ...args].some((each) => makesNew(state, each))) return result;
  return valueFromOutside(state, name);
}

function makesNew({ workspace }: State, value: Value): boolean {
  if (value.kind !== "function") return false;
  return workspace.leads.extentOf(value.scope.module.file, value.function).makesNew;
}
