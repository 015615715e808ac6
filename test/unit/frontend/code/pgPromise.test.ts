// pg-promise as the AR.
import assert from "node:assert/strict";
import { it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);";

it("pg-promise: statements, transactions and tasks", async () => {
  const text = `import pgPromise from "pg-promise";
const pgp = pgPromise();
const db = pgp("postgres://db");
export async function take(id: number) {
  await db.tx(async (t) => {
    const row = await t.one("SELECT balance FROM accounts WHERE id = $1", id);
    await t.none("UPDATE accounts SET balance = $1 WHERE id = $2", [row.balance - 1, id]);
  });
}
export async function drop(id: number) {
  await db.task((t) => t.none("DELETE FROM accounts WHERE id = $1", [id]));
}`;
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
    "take explicit",
    "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
    "  if (size(r1) <= 0)",
    "    rollback",
    "  update accounts set balance = (r1.balance - 1) where (accounts.id = :id)",
    "drop autocommit",
    "  delete accounts where (accounts.id = :id)",
  ]);
});
