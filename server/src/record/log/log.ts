// A server's own log of statements in place of a proxy: PostgreSQL's with log_statement = all (csvlog, jsonlog, stderr), and
// MySQL's general log. A log has texts and arguments; results it has none.
import type { Protocol, StatementEvent } from "../events";
import { lostLines } from "../lostLines";
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
export function readLog(written: string): ReadLog | { readonly reason: string } {
  const text = plainLines(written);
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
  const read = jsonEntries(text) ?? csvEntries(text) ?? stderrEntries(text, remark);
  if (read === undefined)
    return {
      reason:
        "it is no log of PostgreSQL (csvlog, jsonlog or stderr) and no general log of MySQL or MariaDB",
    };
  if (read.lost > 0) remark(lostLines(read.lost, "the log"));
  return made("postgres", postgresLogged(read.entries));
}

/** Lines that show whether a container's name stands before all of them. */
const HEAD = 50;
const CONTAINER = /^[\w.-]+ +\| ?/;

/** The log without what others put around its lines: carriage returns, and Docker Compose's names of containers. */
function plainLines(written: string): string {
  const text = written.replaceAll("\r\n", "\n");
  const isComposed = text
    .split("\n", HEAD)
    .every((line) => line.trim() === "" || CONTAINER.test(line));
  return isComposed ? text.replace(new RegExp(CONTAINER, "gm"), "") : text;
}
