// Programs with @planetscale/database as the AR.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = `
CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE log (id int PRIMARY KEY AUTO_INCREMENT, amount int NOT NULL);
`;

describe("@planetscale/database", () => {
  it("runs each statement by itself, and what a callback does in a transaction", async () => {
    const text = `import { connect, Client } from "@planetscale/database";
const conn = connect({ url: process.env.URL });
const client = new Client({ url: process.env.URL });
export async function single(id, n) {
  const { rows } = await conn.execute("SELECT balance FROM accounts WHERE id = ?", [id]);
  if (rows[0].balance < n) return;
  const done = await conn.execute("UPDATE accounts SET balance = balance - :n WHERE id = :id", { id, n });
  if (done.rowsAffected === 0) throw new Error("gone");
}
export async function both(id, n) {
  await client.connection().transaction(async (tx) => {
    await tx.execute("UPDATE accounts SET balance = balance - ? WHERE id = ?", [n, id]);
    await tx.execute("INSERT INTO log (amount) VALUES (?)", [n]);
  });
}`;
    assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text }, "mysql")), [
      "single unit",
      "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
      "  if (size(r1) <= 0)",
      "    rollback",
      "  if (r1.balance < :n)",
      "    return",
      "  update accounts set balance = (accounts.balance - :n) where (accounts.id = :id)",
      "  if (affected(single/2) = 0)",
      "    rollback",
      "both explicit",
      "  update accounts set balance = (accounts.balance - :n) where (accounts.id = :id)",
      "  insert log {id = fresh sequence, amount = :n} returning r1: log.id as id",
    ]);
  });
});
