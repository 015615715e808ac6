// A function that asks a service and handles its failures gives an answer from outside, and no path of it stays in the program.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Transaction } from "../../../../server/src/program/program";
import { ACCOUNTS_AND_LOG, transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const POOL = `import { Pool } from "pg";\nexport const pool = new Pool();`;

/** A cache in another process, of which errors are logged. */
const CACHE = `import Redis from "ioredis";
export class Cache {
  private static client: Redis;
  static get default() { return this.client || (this.client = new Redis(process.env.REDIS)); }
  static async get(key: string) {
    try {
      const data = await Cache.default.get(key);
      if (data !== null) return JSON.parse(data);
    } catch (error) {
      console.error(error);
    }
    return;
  }
}`;

async function run(body: string, more = ""): Promise<Transaction> {
  const found = await transactionsOf(ACCOUNTS_AND_LOG, {
    "pool.ts": POOL,
    "cache.ts": CACHE,
    "a.ts": `import { pool } from "./pool";
import { Cache } from "./cache";
${more}
export async function run(id: number) {
${body}
}`,
  });
  const own = found.find(({ name }) => name === "run");
  assert.ok(own);
  return own;
}

const WRITE = `await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [n, id]);`;

describe("a function that asks a service", () => {
  it("gives an input, new with each call", async () => {
    const read = await run(`const a = await Cache.get("a" + id);
  const b = await Cache.get("a" + id);
  const n = a === undefined ? b : 1;
  ${WRITE}`);
    assert.deepEqual(read.taint, []);
    assert.deepEqual(printed([read]).slice(1), [
      "  update accounts set balance = ((:Cache.get() is null) ? :Cache.get() 2 : 1) where (accounts.id = :id)",
    ]);
  });

  it("is followed where it runs a statement", async () => {
    const more = `async function load(id: number) {
  try {
    const data = await Cache.default.get("x");
    if (data !== null) return JSON.parse(data);
  } catch (error) { console.error(error); }
  await pool.query("INSERT INTO log (amount) VALUES ($1)", [1]);
}`;
    const read = await run(`const n = await load(id);\n  ${WRITE}`, more);
    assert.match(JSON.stringify(read.body), /"kind":"insert"/u);
  });

  it("is followed where it looks at what was read", async () => {
    const more = `async function load(row: any) {
  try {
    const data = await Cache.default.get("x");
    if (data !== null && row.balance > 3) return 7;
  } catch (error) { console.error(error); }
  return 5;
}`;
    const read = await run(
      `const { rows } = await pool.query("SELECT * FROM accounts WHERE id = $1", [id]);
  const n = await load(rows[0]);
  ${WRITE}`,
      more,
    );
    assert.match(JSON.stringify(read.body), /"value":7/u);
  });

  it("is followed where it changes what its caller has", async () => {
    const more = `async function load(into: any) {
  try {
    const data = await Cache.default.get("x");
    if (data !== null) into.n = 7;
  } catch (error) { console.error(error); }
}`;
    const read = await run(
      `const into = { n: 3 };\n  await load(into);\n  const { n } = into;\n  ${WRITE}`,
      more,
    );
    assert.match(JSON.stringify(read.body), /"value":7/u);
    assert.match(JSON.stringify(read.body), /"value":3/u);
  });

  it("may fail where it throws", async () => {
    const more = `async function load() {
  const data = await Cache.default.get("x");
  if (data === null) throw new Error("no");
  return JSON.parse(data);
}`;
    const read = await run(`const n = await load();\n  ${WRITE}`, more);
    assert.match(JSON.stringify(read.body), /"kind":"rollback"/u);
  });
});
