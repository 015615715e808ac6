// What the code keeps among others, where it is not told from them which one it is.
import type { Value } from "../../values";

/** Whether a value is one of the things that the code holds, of which it is not known which. */
export function isKept(value: Value): value is Extract<Value, { kind: "unknown" }> {
  return value.kind === "unknown" && IS_KEPT.test(value.why);
}

/** Whether a value is a method of something that the code may have put into the global object. */
export function isGlobalSlot(value: Value): boolean {
  return value.kind === "builtin" && /^globalThis\.[^.]+\.[^.]+/u.test(value.name);
}

const IS_KEPT =
  /changes from call to call$|^an (?:element|item|entry) |^a(?: map is asked for| computed key)|^what a (?:map holds|loop|finally|promise)|^the (?:first item|rest of)|^it changes |^which /u;
