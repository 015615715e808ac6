// A server's own log of statements in place of a proxy: PostgreSQL's with log_statement = all (csvlog, jsonlog, stderr), and
// MySQL's general log. A log has texts and arguments; results it has none.
import type { Protocol, StatementEvent } from "../events";
import { isMysqlLog, mysqlLogged } from "./mysqlLog";
import { postgresLogged } from "./postgresLog";
import { csvEntries, jsonEntries, stderrEntries } from "./postgresEntries";
import type { LoggedStatement } from "./sessions";
import { loggedEvents } from "./sessions";

export interface ReadLog {
  readonly protocol: Protocol;
  readonly events: readonly StatementEvent[];
  /** Reasons for which the log tells less than it could, for the user. */
  readonly remarks: readonly string[];
}

/** The statements of a log in any of the forms; a reason where it is in none of them. Linear in its length. */
export function readLog(text: string): ReadLog | { readonly reason: string } {
  const remarks: string[] = [];
  const remark = (what: string): void => {
    if (!remarks.includes(what)) remarks.push(what);
  };
  const made = (protocol: Protocol, statements: readonly LoggedStatement[]): ReadLog => ({
    protocol,
    events: loggedEvents(statements, protocol),
    remarks,
  });
  if (isMysqlLog(text)) return made("mysql", mysqlLogged(text));
  const entries = jsonEntries(text) ?? csvEntries(text) ?? stderrEntries(text, remark);
  return entries === undefined
    ? {
        reason:
          "it is no log of PostgreSQL (csvlog, jsonlog or stderr) and no general log of MySQL or MariaDB",
      }
    : made("postgres", postgresLogged(entries));
}
