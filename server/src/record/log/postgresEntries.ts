// Entries of PostgreSQL's logs in their three forms: csvlog, jsonlog, and stderr with a prefix of any kind.

export interface LogEntry {
  readonly session: string;
  readonly severity: string;
  readonly message: string;
  readonly detail?: string;
  /** The text that an error is about. */
  readonly statement?: string;
  readonly code?: string;
  readonly database?: string;
  readonly at: number;
}

const SEVERITY =
  /^(?:LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG[1-5]?|DETAIL|HINT|STATEMENT|CONTEXT|QUERY)$/;

/** Entries in their order, and how many lines or records are cut off or of something else. */
export interface Entries {
  readonly entries: readonly LogEntry[];
  readonly lost: number;
}

/** Entries of jsonlog; undefined for another form. */
export function jsonEntries(text: string): Entries | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const entries = lines.flatMap((line) => (line.startsWith("{") ? (jsonEntry(line) ?? []) : []));
  return entries.length > 0 ? { entries, lost: lines.length - entries.length } : undefined;
}

function jsonEntry(line: string): LogEntry | undefined {
  const read = parsed(line);
  if (typeof read !== "object" || read === null) return undefined;
  const fields = new Map(Object.entries(read));
  const of = (name: string): string | undefined => {
    const value: unknown = fields.get(name);
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  };
  const severity = of("error_severity");
  if (severity === undefined) return undefined;
  return entryOf({
    session: of("session_id") ?? of("pid"),
    ...{ severity, message: of("message"), detail: of("detail"), statement: of("statement") },
    ...{ code: of("state_code"), database: of("dbname"), time: of("timestamp") },
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // A line that was being written when the log was copied.
    return undefined;
  }
}

interface RawEntry {
  readonly session: string | undefined;
  readonly severity: string;
  readonly message: string | undefined;
  readonly detail: string | undefined;
  readonly statement: string | undefined;
  readonly code: string | undefined;
  readonly database: string | undefined;
  readonly time: string | undefined;
}

function entryOf(raw: RawEntry): LogEntry {
  const { session = "", severity, message = "", detail, statement, code, database } = raw;
  const given = (value: string | undefined): value is string => value !== undefined && value !== "";
  return {
    ...{ session, severity, message, at: momentOf(raw.time) },
    ...(given(detail) && { detail }),
    ...(given(statement) && { statement }),
    ...(given(code) && { code }),
    ...(given(database) && { database }),
  };
}

/** PostgreSQL writes a zone's name behind the moment. */
function momentOf(time: string | undefined): number {
  const moment = Date.parse((time ?? "").replace(/ [A-Z]{2,5}$/, "Z").replace(" ", "T"));
  return Number.isNaN(moment) ? 0 : moment;
}

/** Places of csvlog's columns ("Using CSV-Format Log Output"). */
const CSV = {
  ...{ time: 0, database: 2, session: 5, severity: 11, code: 12, message: 13, detail: 14 },
  statement: 19,
} as const;

/** How a record of csvlog begins: moment, user, database and process. */
const CSV_START = /^\d{4}-\d\d-\d\d [\d:.]+ [^,"\n]*,(?:"[^"]*")?,(?:"[^"]*")?,\d*,/m;

/** Entries of csvlog; undefined for another form. */
export function csvEntries(text: string): Entries | undefined {
  if (!CSV_START.test(text)) return undefined;
  const rows = csvRows(text);
  const entries = rows.flatMap((row) => {
    const severity = row[CSV.severity] ?? "";
    if (!SEVERITY.test(severity) || row.length <= CSV.statement) return [];
    return entryOf({
      ...{ session: row[CSV.session], severity, message: row[CSV.message] },
      ...{ detail: row[CSV.detail], statement: row[CSV.statement], code: row[CSV.code] },
      ...{ database: row[CSV.database], time: row[CSV.time] },
    });
  });
  return entries.length > 0 ? { entries, lost: rows.length - entries.length } : undefined;
}

/** Fields of each record; quotes stand around texts, doubled inside of them. Of one that is cut, what was read before. */
function csvRows(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /(?:"([^"]*(?:""[^"]*)*)"|([^,"\n]*))(,|\n|$)/y;
  const next = /\n(?=\d{4}-\d\d-\d\d [\d:.]+ )/g;
  while (field.lastIndex < text.length) {
    next.lastIndex = field.lastIndex;
    const found = field.exec(text);
    if (found !== null) row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    if (found?.[3] === ",") continue;
    rows.push(row);
    row = [];
    if (found !== null) continue;
    if (next.exec(text) === null) break;
    field.lastIndex = next.lastIndex;
  }
  rows.push(row);
  return rows.filter((each) => each.some((text) => text.trim() !== ""));
}

const LINE =
  /^(.*?)\b(LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG[1-5]?|DETAIL|HINT|STATEMENT|CONTEXT|QUERY):  ([^]*)$/;

/**
 * Entries of a log that went to standard error; undefined for another form. Sessions are told by what the prefix says:
 * where that is nothing, all statements are of one.
 */
export function stderrEntries(text: string, remark: (text: string) => void): Entries | undefined {
  let lost = 0;
  const lines: { readonly prefix: string; readonly severity: string; readonly text: string[] }[] =
    [];
  for (const line of text.split("\n")) {
    const [, prefix, severity, rest = ""] = LINE.exec(line) ?? [];
    const last = lines.at(-1);
    // Lines of one text are set off by a tab.
    if (line.startsWith("\t") && last) last.text.push(line.slice(1));
    else if (prefix !== undefined && severity !== undefined)
      lines.push({ prefix, severity, text: [rest] });
    else if (line.trim() !== "") lost++;
  }
  if (lines.length === 0) return undefined;
  const entries: LogEntry[] = [];
  const sessionOf = sessionNames();
  for (const { prefix, severity, text: parts } of lines) {
    const message = parts.join("\n");
    const last = entries.at(-1);
    if (severity === "DETAIL" && last) entries.push({ ...last, detail: message, ...entries.pop() });
    else if (severity === "STATEMENT" && last)
      entries.push({ ...last, statement: message, ...entries.pop() });
    else if (severity !== "HINT" && severity !== "CONTEXT" && severity !== "QUERY")
      entries.push(stderrEntry(prefix, severity, message, sessionOf(prefix, message)));
  }
  if (!entries.some(({ session }) => session !== ""))
    remark(
      "the log names no process, so that all statements are taken for one connection's: set log_line_prefix = '%m [%p] db=%d '",
    );
  return { entries, lost };
}

/** `%c`: when the session began and its process, in hexadecimals. */
const SESSION = /\b[\da-f]{8}\.[\da-f]{1,8}\b/;
const PROCESS = /\[(\d+)(?:-\d+)?\]|\bpid=(\d+)/;
/** Messages with which a session begins (`log_connections`) or ends (`log_disconnections`). */
const BEGIN = /^connection received: /;
const END = /^disconnection: /;

/**
 * The session of each line: its own number, else its process. The system gives the number of a process that has ended to
 * another one, so that a session that is told to begin or to end parts the process' lines.
 */
function sessionNames(): (prefix: string, message: string) => string | undefined {
  const generations = new Map<string, number>();
  return (prefix, message) => {
    const own = SESSION.exec(prefix)?.[0];
    if (own !== undefined) return own;
    const process = PROCESS.exec(prefix)
      ?.slice(1)
      .find((each) => each !== undefined);
    if (process === undefined) return undefined;
    const before = generations.get(process) ?? 0;
    const generation = BEGIN.test(message) ? before + 1 : before;
    generations.set(process, END.test(message) ? generation + 1 : generation);
    return `${process} ${String(generation)}`;
  };
}

function stderrEntry(
  prefix: string,
  severity: string,
  message: string,
  session: string | undefined,
): LogEntry {
  const database = /(?:\bdb=|@)([\w-]+)/.exec(prefix)?.[1];
  return entryOf({
    session,
    ...{ severity, message, detail: undefined, statement: undefined },
    ...{
      code: codeOf(message),
      database,
      time: /^[\d-]+ [\d:.]+ ?[A-Z]*/.exec(prefix)?.[0].trim(),
    },
  });
}

/** SQLSTATE of the errors that matter here, which such a log tells by their text alone. */
function codeOf(message: string): string {
  if (message.startsWith("could not serialize access")) return "40001";
  if (message.startsWith("deadlock detected")) return "40P01";
  return message.startsWith("duplicate key") ? "23505" : "XX000";
}
