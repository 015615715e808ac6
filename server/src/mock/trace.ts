// Statements that clients of the mock database have sent, in the order in which it was answered, and the script that it makes.
import type { SqlOutcome } from "../sqlstore/session";
import { wireText } from "../sqlstore/values/format";
import type { MockArgument } from "./session";

export interface TracedStatement {
  /** From 1, in the order in which sessions connected. */
  readonly session: number;
  readonly sql: string;
  readonly values: readonly MockArgument[];
  /** Rows, the count of changed rows, or the error. */
  readonly answer: string;
}

/** Rows and columns of an answer beyond which it is cut. */
const MOST_ROWS = 5;

export function tracedStatement(
  session: number,
  sql: string,
  values: readonly MockArgument[],
  outcome: SqlOutcome,
): TracedStatement {
  return { session, sql: sql.trim().replace(/;$/u, ""), values, answer: answerText(outcome) };
}

function answerText(outcome: SqlOutcome): string {
  if (!outcome.ok) return `error ${outcome.error.code}: ${outcome.error.message}`;
  const result = outcome.results.at(-1);
  if (!result) return "";
  const { columns, rows, command, rowCount } = result;
  if (columns.length === 0)
    return /^(INSERT|UPDATE|DELETE)$/u.test(command) ? `${command} ${String(rowCount)}` : command;
  const shown = rows
    .slice(0, MOST_ROWS)
    .map((row) =>
      row.map((value, at) => wireText(value, columns[at]?.type ?? "text") ?? "NULL").join(" | "),
    );
  if (rows.length > MOST_ROWS) shown.push(`and ${String(rows.length - MOST_ROWS)} more`);
  return shown.length === 0 ? "no rows" : shown.join("; ");
}

/** The statements as a script of SQL, each under its session, with what was answered behind it. */
export function scriptOf(statements: readonly TracedStatement[]): string {
  let session = 0;
  const lines: string[] = [];
  for (const each of statements) {
    if (each.session !== session) lines.push(`-- session ${String(each.session)}`);
    session = each.session;
    const values =
      each.values.length === 0 ? "" : `  -- with ${each.values.map(valueText).join(", ")}`;
    lines.push(`${each.sql};${values}`);
    if (!/^(BEGIN|COMMIT|ROLLBACK|SET)$/u.test(each.answer))
      lines.push(`--   ${each.answer.replace(/\s+/gu, " ")}`);
  }
  return `${lines.join("\n")}\n`;
}

function valueText(value: MockArgument): string {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}
