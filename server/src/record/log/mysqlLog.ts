// MySQL's and MariaDB's general log: a line for each command, with the arguments of prepared statements in their text.
import type { LoggedStatement } from "./sessions";

/** `TIME\t   12 Query\tSELECT 1`; MariaDB leaves the time out where it is that of the line before. */
const COMMAND =
  /^([^\t]*)\t+ *(\d+) (Connect|Query|Execute|Prepare|Quit|Init DB|Change user|Close stmt|Reset stmt|Field List|Ping|Statistics|Set option|Long Data|Fetch|Bulk_execute|Reset connection|Binlog Dump|Kill|Debug|Refresh|Shutdown)(?:\t(.*)|$)/;

/** Lines that are looked at to tell the form. */
const HEAD = 50;

/** True if a text is such a log. */
export function isMysqlLog(text: string): boolean {
  return text.split("\n", HEAD).some((line) => COMMAND.test(line));
}

/** The statements of a log, in their order. */
export function mysqlLogged(text: string): readonly LoggedStatement[] {
  const statements: LoggedStatement[] = [];
  const databases = new Map<string, string>();
  let at = 0;
  /** Lines of the statement that is being read. */
  let open: { readonly session: string; readonly lines: string[] } | undefined;
  const finish = (): void => {
    if (open === undefined) return;
    const { session, lines } = open;
    const database = databases.get(session);
    statements.push({
      ...{ session, at, arguments: [], sql: lines.join("\n").trimEnd() },
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
    if (command === "Query" || command === "Execute") open = { session, lines: [rest] };
    else if (command === "Init DB") databases.set(session, rest.trim());
    else if (command === "Connect") {
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
