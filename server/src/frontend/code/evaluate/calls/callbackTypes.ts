// Arguments that a caller's function passes to its own callbacks, by its declared type.
import type { HirParameter } from "../../hir";
import type { Value } from "../../values";

/** The parts of the program that a parameter of its argument holds; undefined for all else. */
export function callbackArguments(
  callee: Value,
  argument: number,
): (parameter: HirParameter, at: number) => Value | undefined {
  return ({ type }, at) => {
    if (callee.kind !== "input" || type !== undefined) return undefined;
    const value = callee.gives?.(argument, at);
    return value?.kind === "object" || value?.kind === "handle" ? value : undefined;
  };
}
