// JDBC without autocommit: the first statement begins a transaction, and the first behind its end begins the next. A
// connection keeps that from call to call, so that a constructor, or a setting, holds for methods that only commit.
import type { SourceRange } from "../../../../protocol/source";
import type { DeclaringCall } from "../../workspace/declarationCalls";
import { textOf, UNDEFINED, type Connection, type ObjectValue } from "../../values";
import { callsOf, type Tools } from "../library";
import { stateOf } from "./receiverState";

/** Without autocommit, and no transaction is open: a field of what a connection remembers. */
const WAITING = "waiting";

/** From now on the next statement begins a transaction, or not. */
export function setWaiting(session: ObjectValue, isWaiting: boolean, tools: Tools): void {
  tools.assign(session, WAITING, isWaiting ? textOf("") : UNDEFINED);
}

/** True if the next statement begins a transaction. */
export function isWaiting(session: ObjectValue): boolean {
  return stateOf(session, WAITING)?.kind === "text";
}

/** A statement is about to run: begins the transaction that waits for it. */
export function beginIfWaiting(
  session: ObjectValue,
  connection: Connection | undefined,
  source: SourceRange,
  tools: Tools,
): void {
  // The statements of a constructor stand nowhere: they are left to those who use what it made.
  if (!isWaiting(session) || tools.isMaking()) return;
  tools.begin(connection, { source });
  setWaiting(session, false, tools);
}

/**
 * True if autocommit is off on a connection whose creation is not seen. `isHeld`: a field, which a function of the file may turn off;
 * else configuration turns it off, if code commits and never does: drivers refuse to commit with autocommit.
 */
export function isManual({ isHeld }: { readonly isHeld: boolean }, tools: Tools): boolean {
  const calls = tools.declared(CONTROLS);
  const turnsOff = calls.filter(({ method }) => method === "setAutoCommit");
  if (turnsOff.length === 0) return calls.some((call) => commits(call, tools));
  return isHeld && turnsOff.some((call) => call.file === tools.file() && isOff(call));
}

const CONTROLS = callsOf("setAutoCommit", "commit");

function commits({ file, method, arguments: given }: DeclaringCall, tools: Tools): boolean {
  if (method !== "commit" || given.length > 0) return false;
  const imports = tools.module(file)?.imports ?? [];
  return imports.some(({ from }) => /^javax?\.sql(?:\.|$)/u.test(from));
}

/** `this.connection.setAutoCommit(false)`, of a field. */
function isOff({ object, arguments: [first] }: DeclaringCall): boolean {
  const isFalse = first?.kind === "literal" && first.value === false;
  return isFalse && object.kind === "member";
}
