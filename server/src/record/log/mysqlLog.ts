// MySQL's and MariaDB's general log: a line for each command, with the arguments of prepared statements in their text.
import type { LoggedStatement } from "./sessions";

/** `TIME\t   12 Query\tSELECT 1`; MariaDB leaves the time out where it is that of the line before. */
const COMMAND =
  /^([^\t]*)\t+ *(\d+) (Connect|Query|Execute|Prepare|Quit|Init DB|Create DB|Drop DB|Change user|Close stmt|Reset stmt|Field List|Ping|Statistics|Processlist|Set option|Long Data|Fetch|Bulk_execute|Reset [Cc]onnection|Binlog Dump(?: GTID)?|Register (?:Slave|Replica)|Connect Out|Table Dump|Delayed insert|Daemon|Time|Kill|Debug|Refresh|Shutdown|Error)(?:\t([^]*)|$)/;
/** Commands behind which a session is a new one: no transaction is open, and nothing is set. */
const FRESH = /^(?:Connect|Change user|Reset [Cc]onnection)$/;

/** Lines that are looked at to tell the form. */
const HEAD = 1000;

/** True if a text is such a log. */
export function isMysqlLog(text: string): boolean {
  return text.split("\n", HEAD).some((line) => COMMAND.test(line));
}

/** The statements of a log, in their order. */
export function mysqlLogged(text: string): readonly LoggedStatement[] {
  const statements: LoggedStatement[] = [];
  const databases = new Map<string, string>();
  const beginnings = new Map<string, number>();
  let at = 0;
  /** Lines of the statement that is being read. */
  let open: { readonly session: string; readonly lines: string[] } | undefined;
  const finish = (): void => {
    if (open === undefined) return;
    const { session, lines } = open;
    const database = databases.get(session);
    statements.push({
      ...{
        session: `${session}.${String(beginnings.get(session) ?? 0)}`,
        at,
        arguments: [],
        sql: lines.join("\n").trimEnd(),
      },
      ...(database !== undefined && { database }),
    });
    open = undefined;
  };
  for (const line of text.split("\n")) {
    const [found, time = "", session = "", command = "", rest = ""] = COMMAND.exec(line) ?? [];
    if (found === undefined) {
      open?.lines.push(line);
      continue;
    }
    finish();
    at = momentOf(time) ?? at;
    if (FRESH.test(command)) beginnings.set(session, (beginnings.get(session) ?? 0) + 1);
    if (command === "Query" || command === "Execute") open = { session, lines: [rest] };
    else if (command === "Init DB") databases.set(session, rest.trim());
    else if (command === "Connect" || command === "Change user") {
      const database = / on (\S+)/.exec(rest)?.[1];
      if (database !== undefined && database !== "using") databases.set(session, database);
    }
  }
  finish();
  return statements;
}

/** `2024-01-31T10:00:00.5Z`, or MariaDB's `240131 10:00:00`. */
function momentOf(text: string): number | undefined {
  const short = /^(\d\d)(\d\d)(\d\d) +(\d{1,2}:\d\d:\d\d)$/.exec(text.trim());
  const [, year = "", month = "", day = "", clock = ""] = short ?? [];
  const moment = Date.parse(
    short ? `20${year}-${month}-${day}T${clock.padStart(8, "0")}` : text.trim(),
  );
  return Number.isNaN(moment) ? undefined : moment;
}
