// Statements of PostgreSQL's log entries: texts with their parameters, and the errors that ended them.
import type { Value } from "../events";
import type { LogEntry } from "./postgresEntries";
import type { LoggedStatement } from "./sessions";

/** A duration stands before the text where that is asked for; fetches are more of a result. */
const STATEMENT =
  /^(?:duration: [\d.]+ ms\s+)?(?:statement|execute (?!fetch from )(?:<unnamed>|[^:]+)): ([^]*)$/;
const PARAMETER = /\$(\d+) = (?:NULL|'([^']*(?:''[^']*)*)')/g;
const PARAMETERS = /^parameters: /i;

/** The statements in their order. An error belongs to the statement of its session before it. */
export function postgresLogged(entries: readonly LogEntry[]): readonly LoggedStatement[] {
  const statements: LoggedStatement[] = [];
  const last = new Map<string, number>();
  for (const { session, severity, message, detail, statement, code, database, at } of entries) {
    const sql = severity === "LOG" ? STATEMENT.exec(message)?.[1] : undefined;
    const about = { session, at, ...(database !== undefined && { database }) };
    if (sql !== undefined) {
      last.set(session, statements.length);
      statements.push({ ...about, sql, arguments: parametersOf(detail) });
    } else if (severity === "ERROR") {
      const index = last.get(session);
      const before = index === undefined ? undefined : statements[index];
      const error = code ?? "XX000";
      const isSame = statement === undefined || before?.sql.trim() === statement.trim();
      if (before !== undefined && index !== undefined && isSame && before.error === undefined)
        statements[index] = { ...before, error };
      // One that was refused before it began is told by its error alone.
      else if (statement !== undefined)
        statements.push({ ...about, sql: statement, arguments: [], error });
    }
  }
  return statements;
}

function parametersOf(detail: string | undefined): readonly Value[] {
  if (detail === undefined || !PARAMETERS.test(detail)) return [];
  const values: Value[] = [];
  for (const [, number, text] of detail.matchAll(PARAMETER))
    values[Number(number) - 1] = text?.replaceAll("''", "'") ?? null;
  return Array.from(values, (value) => value ?? null);
}
