// Where transactions begin and end in code that does not say it at the place: wrappers, unknown libraries, what callers give.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);";
const POOL = `import { Pool, type PoolClient } from "pg";\nconst pool = new Pool();\n`;
const SUBTRACT = "UPDATE accounts SET balance = balance - 1 WHERE id = $1";
const TAKEN = "  update accounts set balance = (accounts.balance - 1) where (accounts.id = :id)";

async function check(text: string, expected: readonly string[]): Promise<void> {
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": POOL + text })), expected);
}

const UNKNOWN =
  "is not known: it is taken to run what it is given in one transaction, at the default level";

describe("functions that nobody knows, called as transactions are", () => {
  it("are taken to open one, which is said and never safe", async () => {
    const [take] = await transactionsOf(DDL, {
      "a.ts": `${POOL}import { db } from "@acme/db";
export async function take(id: number, other: number) {
  await db.transaction(async (t) => {
    await t.query("${SUBTRACT}", [id]);
    await t.query("${SUBTRACT}", [other]);
  });
}`,
    });
    assert.equal(take?.boundary, "explicit");
    assert.deepEqual(
      take.taint.map(({ effect, reason }) => [effect, reason]),
      [["opaque", `db.transaction() ${UNKNOWN}`]],
    );
  });

  it("hold what runs on any connection while they are open", () =>
    check(
      `import { withTransaction } from "@acme/db";
export async function take(id: number, other: number) {
  await withTransaction(async () => {
    await pool.query("${SUBTRACT}", [id]);
    await pool.query("${SUBTRACT}", [other]);
  });
}`,
      [
        "take explicit",
        TAKEN,
        "  update accounts set balance = (accounts.balance - 1) where (accounts.id = :other)",
        `  ! withTransaction() ${UNKNOWN}`,
      ],
    ));

  it("are something else where they only trace what runs", () =>
    check(
      `import tracer from "@acme/tracer";
export async function take(id: number) {
  await tracer.startTransaction(async () => {
    await pool.query("${SUBTRACT}", [id]);
  });
}`,
      ["take autocommit", TAKEN],
    ));
});
