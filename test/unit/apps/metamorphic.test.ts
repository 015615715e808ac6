// Programs that do the same, written in different ways, are found to have the same anomalies: each variant of a program is
// compared with its first one, with the words that stand for its kinds of anomaly.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import { createProjectReader } from "../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { analyseProgram, sql } from "../truth/analyse";

const SCHEMA = `CREATE TABLE account (id int PRIMARY KEY, owner int NOT NULL, balance int NOT NULL);
CREATE TABLE seat (id serial PRIMARY KEY, room int NOT NULL, guest int NOT NULL);`;

const parsers = Promise.all([loadPgParser(), loadCodeParsers()]);

/** The kinds of what is found in files of code, with how it was confirmed; losses are told as well. */
async function found(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const [pg, code] = await parsers;
  const all = Object.entries({ "schema.sql": SCHEMA, ...files }).map(([name, text]) =>
    sql(text, name),
  );
  const program = createProjectReader({ pg }, code).read({
    files: all,
    context: [],
    configuration: DEFAULT_CONFIGURATION,
  });
  const { anomalies, unknown } = await analyseProgram(program, "postgres:read-committed", 2);
  return [
    ...anomalies.map(({ kind, status, severity }) => `${kind} ${status} ${severity}`).sort(),
    ...unknown.map(({ reason }) => `unknown: ${String(reason)}`),
  ];
}

type Variants = readonly (string | Readonly<Record<string, string>>)[];

/** All variants give what the first one gives, and that is as expected. */
async function same(expected: readonly string[], variants: Variants): Promise<void> {
  for (const [at, variant] of variants.entries()) {
    const files = typeof variant === "string" ? { "code.ts": variant } : variant;
    assert.deepEqual(await found(files), expected, `variant ${String(at + 1)}`);
  }
}

const POOL = `import { Pool } from "pg";
const pool = new Pool();
`;
const LOST = ["lost-update confirmed state"];

test("a balance that is read and written back", async () => {
  await same(LOST, [
    `${POOL}export async function pay(id: number, amount: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  const { rows } = await client.query("SELECT balance FROM account WHERE id = $1", [id]);
  if (rows.length === 0) throw new Error("nobody");
  await client.query("UPDATE account SET balance = $2 WHERE id = $1", [id, rows[0].balance - amount]);
  await client.query("COMMIT");
}`,
    // Other names, an arrow, fields instead of patterns.
    `${POOL}export const spend = async (who: number, much: number): Promise<void> => {
  const c = await pool.connect();
  await c.query("BEGIN");
  const answer = await c.query("SELECT balance FROM account WHERE id = $1", [who]);
  if (answer.rows.length === 0) throw new Error("nobody");
  const left = answer.rows[0].balance - much;
  await c.query("UPDATE account SET balance = $2 WHERE id = $1", [who, left]);
  await c.query("COMMIT");
};`,
    // A template, nested patterns, the return early instead of an error, else instead of falling through.
    `${POOL}export async function pay(id: number, amount: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  const { rows: [row] } = await client.query({ text: \`SELECT balance FROM account WHERE id = $1\`, values: [id] });
  if (!row) {
    await client.query("ROLLBACK");
    return;
  } else {
    const { balance } = row;
    await client.query(\`UPDATE account SET balance = $2 WHERE id = $1\`, [id, balance - amount]);
    await client.query("COMMIT");
  }
}`,
    // Helpers, an object of options, a transaction around a function.
    `${POOL}async function inTransaction<T>(work: (client: any) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}
async function load(client: any, id: number) {
  const { rows } = await client.query("SELECT balance FROM account WHERE id = $1", [id]);
  if (rows.length === 0) throw new Error("nobody");
  return rows[0];
}
export const pay = ({ id, amount }: { id: number; amount: number }) =>
  inTransaction(async (client) => {
    const account = await load(client, id);
    account.balance -= amount;
    await client.query("UPDATE account SET balance = $2 WHERE id = $1", [id, account.balance]);
  });`,
    // In several files, and a class.
    {
      "db.ts": `${POOL}export { pool };
export const GET = "SELECT balance FROM account";`,
      "accounts.ts": `import { GET } from "./db";
export class Accounts {
  constructor(private readonly client) {}
  async balance(id: number) {
    const found = await this.client.query(GET + " WHERE id = $1", [id]);
    const [first] = found.rows;
    if (first === undefined) throw new Error("nobody");
    return first.balance;
  }
  async set(id: number, balance: number) {
    await this.client.query("UPDATE account SET balance = $1 WHERE id = $2", [balance, id]);
  }
}`,
      "pay.ts": `import { pool } from "./db";
import { Accounts } from "./accounts";
export async function pay(id: number, amount: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  const accounts = new Accounts(client);
  await accounts.set(id, (await accounts.balance(id)) - amount);
  await client.query("COMMIT");
}`,
    },
    // postgres.js.
    `import postgres from "postgres";
const sql = postgres();
export const pay = (id: number, amount: number) =>
  sql.begin(async (tx) => {
    const [row] = await tx\`SELECT balance FROM account WHERE id = \${id}\`;
    if (!row) throw new Error("nobody");
    await tx\`UPDATE account SET balance = \${row.balance - amount} WHERE id = \${id}\`;
  });`,
    // knex.
    `import knex from "knex";
const db = knex({ client: "pg" });
export async function pay(id: number, amount: number) {
  await db.transaction(async (trx) => {
    const row = await trx("account").select("balance").where({ id }).first();
    if (!row) throw new Error("nobody");
    await trx("account").where({ id }).update({ balance: row.balance - amount });
  });
}`,
  ]);
});

test("the same with the row locked, or changed in place, is free of anomalies", async () => {
  await same(
    [],
    [
      `${POOL}export async function pay(id: number, amount: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  const { rows } = await client.query("SELECT balance FROM account WHERE id = $1 FOR UPDATE", [id]);
  if (rows.length === 0) throw new Error("nobody");
  await client.query("UPDATE account SET balance = $2 WHERE id = $1", [id, rows[0].balance - amount]);
  await client.query("COMMIT");
}`,
      `${POOL}export async function pay(id: number, amount: number) {
  await pool.query("UPDATE account SET balance = balance - $2 WHERE id = $1", [id, amount]);
}`,
      `import postgres from "postgres";
const sql = postgres();
export const pay = (id: number, amount: number) =>
  sql.begin(async (tx) => {
    const [row] = await tx\`SELECT balance FROM account WHERE id = \${id} FOR UPDATE\`;
    if (!row) return;
    await tx\`UPDATE account SET balance = \${row.balance - amount} WHERE id = \${id}\`;
  });`,
      `import knex from "knex";
const db = knex({ client: "pg" });
export async function pay(id: number, amount: number) {
  await db.transaction(async (trx) => {
    const row = await trx("account").where({ id }).forUpdate().first();
    if (!row) return;
    await trx("account").where({ id }).update({ balance: row.balance - amount });
  });
}`,
    ],
  );
});

test("a count below a limit, then an insertion", async () => {
  const begin = `${POOL}export async function book(room: number, guest: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
`;
  const end = `
  await client.query("COMMIT");
}`;
  const insert = `await client.query("INSERT INTO seat (room, guest) VALUES ($1, $2)", [room, guest]);`;
  const count = `await client.query("SELECT count(*)::int AS n FROM seat WHERE room = $1", [room])`;
  await same(
    ["predicate-write-skew confirmed state"],
    [
      `${begin}  const { rows } = ${count};
  if (rows[0].n >= 1) throw new Error("full");
  ${insert}${end}`,
      `${begin}  const [{ n }] = (${count}).rows;
  if (n < 1) {
    ${insert}
  } else {
    await client.query("ROLLBACK");
    return;
  }${end}`,
      `${begin}  const taken = (${count}).rows[0].n;
  const isFull = !(taken < 1);
  if (isFull) {
    await client.query("ROLLBACK");
    return "full";
  }
  ${insert}${end}`,
      `${begin}  const result = await client.query("SELECT id FROM seat WHERE room = $1", [room]);
  if (result.rowCount > 0) throw new Error("full");
  ${insert}${end}`,
      `${begin}  const { rows: taken } = await client.query("SELECT id FROM seat WHERE room = $1", [room]);
  if (taken.length) throw new Error("full");
  ${insert}${end}`,
    ],
  );
});

test("rows that are gone through", async () => {
  const begin = `${POOL}export async function double(owner: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  const { rows } = await client.query("SELECT id, balance FROM account WHERE owner = $1", [owner]);
`;
  const end = `
  await client.query("COMMIT");
}`;
  const set = `await client.query("UPDATE account SET balance = $2 WHERE id = $1", `;
  const first = await found({
    "code.ts": `${begin}  for (const row of rows) {
    ${set}[row.id, row.balance + 1]);
  }${end}`,
  });
  assert.ok(first.includes("lost-update confirmed state"), first.join());
  await same(first, [
    `${begin}  for (const { id, balance } of rows) ${set}[id, balance + 1]);${end}`,
    `${begin}  await Promise.all(rows.map((row) => client.query("UPDATE account SET balance = $2 WHERE id = $1", [row.id, row.balance + 1])));${end}`,
    `${begin}  await Promise.all(rows.map(async ({ id, balance }) => {
    ${set}[id, balance + 1]);
  }));${end}`,
  ]);
});

test("rows by a computed number are not understood, which is said", async () => {
  const all = await found({
    "code.ts": `${POOL}export async function double(owner: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  const { rows } = await client.query("SELECT id, balance FROM account WHERE owner = $1", [owner]);
  for (let at = 0; at < rows.length; at++)
    await client.query("UPDATE account SET balance = $2 WHERE id = $1", [rows[at].id, rows[at].balance + 1]);
  await client.query("COMMIT");
}`,
  });
  assert.ok(
    all.some((each) => each.startsWith("unknown: ")),
    all.join(),
  );
});
