// Savepoints of a session's transaction: what has been written since the first one waits in the session.
import { commandResult } from "./sessionParts";
import type { State } from "./sessionState";
import type { SqlResult } from "./sessionTypes";
import { failure } from "./sqlError";

/** Takes back the definitions of the open transaction, but for so many first ones. */
export function undoDefinitions(state: State, kept = 0): void {
  while (state.undo.length > kept) state.undo.pop()?.();
}

/** Sets a savepoint, or goes back to one. */
export function savepoint(
  state: State,
  kind: "savepoint" | "release" | "rollback to",
  name: string,
  isPostgres: boolean,
): SqlResult {
  if (state.status === "idle" || state.isImplicit) {
    if (!isPostgres) return commandResult(kind.toUpperCase());
    throw failure(
      "outsideTransaction",
      `${kind.toUpperCase()} can only be used in transaction blocks`,
    );
  }
  if (kind === "savepoint") {
    // MySQL moves a savepoint whose name is used again.
    if (!isPostgres) state.savepoints = state.savepoints.filter((each) => each.name !== name);
    state.savepoints.push({
      name,
      waiting: new Map(state.waiting),
      definitions: state.undo.length,
    });
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
  state.waiting = new Map(found.waiting);
  undoDefinitions(state, found.definitions);
  state.status = "open";
  return commandResult("ROLLBACK");
}
