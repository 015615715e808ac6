// Savepoints of a session's transaction: what has been written since the first one waits in the session.
import { commandResult } from "./sessionParts";
import type { Savepoint, State } from "./sessionState";
import type { SqlResult } from "./sessionTypes";
import { failure } from "./sqlError";

/** Takes back the definitions of the open transaction, but for so many first ones. */
export function undoDefinitions(state: State, kept = 0): void {
  while (state.undo.length > kept) state.undo.pop()?.();
}

/** The state of a transaction, to go back to. */
export function savepointOf(state: State, name: string): Savepoint {
  return {
    name,
    waiting: new Map(state.waiting),
    definitions: state.undo.length,
    pending: [...state.pending],
    deferred: new Map(state.deferred),
  };
}

/** Goes back to a state of the transaction. */
export function backTo(state: State, point: Savepoint): void {
  state.waiting = new Map(point.waiting);
  state.pending = [...point.pending];
  state.deferred = new Map(point.deferred);
  undoDefinitions(state, point.definitions);
}

/** Sets a savepoint, or goes back to one. */
export function savepoint(
  state: State,
  kind: "savepoint" | "release" | "rollback to",
  name: string,
  isPostgres: boolean,
): SqlResult {
  if (state.status === "idle" || state.isImplicit) {
    if (isPostgres)
      throw failure(
        "outsideTransaction",
        `${kind.toUpperCase()} can only be used in transaction blocks`,
      );
    if (kind === "savepoint") return commandResult("SAVEPOINT");
  }
  if (kind === "savepoint") {
    // MySQL moves a savepoint whose name is used again.
    if (!isPostgres) state.savepoints = state.savepoints.filter((each) => each.name !== name);
    state.savepoints.push(savepointOf(state, name));
    return commandResult("SAVEPOINT");
  }
  const at = state.savepoints.findLastIndex((each) => each.name === name);
  const found = state.savepoints[at];
  if (found === undefined) {
    throw failure(
      "noSavepoint",
      isPostgres ? `savepoint "${name}" does not exist` : `SAVEPOINT ${name} does not exist`,
    );
  }
  if (kind === "release") {
    state.savepoints = state.savepoints.slice(0, at);
    return commandResult("RELEASE");
  }
  state.savepoints = state.savepoints.slice(0, at + 1);
  backTo(state, found);
  state.status = "open";
  return commandResult("ROLLBACK");
}
