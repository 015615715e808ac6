// Runs made comparable before they are put into one tree: what the server undid, savepoints that nothing returns to, and
// how a run without a change ended make no difference.
import type { Run } from "../runs";
import type { RecordedStatement } from "../statements";
import type { Path } from "./knowns";

export interface PreparedRun {
  readonly path: Path;
  /** The code of the server's error that ended it. */
  readonly error?: string;
  /** It got an answer that was not the server's. */
  readonly isChanged: boolean;
  readonly twin?: string;
}

/** Path of a run without what others caused; undefined where it did nothing. */
export function preparedRun(run: Run): PreparedRun | undefined {
  const { statements, error } = withoutRetries(run.statements);
  const path = endedAlike(withoutIdleSavepoints(statements)).filter(
    ({ error: code }) => code === undefined,
  );
  const does = path.some(({ kind }) => kind === "read" || kind === "write");
  if (!does) return undefined;
  return {
    path,
    isChanged: run.statements.some(({ isPerturbed }) => isPerturbed),
    ...(run.twin !== undefined && { twin: run.twin }),
    ...(error !== undefined && { error }),
  };
}

/** Errors after which a program that is correct tries again: its earlier attempt left nothing. */
const AGAIN = new Set(["40001", "40P01", "1213", "1205"]);

/** Attempts that the server undid are gone; a run ends with the first other error. */
function withoutRetries(statements: readonly RecordedStatement[]): {
  readonly statements: readonly RecordedStatement[];
  readonly error?: string;
} {
  let rest = statements;
  for (;;) {
    const at = rest.findIndex(({ error }) => error !== undefined);
    const code = rest[at]?.error;
    if (code === undefined) return { statements: rest };
    // The program's handling of another error is not followed.
    if (!AGAIN.has(code)) return { statements: rest.slice(0, at), error: code };
    const { before, after } = attemptAt(rest, at);
    if (after.length === 0) return { statements: before, error: code };
    rest = [...before, ...after];
  }
}

/** The text before and behind that which the error at a place undid: its statement, or the transaction around it. */
function attemptAt(
  statements: readonly RecordedStatement[],
  at: number,
): { readonly before: readonly RecordedStatement[]; readonly after: readonly RecordedStatement[] } {
  const before = statements.slice(0, at);
  const after = statements.slice(at + 1);
  const start = before.findLastIndex(({ kind }) => ENDS.has(kind));
  const end = after.findIndex(({ kind }) => ENDS.has(kind));
  const status = statements[at]?.status;
  const isRolledBack = after[end]?.kind === "rollback";
  // A wait for a lock that was too long undoes its statement alone (MySQL).
  const isUndone = before[start]?.kind === "begin" && (status !== "open" || isRolledBack);
  if (!isUndone) return { before, after };
  const own = before.slice(0, start);
  // A server that ended the transaction itself is often told ROLLBACK all the same.
  if (status === "idle" && !isRolledBack) return { before: own, after };
  if (end < 0) return { before: own, after: [] };
  return { before: own, after: after.slice(after[end]?.kind === "begin" ? end : end + 1) };
}

/** Where one transaction ends or the next one begins. */
const ENDS: ReadonlySet<string> = new Set(["begin", "commit", "rollback"]);

function withoutIdleSavepoints(
  statements: readonly RecordedStatement[],
): readonly RecordedStatement[] {
  const returns = statements.some(({ kind }) => kind === "rollbackTo");
  return statements.filter(({ kind }) => kind !== "release" && (returns || kind !== "savepoint"));
}

/**
 * A transaction that only read ends the same way by COMMIT and by ROLLBACK. One whose change found no row and that is rolled
 * back gives up, which COMMIT does not.
 */
function endedAlike(statements: readonly RecordedStatement[]): readonly RecordedStatement[] {
  let hasWritten = false;
  return statements.map((statement) => {
    if (statement.kind === "begin") hasWritten = false;
    if (statement.kind === "write") hasWritten ||= statement.error === undefined;
    if (statement.kind === "rollback" && !hasWritten)
      return { ...statement, kind: "commit", text: "COMMIT" };
    if (statement.kind === "commit" || statement.kind === "rollback")
      return { ...statement, text: statement.kind.toUpperCase() };
    return statement;
  });
}
