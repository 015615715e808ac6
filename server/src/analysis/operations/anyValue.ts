// Values of which nothing is known but that they are the same wherever they are used, within one instance.
import type { Term } from "./operation";
import { conditional } from "./terms";

/** Indices that stand for any round have ids that start so. */
export const ANY = "any ";

/** True if the term is the number of some round. */
export function isAnyRound(term: Term): boolean {
  return term.kind === "unknown" && term.id.startsWith(ANY);
}

/** Any value, NULL included; the same for the same id within an instance. */
export function anyValue(id: string): Term {
  return conditional(
    { kind: "unknown", id: `${ANY}null ${id}`, type: "bool" },
    { kind: "null" },
    { kind: "unknown", id: `${ANY}${id}`, type: "int" },
  );
}
