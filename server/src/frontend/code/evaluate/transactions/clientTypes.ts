// Clients of databases by the types that they are declared with, where nothing is known of what made them.
import type { Scope, Value } from "../../values";
import type { State } from "../state";
import { isCall } from "../values/outside";
import { meetType } from "../values/typeMeet";
import { hasConnection, heldValue } from "./instances";

/** Values that say nothing of what they are. */
const UNSAID: ReadonlySet<Value["kind"]> = new Set(["external", "unknown", "builtin"]);

/** The value of something declared with a type: where the value says less, the client or the data that its type is of. */
export function ofDeclaredType(
  state: State,
  value: Value,
  type: string | undefined,
  scope: Scope,
): Value {
  const isUnsaid = UNSAID.has(value.kind) || (value.kind === "input" && isCall(value.path));
  const client = isUnsaid && type !== undefined ? declaredClient(state, type, scope) : undefined;
  return client ?? meetType(state, value, type, scope);
}

/** The client that a type is of: a connection, or what gives some. */
export function declaredClient(state: State, type: string, scope: Scope): Value | undefined {
  const typed = heldValue(state, type, scope);
  return typed && (typed.kind === "handle" || hasConnection(typed)) ? typed : undefined;
}
