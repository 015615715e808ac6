// Weak references: one value among others, of which nobody knows which.
import type { Value } from "../../values";

/** True if a value is one of the things that the code holds, of which it is not known which. */
export function isKept(value: Value): value is Extract<Value, { kind: "unknown" }> {
  return value.kind === "unknown" && value.among !== undefined;
}

/** True if a value is a method of something that the code may have put into the global object. */
export function isGlobalSlot(value: Value): boolean {
  return value.kind === "builtin" && /^globalThis\.[^.]+\.[^.]+/u.test(value.name);
}
