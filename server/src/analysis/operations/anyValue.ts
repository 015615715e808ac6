// Unknown values, the same at every use within one instance.
import type { Term } from "./operation";
import { conditional } from "./terms";

/** Prefix of the ids of arbitrary rounds' indexes. */
export const ANY = "any ";

/** True if the term is the index of an arbitrary round. */
export function isAnyRound(term: Term): boolean {
  return term.kind === "unknown" && term.id.startsWith(ANY);
}

/** Any value including NULL; the same for the same id within an instance. */
export function anyValue(id: string): Term {
  return conditional(
    { kind: "unknown", id: `${ANY}null ${id}`, type: "bool" },
    { kind: "null" },
    { kind: "unknown", id: `${ANY}${id}`, type: "int" },
  );
}
