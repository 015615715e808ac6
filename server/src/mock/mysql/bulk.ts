// MariaDB's COM_STMT_BULK_EXECUTE: a prepared statement with many rows of arguments, which takes effect as a whole.
import { failure, type SqlError } from "../../sqlstore/sqlError";
import type { MockArgument, MockSession, Outcome, StatementResult } from "../session";
import { MalformedPacket, readFields } from "./fields";
import { readParameters, type Parameter, type ParameterType } from "./parameters";

/** The client asks for the number that each row was given. */
const WANTS_NUMBERS = 64;
const HAS_TYPES = 128;
const [VALUE, NULL] = [0, 1];

export interface BulkArguments {
  readonly types: readonly ParameterType[];
  readonly rows: readonly (readonly Parameter[])[];
}

/** The rows of arguments; an error for what is refused. Throws `MalformedPacket`. */
export function bulkArguments(
  body: Buffer,
  count: number,
  known: readonly ParameterType[],
): BulkArguments | SqlError {
  const from = readFields(body);
  const flags = from.uint16();
  if ((flags & WANTS_NUMBERS) !== 0) return refused("numbers of the rows of a bulk execution");
  const types =
    (flags & HAS_TYPES) === 0
      ? known
      : Array.from({ length: count }, () => ({
          type: from.uint8(),
          unsigned: from.uint8() >= 0x80,
        }));
  if (count === 0 || types.length !== count)
    throw new MalformedPacket("rows of arguments without their types");
  const rows: Parameter[][] = [];
  while (from.left > 0) {
    const row: Parameter[] = [];
    for (const type of types) {
      const indicator = from.uint8();
      if (indicator > NULL) return refused("DEFAULT and IGNORE as arguments");
      row.push(...readParameters(from, [type], () => indicator !== VALUE, new Map()));
    }
    rows.push(row);
  }
  return { types, rows };
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
