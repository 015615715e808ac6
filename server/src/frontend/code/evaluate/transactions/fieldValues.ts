// Fields of objects of nominal classes: what they are without an assignment, and what they tell of an object.
import type { HirField } from "../../hir";
import { constant, type ObjectValue, type Scope, type Value } from "../../values";
import { semanticsOf } from "../../semantics";

/** Java's value of a field of a new object to which nothing is assigned. */
export function unassigned({ type = "" }: HirField, { module }: Scope): Value | undefined {
  if (semanticsOf(module.file).hasStructuralTypes) return undefined;
  if (!/^[a-z]+$/u.test(type)) return constant(null);
  return constant(type === "boolean" ? false : 0);
}

/** True if something in an object is code: an object of a service. */
export function hasCode({ fields }: ObjectValue): boolean {
  return [...fields.values()].some(
    ({ value }) => value?.kind === "handle" || value?.kind === "object" || value?.kind === "external", // prettier-ignore
  );
}
