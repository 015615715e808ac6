// Clients that callers may leave out, told by what stands in for them: `tx ?? prisma`, `(tx = prisma) => ...`.
import type { Value } from "../../values";
import type { State } from "../state";

/**
 * The client where the code takes an argument or, without one, a client: a client of the caller's transaction in one
 * reading of the function, in the other one the client that stands in. Undefined for all other values.
 */
export function givenOr(state: State, argument: Value, other: Value): Value | undefined {
  if (argument.kind !== "input" || argument.element) return undefined;
  if (other.kind !== "handle" || !other.connection) return undefined;
  if (state.lacks.isWithout) return other;
  state.lacks.given ??= argument.path;
  const id = `given:${argument.path}`;
  return { ...other, connection: { id, isPool: false, isGiven: true } };
}
