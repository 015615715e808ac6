// Transactions that end before all that a function runs, or not at all: promises that nobody awaits, and returns in between.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ACCOUNTS_AND_LOG, transactionsOf } from "./codePrograms";

const REASON =
  "nobody awaits what this call runs, so that the transaction may end before all of it is sent";

async function check(body: string, isLost: boolean): Promise<void> {
  const text = `import { Pool } from "pg";
const pool = new Pool();
const add = (client, n) => client.query("UPDATE accounts SET balance = balance + $1 WHERE id = 1", [n]);
const read = (client, id) => client.query("SELECT balance FROM accounts WHERE id = $1 FOR UPDATE", [id]);
async function both(client, id) { const { rows } = await read(client, id); await add(client, rows[0].balance); }
async function one(client, n) { await add(client, n); }
async function late(client, n) { await new Promise((done) => setTimeout(done, 10)); await add(client, n); }
export async function f(ids: number[], n: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  ${body}
  await client.query("COMMIT");
}`;
  const [found] = (await transactionsOf(ACCOUNTS_AND_LOG, { "a.ts": text })).filter(
    ({ name }) => name === "f",
  );
  const reasons = found?.taint.map(({ reason }) => reason) ?? [];
  assert.equal(reasons.includes(REASON), isLost, reasons.join("; "));
}

describe("what nobody awaits in a transaction", () => {
  for (const [body, isLost] of [
    ["ids.forEach(async (id) => { await read(client, id); await add(client, n); });", true],
    ["ids.map(async (id) => { await read(client, id); await add(client, n); });", true],
    ["both(client, n);", true],
    ["void both(client, n);", true],
    ["both(client, n).catch(() => undefined);", true],
    ["(async () => { await read(client, n); await add(client, n); })();", true],
    ["read(client, n).then(() => add(client, n));", true],
    ["late(client, n);", true],
    // The driver sends these in the order of the calls.
    ["one(client, n);", false],
    ["add(client, n);", false],
    ["ids.forEach((id) => add(client, id));", false],
    ["ids.forEach(async (id) => { await add(client, id); });", false],
    ["await both(client, n);", false],
    ["await Promise.all([both(client, n), both(client, 2)]);", false],
    ["const done = both(client, n); await read(client, 2); await done;", false],
    ["await Promise.all(ids.map(async (id) => { await read(client, id); await add(client, n); }));", false], // prettier-ignore
  ] as const)
    it(`${isLost ? "is lost" : "stands"}: ${body}`, () => check(body, isLost));
});

describe("a path that returns while its transaction is open", () => {
  const OPEN =
    "a path returns without COMMIT or ROLLBACK, so that the connection keeps the transaction";
  async function leaves(before: string): Promise<boolean> {
    const text = `import { Pool } from "pg";
const pool = new Pool();
export async function f(id: number, n: number) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query("UPDATE accounts SET balance = balance - $2 WHERE id = $1 RETURNING balance", [id, n]);
    if (rows[0].balance < 0) { ${before} return false; }
    await client.query("COMMIT");
    return true;
  } catch (e) { await client.query("ROLLBACK"); throw e; } finally { client.release(); }
}`;
    const found = await transactionsOf(ACCOUNTS_AND_LOG, { "a.ts": text });
    return found.some(({ taint }) => taint.some(({ reason }) => reason === OPEN));
  }

  for (const [before, isOpen] of [
    ["", true],
    ["await pool.query('ROLLBACK');", true],
    ["await client.query('ROLLBACK');", false],
    ["await client.query('COMMIT');", false],
    ["throw new Error('no');", false],
  ] as const)
    it(`${isOpen ? "is lost" : "stands"}: ${before}`, async () => {
      assert.equal(await leaves(before), isOpen);
    });
});
