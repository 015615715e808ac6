// Sessions of a log: whether each statement stands in a transaction follows from those before it.
import type { Protocol, StatementEvent, TransactionStatus, Value } from "../events";
import { statementsOf } from "../pieces";
import { kindOf, textAndSite } from "../statements";

export interface LoggedStatement {
  /** Tells one session from the others. */
  readonly session: string;
  readonly sql: string;
  readonly arguments: readonly Value[];
  /** Milliseconds since 1970; 0 where the log does not say. */
  readonly at: number;
  readonly database?: string;
  readonly error?: string;
}

interface SessionState {
  readonly connection: number;
  status: TransactionStatus;
  /** A statement outside of a transaction begins one (MySQL). */
  begins: boolean;
}

const AUTOCOMMIT =
  /^set (?:session |@@(?:session\.)?)?autocommit ?:?= ?(?:(0|off|false)|1|on|true)/i;
/** Errors that end the transaction around them. */
const ENDING = new Set(["1213", "40P01", "40001"]);

/** The statements as events of connections, without results. */
export function loggedEvents(
  statements: readonly LoggedStatement[],
  protocol: Protocol,
): readonly StatementEvent[] {
  const sessions = new Map<string, SessionState>();
  const events: StatementEvent[] = [];
  for (const { session, sql, error, at, database, arguments: given } of statements) {
    const state = sessions.get(session) ?? {
      connection: sessions.size + 1,
      status: "idle",
      begins: false,
    };
    sessions.set(session, state);
    for (const piece of statementsOf(sql, protocol)) {
      follow(state, piece, error, protocol);
      events.push({
        ...{ connection: state.connection, order: events.length, at, sql: piece, arguments: given },
        ...{ columns: [], rows: [], count: 0, status: state.status, hasNoResult: true },
        ...(error !== undefined && { error }),
        ...(database !== undefined && { database }),
      });
    }
  }
  return events;
}

function follow(
  state: SessionState,
  sql: string,
  error: string | undefined,
  protocol: Protocol,
): void {
  const { text } = textAndSite(sql, protocol);
  const autocommit = AUTOCOMMIT.exec(sql);
  if (autocommit) state.begins = autocommit[1] !== undefined;
  const kind = kindOf(text);
  if (kind === "begin") state.status = "open";
  else if (kind === "commit" || kind === "rollback") state.status = "idle";
  else if (error !== undefined && state.status === "open")
    state.status = protocol === "postgres" ? "failed" : ENDING.has(error) ? "idle" : "open";
  else if (kind === "rollbackTo") state.status = "open";
  else if (state.begins && (kind === "read" || kind === "write")) state.status = "open";
}
