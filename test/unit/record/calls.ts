// Calls of an application as a recording tells them, and the program that comes of them.
import type { StatementEvent } from "../../../server/src/record/events";
import { learntFiles } from "../../../server/src/record/result";
import { newGlossary, recordedStatement } from "../../../server/src/record/statements";

export interface Sent {
  readonly sql: string;
  readonly given?: readonly string[];
  readonly rows?: readonly (readonly (string | null)[])[];
  readonly columns?: readonly string[];
  readonly affected?: number;
  readonly error?: string;
}

export type Call = readonly Sent[];

/** The text of each file that comes of the calls, without its first line and places, and without numbers of rows unless asked for. */
export function learnt(
  calls: readonly Call[],
  { site = true, rows: showsRows = false } = {},
): readonly string[] {
  const glossary = newGlossary();
  let order = 0;
  const statements = calls.flatMap((call, number) => {
    let isOpen = false;
    return call.map(({ sql, given = [], rows = [], columns = [], affected, error }) => {
      if (/^begin/i.test(sql)) isOpen = true;
      if (/^(commit|rollback)/i.test(sql)) isOpen = false;
      const event: StatementEvent = {
        connection: 1,
        order: order++,
        at: 0,
        sql: site
          ? `${sql}/*isolens:app.py:${String(order)}:work;app.py:1:work;${String(number % 16)}*/`
          : sql,
        arguments: given,
        columns,
        rows,
        count: rows.length,
        ...(affected !== undefined && { affected }),
        ...(error !== undefined && { error }),
        status: isOpen ? "open" : "idle",
      };
      return recordedStatement(event, "postgres", glossary);
    });
  });
  const { files } = learntFiles(statements, { protocol: "postgres", glossary });
  return files.map(({ text }) =>
    text
      .split("\n")
      .slice(1, -1)
      .filter((line) => !line.startsWith("-- @isolens at"))
      .filter((line) => showsRows || !line.startsWith("-- @isolens rows"))
      .join("\n"),
  );
}

export const begin: Sent = { sql: "BEGIN" };
export const commit: Sent = { sql: "COMMIT" };
export const rollback: Sent = { sql: "ROLLBACK" };
export const read = (id: number, balance: number): Sent => ({
  sql: `SELECT id, balance FROM account WHERE id = ${String(id)}`,
  columns: ["id", "balance"],
  rows: [[String(id), String(balance)]],
});
export const write = (id: number, balance: number): Sent => ({
  sql: `UPDATE account SET balance = ${String(balance)} WHERE id = ${String(id)}`,
  affected: 1,
});
