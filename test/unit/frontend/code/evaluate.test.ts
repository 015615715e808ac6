// The evaluator of application code: what small programs with node-postgres and postgres.js are in the AR.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = `
CREATE TABLE accounts (id int PRIMARY KEY, owner text NOT NULL, balance int NOT NULL, note text);
CREATE TABLE log (id serial PRIMARY KEY, account int, amount int NOT NULL);
`;

const POOL = `import { Pool } from "pg";
const pool = new Pool();
`;

/** The reading of a module: its transactions with their commands, and what was lost. */
async function check(text: string, expected: readonly string[]): Promise<void> {
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), expected);
}

describe("the evaluator", () => {
  it("asks of either part of a condition what is false for its type", () =>
    check(
      POOL +
        `
export async function f(id) {
  const { rows: [a] } = await pool.query("SELECT balance, note FROM accounts WHERE id = $1", [id]);
  if (!a || a.balance) return;
  await pool.query("DELETE FROM accounts WHERE id = $1", [id]);
}`,
      [
        "f unit",
        "  r1 = select accounts.balance as balance, accounts.note as note from accounts where (accounts.id = :id)",
        "  if ((size(r1) <= 0) ? (size(r1) <= 0) : (not (r1.balance is null) and (r1.balance <> 0)))",
        "    return",
        "  delete accounts where (accounts.id = :id)",
      ],
    ));

  it("keeps what an unknown promise gives, whatever catches its errors", () =>
    check(
      `${POOL}import { verify } from "elsewhere";
export async function f(id: number) {
  const { rows: [a] } = await pool.query("SELECT note FROM accounts WHERE id = $1", [id]);
  const v = await verify({ id, text: Buffer.from(a.note) }).catch(() => null);
  if (!v?.ok) throw new Error("refused");
  await pool.query("DELETE FROM accounts WHERE id = $1", [id]);
}`,
      [
        "f unit",
        "  r1 = select accounts.note as note from accounts where (accounts.id = :id)",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  if not unknown(:id, r1.note)",
        "    rollback",
        "  delete accounts where (accounts.id = :id)",
      ],
    ));

  it("trims a text to the same each time, also of items that it keeps", () =>
    check(
      `${POOL}const isFilled = (text: string) => text.trim() !== "";
export async function f(id: number, note: string, all: { id: number; note: string }[]) {
  if (!isFilled(note)) return;
  await pool.query("UPDATE accounts SET note = $2 WHERE id = $1", [id, note.trim()]);
  for (const one of all.filter((each) => each.note.trim() !== "")) {
    await pool.query("DELETE FROM accounts WHERE id = $1", [one.id]);
  }
}`,
      [
        "f unit",
        '  if (trim(:note) = "")',
        "    return",
        "  update accounts set note = trim(:note) where (accounts.id = :id)",
        "  loop count",
        '    if not (trim(:all.note[@i1]) == "")',
        "      delete accounts where (accounts.id = :all.id[@i1])",
      ],
    ));

  it("takes what a package gives neither for true nor for there", async () => {
    const asked = ["settings.isOn", "!settings.isOn", "isOn", "settings.isOn == null", "!!isOn"];
    for (const each of asked) {
      const text = `${POOL}import settings, { isOn } from "elsewhere";
export async function f(id: number) {
  if (${each}) await pool.query("DELETE FROM accounts WHERE id = $1", [id]);
  else await pool.query("UPDATE accounts SET balance = 1 WHERE id = $1", [id]);
}`;
      const lines = printed(await transactionsOf(DDL, { "a.ts": text }));
      assert.match(lines[1] ?? "", /^ {2}if .*unknown\(\)/u, each);
      assert.equal(lines.length, 5, each);
    }
    const text = `${POOL}import holder from "elsewhere";
class Store { drop(id: number) { return pool.query("DELETE FROM accounts WHERE id = $1", [id]); } }
export async function f(id: number) { const store = holder.store ?? new Store(); await store.drop(id); }`;
    assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
      "f autocommit",
      "  if not (unknown() is null)",
      "  else",
      "    delete accounts where (accounts.id = :id)",
      "  ! store.drop() may be something else, which is not known",
    ]);
  });

  it("tells what reads a text from what checks a value", () =>
    check(
      `${POOL}import { parse } from "csv-parse/sync";
import * as v from "valibot";
import { Id, Rows } from "./schemas";
export async function f(text: string, id: number) {
  const rows = parse<any>(text, { columns: true });
  if (rows.length > 100) throw new Error("too many");
  await pool.query("UPDATE accounts SET balance = $2 WHERE id = $1", [Id.parse(id), rows.length]);
}
export async function g(id: number) {
  const own = v.parse(Id, id);
  await pool.query("DELETE FROM accounts WHERE id = $1", [own]);
}`,
      [
        "f autocommit",
        "  if (code:parse.length(:text, true) > 100)",
        "    rollback",
        "  update accounts set balance = code:parse.length(:text, true) where (accounts.id = :id)",
        "g autocommit",
        "  delete accounts where (accounts.id = :id)",
      ],
    ));

  it("keeps conditions on the environment", () =>
    check(
      `${POOL}export async function f(id: string) {
  if (process.env.BLOCKED.includes(id)) throw new Error("blocked");
  console.log(process.memoryUsage());
  await pool.query("DELETE FROM accounts WHERE owner = $1", [id]);
}`,
      [
        "f autocommit",
        "  if (not (code:process.env.BLOCKED.includes(:id) is null) and code:truth(code:process.env.BLOCKED.includes(:id)))",
        "    rollback",
        "  delete accounts where (accounts.owner = :id)",
      ],
    ));

  it("gives nothing for what is asked of null with ?.", () =>
    check(
      POOL +
        `
async function session(id) {
  if (!id) return null;
  const { rows: [user] } = await pool.query("SELECT id FROM accounts WHERE id = $1", [id]);
  return user ? { user } : null;
}
export async function f(id: number) {
  const s = await session(id);
  if (!s?.user) throw new Error("nobody");
  await pool.query("DELETE FROM accounts WHERE id = $1", [s.user.id]);
}`,
      [
        "f unit",
        "  if not (not (:id is null) and (:id <> 0))",
        "    @return1 := 1",
        "  else",
        "    r1 = select accounts.id as id from accounts where (accounts.id = :id)",
        "    @return1 := 2",
        "  if not ((@return1 = 1) ? false : (size(r1) > 0))",
        "    rollback",
        "  if (@return1 = 1)",
        "    rollback",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  delete accounts where (accounts.id = r1.id)",
      ],
    ));

  it("follows closures that are given a connection's parameters", () =>
    check(
      POOL +
        `
export async function f(id, n) {
  const c = await pool.connect();
  const run = (sql, ...args) => c.query(sql, args);
  await run("BEGIN");
  const { rows: [a] } = await run("SELECT balance FROM accounts WHERE id = $1", id);
  const set = async (value) => { await run("UPDATE accounts SET balance = $1 WHERE id = $2", value, id); };
  if (a.balance >= n) await set(a.balance - n); else throw new Error("poor");
  await run("COMMIT");
}`,
      [
        "f explicit",
        "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  if (r1.balance >= :n)",
        "    update accounts set balance = (r1.balance - :n) where (accounts.id = :id)",
        "  else",
        "    rollback",
      ],
    ));

  it("reads SQL that is put together by conditions", async () => {
    const locked = [
      "f autocommit",
      "  if (not (:lock is null) and :lock)",
      "    r1 = select accounts.balance as balance from accounts where (accounts.id = :id) for update",
      "  else",
      "    r2 = select accounts.balance as balance from accounts where (accounts.id = :id)",
    ];
    const from = (body: string): string => `${POOL}export async function f(id, lock) {${body}}`;
    const sql = "SELECT balance FROM accounts WHERE id = $1";
    await check(
      from(`let sql = "${sql}"; if (lock) sql += " FOR UPDATE"; await pool.query(sql, [id]);`),
      locked,
    );
    await check(from(`await pool.query(\`${sql} \${lock ? "FOR UPDATE" : ""}\`, [id]);`), locked);
    await check(
      from(
        `let sql = "${sql.slice(0, -14)}"; if (lock) sql += " WHERE id = $1";
         if (lock) sql += " FOR UPDATE"; else sql += " WHERE id = $1";
         await pool.query(sql, [id]);`,
      ),
      locked,
    );
    const many = "abcde".split("").map((name) => `if (id.${name}) sql += " OR ${name}";`);
    const body = `let sql = "${sql}"; ${many.join(" ")} await pool.query(sql, [id]);`;
    const [found] = await transactionsOf(DDL, { "a.ts": from(body) });
    assert.match(JSON.stringify(found?.body), /SQL that is made elsewhere/u);
    const columns = "await pool.query(`SELECT ${id.columns.join()} FROM t WHERE id = $1`, [1]);";
    const [selecting] = await transactionsOf(DDL, { "a.ts": from(columns) });
    assert.match(JSON.stringify(selecting?.body), /what this statement selects is made elsewhere/u);
  });

  it("says what objects do whose class is not read", () =>
    check(
      POOL +
        `
import { UserRepository } from "@acme/users";
export async function f(id, users: UserRepository) {
  await users.touch(id);
  await pool.query("UPDATE accounts SET balance = 1 WHERE id = $1", [id]);
}
export async function g(id, users: UserRepository) { await users.touch(id); }`,
      [
        "f autocommit",
        "  update accounts set balance = 1 where (accounts.id = :id)",
        "  ! what users.touch() does with the database is not known",
      ],
    ));

  it("takes both of two texts, each where it is meant", () =>
    check(
      POOL +
        `
export async function f(id, lock) {
  const c = await pool.connect();
  await c.query("BEGIN");
  const r = await c.query(lock ? "SELECT balance FROM accounts WHERE id = $1 FOR UPDATE" : "SELECT balance FROM accounts WHERE id = $1", [id]);
  await c.query("UPDATE accounts SET balance = $1 WHERE id = $2", [r.rows[0].balance + 1, id]);
  await c.query("COMMIT");
}`,
      [
        "f explicit",
        "  if (not (:lock is null) and :lock)",
        "    r1 = select accounts.balance as balance from accounts where (accounts.id = :id) for update",
        "  else",
        "    r2 = select accounts.balance as balance from accounts where (accounts.id = :id)",
        "  update accounts set balance = (((not (:lock is null) and :lock) ? r1.balance : r2.balance) + 1) where (accounts.id = :id)",
      ],
    ));

  it("goes on from continue to the next round: a for counts, a do tests", () =>
    check(
      POOL +
        `
export async function f(id, n) {
  let at;
  for (at = 1; at <= n; at++) {
    const r = await pool.query("SELECT balance FROM accounts WHERE id = $1", [at]);
    if (r.rowCount === 0) continue;
    await pool.query("DELETE FROM accounts WHERE id = $1", [at]);
  }
  do {
    const s = await pool.query("SELECT balance FROM accounts WHERE id = $1", [n]);
    if (s.rowCount === 0) continue;
    await pool.query("DELETE FROM accounts WHERE id = $1", [n]);
    n--;
  } while (n > id);
}`,
      [
        "f unit",
        "  @v1 := 1",
        "  loop while",
        "    r1 = select accounts.balance as balance from accounts where (accounts.id = @v1)",
        "    if (size(r1) = 0)",
        "      @v1 := (@v1 + 1)",
        "      continue",
        "    delete accounts where (accounts.id = @v1)",
        "    @v1 := (@v1 + 1)",
        "  @v2 := :n",
        "  loop while",
        "    r2 = select accounts.balance as balance from accounts where (accounts.id = @v2)",
        "    if (size(r2) = 0)",
        "      if not (@v2 > :id)",
        "        exit",
        "      continue",
        "    delete accounts where (accounts.id = @v2)",
        "    if not ((@v2 - 1) > :id)",
        "      @v2 := (@v2 - 1)",
        "      exit",
        "    @v2 := (@v2 - 1)",
      ],
    ));

  it("carries variables from round to round, also past continue", () =>
    check(
      POOL +
        `
export async function f(id) {
  const c = await pool.connect();
  await c.query("BEGIN");
  let left = 3;
  let sum = 0;
  while (left > 0) {
    const r = await c.query("SELECT balance FROM accounts WHERE id = $1", [left]);
    if (r.rowCount === 0) { left = left - 1; continue; }
    sum += r.rows[0].balance;
    left -= 1;
  }
  await c.query("INSERT INTO log (account, amount) VALUES ($1, $2)", [id, sum]);
  await c.query("COMMIT");
  return sum;
}`,
      [
        "f explicit",
        "  @v1 := 3",
        "  @v2 := 0",
        "  loop while",
        "    r1 = select accounts.balance as balance from accounts where (accounts.id = @v1)",
        "    if (size(r1) = 0)",
        "      @v1 := (@v1 - 1)",
        "      continue",
        "    @v3 := (@v1 - 1)",
        "    @v4 := (@v2 + r1.balance)",
        "    @v1 := @v3",
        "    @v2 := @v4",
        "  insert log {id = fresh sequence, account = :id, amount = @v2}",
        "  return @v2",
      ],
    ));

  it("knows that PostgreSQL undoes a transaction at the first error", () =>
    check(
      POOL +
        `
export async function f(id) {
  const c = await pool.connect();
  try {
    await c.query("BEGIN");
    try {
      await c.query("INSERT INTO accounts (id, owner, balance) VALUES ($1, 'x', 0)", [id]);
    } catch (e) {
      await c.query("UPDATE accounts SET balance = balance + 1 WHERE id = $1", [id]);
    }
    await c.query("COMMIT");
  } catch (e) { await c.query("ROLLBACK"); throw e; }
}`,
      ["f explicit", '  insert accounts {id = :id, owner = "x", balance = 0, note = null}'],
    ));

  it("runs what is awaited together in its order, for each item of an argument", () =>
    check(
      POOL +
        `
export async function f(ids) {
  const [a, b] = await Promise.all([pool.query("SELECT balance FROM accounts WHERE id = $1", [ids.a]), pool.query("SELECT balance FROM accounts WHERE id = $1", [ids.b])]);
  const total = a.rows[0].balance + b.rows[0]?.balance;
  await Promise.all(ids.list.map((each) => pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [total, each.id])));
}`,
      [
        "f unit",
        "  r1 = select accounts.balance as balance from accounts where (accounts.id = :ids.a)",
        "  r2 = select accounts.balance as balance from accounts where (accounts.id = :ids.b)",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  loop count",
        "    update accounts set balance = (r1.balance + r2.balance) where (accounts.id = :ids.list.id[@i1])",
      ],
    ));

  it("recovers texts from templates, sums and quotes", () =>
    check(
      POOL +
        `
const COLUMNS = ["id", "balance"].join(", ");
const TABLE = "accounts";
export async function f(id, name) {
  const r = await pool.query(\`SELECT id, balance FROM \${TABLE} WHERE owner = '\${name}' AND note LIKE '%\${name}%'\`);
  await pool.query("UPDATE " + TABLE + " SET balance = " + (r.rows.length + 1) + " WHERE id = " + id);
}`,
      [
        "f unit",
        '  r1 = select accounts.id as id, accounts.balance as balance from accounts where ((accounts.owner = :name) and (accounts.note like (("%" || :name) || "%")))',
        "  update accounts set balance = (size(r1) + 1) where (accounts.id = :id)",
      ],
    ));

  it("follows methods of objects and of what their classes extend", () =>
    check(
      `import { Pool, PoolClient } from "pg";
export class Base { constructor(protected pool: Pool) {}
  async tx(fn: (c: PoolClient) => Promise<any>) { const c = await this.pool.connect(); try { await c.query("BEGIN ISOLATION LEVEL SERIALIZABLE"); const r = await fn(c); await c.query("COMMIT"); return r; } catch (e) { await c.query("ROLLBACK"); throw e; } finally { c.release(); } } }
export class Bank extends Base {
  private async read(c: PoolClient, id: number) { const r = await c.query<{ balance: number }>("SELECT balance FROM accounts WHERE id = $1", [id]); return r.rows[0]?.balance ?? 0; }
  async add(id: number, n: number) { return this.tx(async (c) => { const b = await this.read(c, id); await c.query("UPDATE accounts SET balance = $1 WHERE id = $2", [b + n, id]); return b + n; }); }
}`,
      [
        "Bank.add explicit @ postgres:serializable",
        "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
        "  update accounts set balance = ((not (r1.balance is null) ? r1.balance : 0) + :n) where (accounts.id = :id)",
        "  return ((not (r1.balance is null) ? r1.balance : 0) + :n)",
      ],
    ));

  it("evaluates what a factory gives back", () =>
    check(
      `export default function make({ db }) {
  const find = (id) => db.query("SELECT * FROM accounts WHERE id = $1", [id]).then((r) => r.rows[0]);
  return { async rename(id, owner) { const a = await find(id); if (a === undefined) return false; await db.query("UPDATE accounts SET owner = $1 WHERE id = $2", [owner, a.id]); return true; } };
}`,
      [
        "make.rename unit",
        "  r1 = select accounts.id as id, accounts.owner as owner, accounts.balance as balance, accounts.note as note from accounts where (accounts.id = :id)",
        "  if (size(r1) <= 0)",
        "    return false",
        "  update accounts set owner = :owner where (accounts.id = r1.id)",
        "  return true",
      ],
    ));

  it("takes what runs on a caller's connection for a part of a transaction", () =>
    check(
      `import type { PoolClient } from "pg";
export async function move(client: PoolClient, id: number) {
  const { rows } = await client.query("SELECT balance FROM accounts WHERE id = $1", [id]);
  for (const row of rows) await client.query("INSERT INTO log (account, amount) VALUES ($1, $2)", [id, row.balance]);
}`,
      [
        "move explicit",
        "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
        "  loop rows",
        "    insert log {id = fresh sequence, account = :id, amount = r1.balance}",
      ],
    ));

  it("keeps savepoints, and the level that is set inside", () =>
    check(
      POOL +
        `
export async function f(id) {
  const c = await pool.connect();
  await c.query("BEGIN");
  await c.query("SAVEPOINT s");
  await c.query("DELETE FROM accounts WHERE id = $1", [id]);
  await c.query("ROLLBACK TO SAVEPOINT s");
  await c.query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
  await c.query("COMMIT");
}`,
      [
        "f explicit @ postgres:serializable",
        "  savepoint s",
        "  delete accounts where (accounts.id = :id)",
        "  rollbackTo s",
      ],
    ));

  it("understands tests and filters of rows; says what it does not understand", () =>
    check(
      POOL +
        `
export async function f(id) {
  const { rows } = await pool.query("SELECT id, balance FROM accounts WHERE owner = $1", [id]);
  if (rows.some((r) => r.balance < 0)) throw new Error("debt");
  const rich = rows.filter((r) => r.balance > 100);
  for (const r of rich) await pool.query("UPDATE accounts SET balance = balance - 1 WHERE id = $1", [r.id]);
  const ids = rows.map((r) => r.id);
  await pool.query("DELETE FROM accounts WHERE id = ANY($1)", [ids]);
}`,
      [
        "f unit",
        "  r1 = select accounts.id as id, accounts.balance as balance from accounts where (accounts.owner = :id)",
        "  if any(of r1 where (r1.balance < 0))",
        "    rollback",
        "  loop rows",
        "    if (r1.balance > 100)",
        "      update accounts set balance = (accounts.balance - 1) where (accounts.id = r1.id)",
        "  delete accounts where any(of r1 where (accounts.id = r1.id))",
      ],
    ));

  it("says that a list which a loop fills is not known", () =>
    check(
      POOL +
        `
export async function f(items) {
  const c = await pool.connect();
  await c.query("BEGIN");
  const values = [];
  for (const item of items) { values.push(item.id); }
  await c.query("INSERT INTO log (account, amount) VALUES ($1, $2)", values);
  await c.query("COMMIT");
}`,
      [
        "f explicit",
        "  insert log {id = fresh sequence, account = unknown(unknown(:items.id[@i1])), amount = unknown(unknown(:items.id[@i1]))}",
        "  ! a parameter of a list that is not known",
        "  ! this list is used as a value",
      ],
    ));

  it("tells a transaction from what follows it", () =>
    check(
      `import postgres from "postgres";
const sql = postgres();
export async function f(id: number, n: number) {
  await sql.begin("isolation level repeatable read", async (sql) => {
    const [a] = await sql\`select balance from accounts where id = \${id}\`;
    if (!a) throw new Error("none");
    await sql\`update accounts set balance = \${a.balance + n} where id = \${id}\`;
  });
  await sql\`insert into log (account, amount) values (\${id}, \${n})\`;
}`,
      [
        "f unit",
        "  atomic postgres:repeatable-read",
        "    r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
        "    if (size(r1) <= 0)",
        "      rollback",
        "    update accounts set balance = (r1.balance + :n) where (accounts.id = :id)",
        "  insert log {id = fresh sequence, account = :id, amount = :n}",
      ],
    ));

  it("follows a function once within itself", () =>
    check(
      POOL +
        `
async function walk(c, id) { const r = await c.query("SELECT id FROM accounts WHERE id = $1", [id]); if (r.rows[0]) await walk(c, r.rows[0].id + 1); }
export async function f(id) { const c = await pool.connect(); await c.query("BEGIN"); await walk(c, id); await c.query("COMMIT"); }`,
      [
        "f explicit",
        "  r1 = select accounts.id as id from accounts where (accounts.id = :id)",
        "  if (size(r1) > 0)",
        "    r2 = select accounts.id as id from accounts where (accounts.id = (r1.id + 1))",
        "    if (size(r2) > 0)",
        "      loop recursion",
      ],
    ));

  it("says what unknown functions are given, and what they give", () =>
    check(
      POOL +
        `
import { audit, cache } from "somewhere";
export async function f(id) {
  const c = await pool.connect();
  await c.query("BEGIN");
  const r = await c.query("SELECT balance FROM accounts WHERE id = $1", [id]);
  const fee = audit.fee(r.rows[0].balance);
  await audit.write(c, id);
  const rate = cache.rate();
  await c.query("UPDATE accounts SET balance = $1, note = $3 WHERE id = $2", [r.rows[0].balance - fee, id, rate]);
  await c.query("COMMIT");
}`,
      [
        "f explicit",
        "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  update accounts set balance = (r1.balance - unknown(r1.balance)), note = :cache.rate() where (accounts.id = :id)",
        "  ! audit.write() is given a connection, and what it does is not known",
        "  ! audit.fee is not known",
      ],
    ));
});
