// A unit with two guards on two tables: each guard's read goes stale, and each is a finding of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import { createProjectReader } from "../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { analyseProgram, sql } from "./analyse";

const SCHEMA = `CREATE TABLE products (id int PRIMARY KEY, stock int NOT NULL);
CREATE TABLE coupons (code int PRIMARY KEY, used int NOT NULL);
CREATE TABLE calls (id int PRIMARY KEY);`;
const ORDER = `import { Pool } from "pg";
const pool = new Pool();
export async function order(id: number, amount: number, coupon: number, call: number) {
  await pool.query("INSERT INTO calls VALUES ($1)", [call]);
  const client = await pool.connect();
  await client.query("BEGIN");
  try {
    const { rows: [product] } = await client.query("SELECT stock FROM products WHERE id = $1", [id]);
    if (product.stock < amount) throw new Error("out of stock");
    const { rows: [own] } = await client.query("SELECT used FROM coupons WHERE code = $1", [coupon]);
    if (own.used >= 5) throw new Error("used up");
    await client.query("UPDATE coupons SET used = used + 1 WHERE code = $1", [coupon]);
    await client.query("UPDATE products SET stock = stock - $1 WHERE id = $2", [amount, id]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}`;

test("a finding on fewer tables does not hide the other read", async () => {
  const reader = createProjectReader({ pg: await loadPgParser() }, await loadCodeParsers());
  const files = [sql(SCHEMA, "schema.sql"), sql(ORDER, "order.ts")];
  const program = reader.read({ files, context: [], configuration: DEFAULT_CONFIGURATION });
  const { anomalies } = await analyseProgram(program, "postgres:read-committed", 2);
  const stale = anomalies.flatMap(({ cycle }) => cycle.filter((edge) => edge.dependency === "rw"));
  assert.deepEqual([...new Set(stale.map(({ table }) => table))].sort(), ["coupons", "products"]);
});
