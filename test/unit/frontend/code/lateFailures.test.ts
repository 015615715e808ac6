// Failures behind the last statement: the database does not tell of them, unless rows decide them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { transactionsOf } from "./codePrograms";

const DDL = "CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL);";
const HEAD = `import { Pool } from "pg"; import express from "express";
const pool = new Pool(); const router = express.Router();
async function inTransaction(work) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally { client.release(); }
}`;

async function boundariesOf(body: string): Promise<readonly string[]> {
  const text = `${HEAD}\nrouter.post("/take", async (req, res, next) => { ${body} });`;
  return (await transactionsOf(DDL, { "a.ts": text })).map(({ boundary }) => boundary);
}

const take = `const left = await inTransaction(async (client) => {
  const { rows } = await client.query("SELECT stock FROM item WHERE id = $1", [req.body.id]);
  await client.query("UPDATE item SET stock = $2 WHERE id = $1", [req.body.id, rows[0].stock - 1]);
  return rows[0].stock;
});`;

test("a handler that answers behind its transaction is that transaction", async () => {
  assert.deepEqual(
    await boundariesOf(`try { ${take} res.json({ ok: true }); } catch (error) { next(error); }`),
    ["explicit"],
  );
});

test("what rows decide behind it is a part of it, and so is what is run behind it", async () => {
  assert.deepEqual(await boundariesOf(`${take} if (left < 5) throw new Error("few are left");`), [
    "unit",
  ]);
  assert.deepEqual(
    await boundariesOf(
      `try { ${take} res.json({ ok: true }); await pool.query("DELETE FROM item WHERE stock = 0"); } catch (error) { next(error); }`,
    ),
    ["unit"],
  );
});
