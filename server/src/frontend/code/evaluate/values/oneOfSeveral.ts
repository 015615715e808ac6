// What the code keeps among others, where it is not told from them which one it is.
import type { Value } from "../../values";

/** Whether a value is one of the things that the code holds, of which it is not known which. */
export function isKept(value: Value): value is Extract<Value, { kind: "unknown" }> {
  return value.kind === "unknown" && value.among !== undefined;
}

/** Whether a value is a method of something that the code may have put into the global object. */
export function isGlobalSlot(value: Value): boolean {
  return value.kind === "builtin" && /^globalThis\.[^.]+\.[^.]+/u.test(value.name);
}
