// Functions that nobody knows and whose names say that they run what they are given in a transaction.
import type { SourceRange } from "../../../../protocol/source";
import type { Value } from "../../values";
import { lose, type State } from "../state";
import { opensByName } from "../../callGraph/transactionOpeners";
import { asksByName } from "../../callGraph/dataAccessNames";
import { inTransaction } from "./transactions";

/** Begins the ids of connections of such transactions. */
const UNKNOWN = "unknown:";

/** True if what runs now is in such a transaction. */
export function isInUnknown({ open }: State): boolean {
  return open.at(-1)?.connection.startsWith(UNKNOWN) === true;
}

/** Says that an unknown function asks the database, where its name says so and such a transaction is open. */
export function noteUnknownQuery(state: State, name: string, source: SourceRange): void {
  if (!isInUnknown(state) || !asksByName(name)) return;
  lose(state, `what ${name}() does with the database is not known`, source, "opaque");
}

/**
 * Runs a callback as a function of that name is taken to do: in a transaction, of which neither the level nor the
 * connection is known, which is said where anything runs in it. Other names change nothing.
 */
export function inUnknownTransaction(
  state: State,
  name: string,
  source: SourceRange,
  run: () => Value,
): Value {
  // The open transactions already say where the statements run.
  if (!opensByName(name) || state.open.length > 0) return run();
  const before = state.emitted;
  const connection = { id: `${UNKNOWN}${name}`, isPool: false, isAny: true };
  const result = inTransaction(state, connection, { source }, run);
  if (state.emitted > before) {
    const why = `${name}() is not known: it is taken to run what it is given in one transaction, at the default level`;
    lose(state, why, source, "opaque");
  }
  return result;
}
