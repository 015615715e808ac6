// Logs: nothing that transactions do hangs on them, unless the log is itself kept in the database.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = `CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE events (id serial PRIMARY KEY, text text);`;

async function check(logger: string, expected: readonly string[]): Promise<void> {
  const text = `import { Pool } from "pg";
const pool = new Pool();
${logger}
const logger = new Logger();
export async function f(id: number) {
  logger.info("start", { id });
  await pool.query("DELETE FROM accounts WHERE id = $1", [id]);
  logger.info("end", { id });
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), expected);
}

describe("what is logged", () => {
  it("leads to no condition of a statement", () =>
    check(
      `class Logger {
  info(text: string, more?: { id?: number }) {
    if (!more) throw new Error("nothing to log");
    if (more.id === 3) return;
    console.log(text, more.id);
  }
}`,
      ["f autocommit", "  delete accounts where (accounts.id = :id)"],
    ));

  it("is followed where it is kept in the database", () =>
    check(
      `class Logger {
  async info(text: string) {
    await pool.query("INSERT INTO events (text) VALUES ($1)", [text]);
  }
}`,
      [
        "f unit",
        "  try",
        '    insert events {id = fresh sequence, text = "start"}',
        "  handler",
        "  delete accounts where (accounts.id = :id)",
        '  insert events {id = fresh sequence, text = "end"}',
      ],
    ));
});
