// Runs made comparable before they are put into one tree: what the server undid, savepoints that nothing returns to, and
// how a run without a change ended make no difference.
import type { Run } from "../units";
import type { RecordedStatement } from "../statements";
import type { Path } from "./knowns";

export interface PreparedRun {
  readonly path: Path;
  /** The code of the server's error that ended it. */
  readonly error?: string;
}

/** Path of a run without what others caused; undefined where it did nothing. */
export function preparedRun(run: Run): PreparedRun | undefined {
  const { statements, error } = withoutRetries(run.statements);
  const path = endedAlike(withoutIdleSavepoints(statements)).filter(
    ({ error: code }) => code === undefined,
  );
  const does = path.some(({ kind }) => kind === "read" || kind === "write");
  return does ? { path, ...(error !== undefined && { error }) } : undefined;
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
    const begin = rest.findLastIndex(({ kind }, index) => kind === "begin" && index <= at);
    const end = rest.findIndex(
      ({ kind }, index) => index > at && (kind === "rollback" || kind === "begin"),
    );
    if (!AGAIN.has(code)) {
      // The program's handling of the error is not followed.
      return { statements: rest.slice(0, at), error: code };
    }
    const after = end < 0 ? [] : rest.slice(rest[end]?.kind === "rollback" ? end + 1 : end);
    rest = [...rest.slice(0, begin < 0 ? at : begin), ...after];
    if (rest.length === 0) return { statements: rest, error: code };
  }
}

function withoutIdleSavepoints(
  statements: readonly RecordedStatement[],
): readonly RecordedStatement[] {
  const returns = statements.some(({ kind }) => kind === "rollbackTo");
  return statements.filter(({ kind }) => kind !== "release" && (returns || kind !== "savepoint"));
}

/** A transaction that changed nothing ends the same way by COMMIT and by ROLLBACK. */
function endedAlike(statements: readonly RecordedStatement[]): readonly RecordedStatement[] {
  let hasWritten = false;
  return statements.map((statement) => {
    if (statement.kind === "begin") hasWritten = false;
    if (statement.kind === "write")
      hasWritten ||= statement.error === undefined && statement.affected !== 0;
    if (statement.kind === "rollback" && !hasWritten)
      return { ...statement, kind: "commit", text: "COMMIT" };
    if (statement.kind === "commit" || statement.kind === "rollback")
      return { ...statement, text: statement.kind.toUpperCase() };
    return statement;
  });
}
