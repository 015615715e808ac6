// When a session's references are checked: with their statement, or when the transaction ends.
import type { Reply, Request } from "../exploration/client";
import type { ForeignKey } from "./catalog";
import type { PendingReference, ReferenceTime } from "./run/rowChanges";
import { checkDeferred, type StatementContext, type StatementEnd } from "./run/statement";
import type { State } from "./sessionState";
import { failure } from "./sqlError";

/** SET CONSTRAINTS ALL. */
const ALL = "*";

/** True if MySQL's `foreign_key_checks` is off, so that no reference is looked at. */
export function isFree(state: State): boolean {
  return /^(0|off)$/i.test(state.settings.get("foreign_key_checks") ?? "");
}

/** When a reference is checked. */
export function referenceTime(state: State, { name, deferrable }: ForeignKey): ReferenceTime {
  if (isFree(state)) return "never";
  if (deferrable === undefined) return "now";
  const isDeferred =
    state.deferred.get(name) ?? state.deferred.get(ALL) ?? deferrable === "deferred";
  return isDeferred ? "later" : "now";
}

/** SET CONSTRAINTS: of what is checked at once from now on, what is pending is looked at. */
export function setConstraints(
  state: State,
  { names, deferred }: { readonly names: readonly string[]; readonly deferred: boolean },
  keys: readonly ForeignKey[],
): readonly PendingReference[] {
  for (const name of names) {
    const key = keys.find((each) => each.name === name);
    if (key === undefined) throw failure("noObject", `constraint "${name}" does not exist`);
    if (key.deferrable === undefined)
      throw failure("wrongObject", `constraint "${name}" is not deferrable`);
  }
  if (names.length === 0) state.deferred = new Map();
  for (const name of names.length === 0 ? [ALL] : names) state.deferred.set(name, deferred);
  if (deferred) return [];
  const isDue = ({ key }: PendingReference): boolean => referenceTime(state, key) === "now";
  return state.pending.filter(isDue);
}

/** Looks at these pending references; fails for one that is violated. */
export function* checkPending(
  state: State,
  due: readonly PendingReference[],
  context: StatementContext,
): Generator<Request, StatementEnd | undefined, Reply> {
  if (due.length === 0) return undefined;
  const end = yield* checkDeferred(due, context);
  state.pending = state.pending.filter((each) => !due.includes(each));
  return end;
}
