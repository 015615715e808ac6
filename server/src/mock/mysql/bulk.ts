// Statements that MariaDB's clients run for many rows of arguments at once (COM_STMT_BULK_EXECUTE): they take effect as a whole.
import { failure, type SqlError } from "../../sqlstore/sqlError";
import type { MockArgument, MockSession, Outcome, StatementResult } from "../session";
import type { BulkArguments } from "./commands";

/** The error for arguments that ask for more than their values; undefined for others. */
export function bulkRefusal({ asksNumbers, hasOmissions }: BulkArguments): SqlError | undefined {
  if (asksNumbers) return refused("numbers of the rows of a bulk execution");
  return hasOmissions ? refused("DEFAULT and IGNORE as arguments") : undefined;
}

function refused(what: string): SqlError {
  return failure("unsupported", `${what} are not supported by this store`).error;
}

/** An INSERT of one row of arguments, up to its row. */
const INSERT = /^(\s*(?:insert|replace)\s[^?'"]*?\bvalues?\s*)(\((?:[^()'"]|\([^()'"]*\))*\))$/iu;
/** Texts that are not longer are planned once. */
const LONGEST_TEXT = 15_000;

/** Runs the statement for all rows, INSERTs as those of many rows; it fails as a whole. */
export async function runBulk(
  on: MockSession,
  text: string,
  rows: readonly (readonly MockArgument[])[],
): Promise<Outcome<StatementResult>> {
  const [, head = text, row = ""] = INSERT.exec(text.trim()) ?? [];
  const most = row === "" ? 1 : Math.max(1, Math.floor(LONGEST_TEXT / (row.length + 1)));
  const isWhole = rows.length <= most;
  const isAlone = on.status === "idle" && on.autocommit;
  const [begin, end, undo] = isAlone
    ? ["begin", "commit", "rollback"]
    : ["savepoint `#bulk`", "release savepoint `#bulk`", "rollback to savepoint `#bulk`"];
  let total: StatementResult = { rows: [], tag: "", affected: 0 };
  if (!isWhole) await execute(on, begin, []);
  for (let from = 0; from < rows.length; from += most) {
    const part = rows.slice(from, from + most);
    const sql = head + part.map(() => row).join();
    const outcome = await execute(on, row === "" ? text : sql, part.flat());
    if (!outcome.ok) {
      if (!isWhole && on.status !== "idle") await execute(on, undo, []);
      return outcome;
    }
    const { affected, inserted } = outcome.value;
    total = { ...total, affected: total.affected + affected, inserted: total.inserted ?? inserted };
  }
  const ended = isWhole ? undefined : await execute(on, end, []);
  return ended?.ok === false ? ended : { ok: true, value: total };
}

async function execute(
  on: MockSession,
  sql: string,
  values: readonly MockArgument[],
): Promise<Outcome<StatementResult>> {
  const statement = await on.prepare(sql, []);
  return statement.ok ? statement.value.run(values) : statement;
}
