// Drivers that are models of rows, each with what its client does: texts, parameters, results, transactions.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Dialect } from "../../../../server/src/program/dialect";
import { transactionsOf } from "./codePrograms";
import { losses, printed } from "./prismaPrograms";

const DDL = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);";

async function check(text: string, dialect: Dialect, expected: readonly string[]): Promise<void> {
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text }, dialect)), expected);
}

const READ = "r1 = select account.balance as balance from account where (account.id = :id)";
const TAKEN = "update account set balance = (r1.balance - :n) where (account.id = :id)";

/** A read and a write of what was read, in one transaction or two. */
const taking = (name: string, kind: string, ...within: readonly string[]) => [
  `${name} ${kind}`,
  ...within,
];

describe("better-sqlite3", () => {
  const open = 'import Database from "better-sqlite3";\nconst db = new Database("a.db");\n';
  it("runs prepared statements by themselves, with parameters one by one, in lists or by name", () =>
    check(
      `${open}const read = db.prepare("SELECT balance FROM account WHERE id = ?");
export function take(id, n) {
  const row = read.get(id);
  db.prepare("UPDATE account SET balance = @left WHERE id = @id").run({ left: row.balance - n, id });
}`,
      "sqlite",
      taking("take", "unit", `  ${READ}`, "  if (size(r1) <= 0)", "    rollback", `  ${TAKEN}`),
    ));
  it("runs what transaction() made in a transaction, in each of its modes", () =>
    check(
      `${open}const take = db.transaction((id, n) => {
  const row = db.prepare("SELECT balance FROM account WHERE id = ?").get([id]);
  db.prepare("UPDATE account SET balance = ? WHERE id = ?").run(row.balance - n, id);
});
export function once(id, n) { take(id, n); }
export function soon(id, n) { take.immediate(id, n); }`,
      "sqlite",
      ["once", "soon"].flatMap((name) =>
        taking(name, "explicit", `  ${READ}`, "  if (size(r1) <= 0)", "    rollback", `  ${TAKEN}`),
      ),
    ));
  it("does not follow values that a statement keeps", async () => {
    const [one] = await transactionsOf(
      "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);",
      {
        "a.ts": `${open}const read = db.prepare("SELECT balance FROM account WHERE id = ?");
export function look(id) { return read.bind(id).get(); }`,
      },
      "sqlite",
    );
    assert.ok(one === undefined || losses(one).join().includes("bind"));
  });
  it("gives one column where a statement is plucked", () =>
    check(
      `${open}export function take(id, n) {
  const balance = db.prepare("SELECT balance FROM account WHERE id = ?").pluck().get(id);
  db.prepare("UPDATE account SET balance = ? WHERE id = ?").run(balance - n, id);
}`,
      "sqlite",
      taking("take", "unit", `  ${READ}`, `  ${TAKEN}`),
    ));
});

describe("better-sqlite3 that is passed on", () => {
  it("holds what its functions run on it in the transaction", () =>
    check(
      `import type { Database } from "better-sqlite3";
export class Accounts {
  constructor(private readonly db: Database) {}
  take(id: number, n: number) {
    const inside = this.db.transaction(() => {
      const row = this.db.prepare("SELECT balance FROM account WHERE id = ?").get(id);
      this.db.prepare("UPDATE account SET balance = ? WHERE id = ?").run(row.balance - n, id);
    });
    inside.immediate();
  }
}`,
      "sqlite",
      taking(
        "Accounts.take",
        "explicit",
        `  ${READ}`,
        "  if (size(r1) <= 0)",
        "    rollback",
        `  ${TAKEN}`,
      ),
    ));
  it("begins and ends transactions by texts", () =>
    check(
      `import { DatabaseSync } from "node:sqlite";
const db = new DatabaseSync("a.db");
export function take(id, n) {
  db.exec("BEGIN");
  const row = db.prepare("SELECT balance FROM account WHERE id = ?").get(id);
  db.prepare("UPDATE account SET balance = ? WHERE id = ?").run(row.balance - n, id);
  db.exec("COMMIT");
}`,
      "sqlite",
      taking("take", "explicit", `  ${READ}`, "  if (size(r1) <= 0)", "    rollback", `  ${TAKEN}`),
    ));
});

describe("node:sqlite, bun:sqlite, sqlite and sqlite3", () => {
  const rows: Readonly<Record<string, string>> = {
    "node:sqlite": `import { DatabaseSync } from "node:sqlite";
const db = new DatabaseSync("a.db");
export function take(id, n) {
  const row = db.prepare("SELECT balance FROM account WHERE id = ?").get(id);
  db.prepare("UPDATE account SET balance = ? WHERE id = ?").run(row.balance - n, id);
}`,
    "bun:sqlite": `import { Database } from "bun:sqlite";
const db = new Database("a.db");
export function take(id, n) {
  const row = db.query("SELECT balance FROM account WHERE id = ?").get(id);
  db.run("UPDATE account SET balance = ? WHERE id = ?", [row.balance - n, id]);
}`,
    sqlite: `import { open } from "sqlite";
export async function take(id, n) {
  const db = await open({ filename: "a.db" });
  const row = await db.get("SELECT balance FROM account WHERE id = ?", id);
  await db.run("UPDATE account SET balance = ? WHERE id = ?", row.balance - n, id);
}`,
    sqlite3: `import sqlite3 from "sqlite3";
const db = new sqlite3.Database("a.db");
export function take(id, n) {
  db.get("SELECT balance FROM account WHERE id = ?", [id], (error, row) => {
    db.run("UPDATE account SET balance = ? WHERE id = ?", [row.balance - n, id]);
  });
}`,
  };
  for (const [name, text] of Object.entries(rows)) {
    it(`are read: ${name}`, () =>
      check(text, "sqlite", taking("take", "unit", `  ${READ}`, "  if (size(r1) <= 0)", "    rollback", `  ${TAKEN}`))); // prettier-ignore
  }
});

describe("sqlite-async", () => {
  it("runs a function in a transaction, and what it prepares", () =>
    check(
      `import { Database } from "sqlite-async";
const db = await Database.open("a.db");
export async function take(id, n) {
  await db.transaction(async (own) => {
    const row = await db.get("SELECT balance FROM account WHERE id = ?", [id]);
    const statement = await own.prepare("UPDATE account SET balance = ? WHERE id = ?");
    await statement.run(row.balance - n, id);
  });
}`,
      "sqlite",
      taking("take", "explicit", `  ${READ}`, "  if (size(r1) <= 0)", "    rollback", `  ${TAKEN}`),
    ));
});

describe("@libsql/client", () => {
  const open =
    'import { createClient } from "@libsql/client";\nconst client = createClient({ url: "file:a" });\n';
  it("opens transactions that its own methods end", () =>
    check(
      `${open}export async function take(id, n) {
  const tx = await client.transaction("write");
  try {
    const { rows } = await tx.execute({ sql: "SELECT balance FROM account WHERE id = ?", args: [id] });
    await tx.execute({ sql: "UPDATE account SET balance = ? WHERE id = ?", args: [rows[0].balance - n, id] });
    await tx.commit();
  } finally {
    tx.close();
  }
}`,
      "sqlite",
      taking("take", "explicit", `  ${READ}`, "  if (size(r1) <= 0)", "    rollback", `  ${TAKEN}`),
    ));
  it("runs a batch in one transaction", () =>
    check(
      `${open}export async function both(id, n) {
  await client.batch([{ sql: "UPDATE account SET balance = ? WHERE id = ?", args: [n, id] }, "DELETE FROM account WHERE balance < 0"]);
}`,
      "sqlite",
      [
        "both explicit",
        "  update account set balance = :n where (account.id = :id)",
        "  delete account where (account.balance < 0)",
      ],
    ));
});

describe("PGlite", () => {
  it("runs queries and templates, and callbacks in transactions", () =>
    check(
      `import { PGlite } from "@electric-sql/pglite";
const db = await PGlite.create();
export async function take(id, n) {
  await db.transaction(async (tx) => {
    const { rows } = await tx.query("SELECT balance FROM account WHERE id = $1", [id]);
    await tx.sql\`UPDATE account SET balance = \${rows[0].balance - n} WHERE id = \${id}\`;
  });
}`,
      "postgres",
      taking("take", "explicit", `  ${READ}`, "  if (size(r1) <= 0)", "    rollback", `  ${TAKEN}`),
    ));
});

describe("@tidbcloud/serverless", () => {
  it("hands out transactions with their level", () =>
    check(
      `import { connect } from "@tidbcloud/serverless";
const conn = connect({ url: process.env.URL });
export async function take(id, n) {
  const tx = await conn.begin({ isolation: "READ COMMITTED" });
  const rows = await tx.execute("SELECT balance FROM account WHERE id = ?", [id]);
  await tx.execute("UPDATE account SET balance = ? WHERE id = ?", [rows[0].balance - n, id]);
  await tx.commit();
}`,
      "mysql",
      [
        "take explicit @ mysql:read-committed",
        `  ${READ}`,
        "  if (size(r1) <= 0)",
        "    rollback",
        `  ${TAKEN}`,
      ],
    ));
});

describe("mssql", () => {
  const open = 'import sql from "mssql";\nconst pool = new sql.ConnectionPool({});\n';
  it("runs requests on the transaction that they are made of, with parameters by name", () =>
    check(
      `${open}export async function take(id: number, n: number) {
  const transaction = new sql.Transaction(pool);
  await transaction.begin(sql.ISOLATION_LEVEL.SERIALIZABLE);
  const { recordset } = await transaction.request().input("id", sql.Int, id).query("SELECT balance FROM account WHERE id = @id");
  const request = new sql.Request(transaction);
  request.input("id", sql.Int, id);
  request.input("left", sql.Int, recordset[0].balance - n);
  await request.query("UPDATE account SET balance = @left WHERE id = @id");
  await transaction.commit();
}`,
      "sqlserver",
      taking(
        "take",
        "explicit @ sqlserver:serializable",
        `  ${READ}`,
        "  if (size(r1) <= 0)",
        "    rollback",
        `  ${TAKEN}`,
      ),
    ));
  it("runs other requests and templates by themselves", () =>
    check(
      `${open}export async function take(id: number, n: number) {
  const { recordset } = await sql.query\`SELECT balance FROM account WHERE id = \${id}\`;
  const done = await pool.request().input("id", id).input("left", recordset[0].balance - n).query("UPDATE account SET balance = @left WHERE id = @id");
  if (done.rowsAffected[0] !== 1) throw new Error("gone");
}`,
      "sqlserver",
      taking(
        "take",
        "unit",
        `  ${READ}`,
        "  if (size(r1) <= 0)",
        "    rollback",
        `  ${TAKEN}`,
        "  if not (affected(take/2) = 1)",
        "    rollback",
      ),
    ));
});

describe("@databases", () => {
  it("runs what its tag makes, parts of one another, in functions' transactions", () =>
    check(
      `import createConnectionPool, { sql } from "@databases/pg";
import type { Queryable } from "@databases/pg";
const db = createConnectionPool("postgres://localhost/a");
const balanceOf = async (on: Queryable, id: number) => {
  const rows = await on.query(sql\`SELECT balance FROM account WHERE \${sql.ident("id")} = \${id}\`);
  return rows[0].balance;
};
export async function take(id: number, n: number) {
  await db.tx(async (tx) => {
    const balance = await balanceOf(tx, id);
    await tx.query(sql\`UPDATE account SET \${sql.join([sql\`balance = \${balance - n}\`], sql\`, \`)} WHERE id = \${id}\`);
  }, { isolationLevel: "SERIALIZABLE" });
}`,
      "postgres",
      taking(
        "take",
        "explicit @ postgres:serializable",
        `  ${READ}`,
        "  if (size(r1) <= 0)",
        "    rollback",
        `  ${TAKEN}`,
      ),
    ));
});

describe("serverless-mysql", () => {
  const open = 'import serverlessMysql from "serverless-mysql";\nconst db = serverlessMysql();\n';
  it("sends the statements of a transaction where it is committed, each made of the result before", () =>
    check(
      `${open}export async function take(id: number, n: number) {
  const transaction = db.transaction().query("SELECT balance FROM account WHERE id = ?", [id]);
  transaction.query((rows) => ["UPDATE account SET ? WHERE id = ?", [{ balance: rows[0].balance - n }, id]]);
  await transaction.rollback(console.error).commit();
}
export async function idle(id: number) {
  db.transaction().query("DELETE FROM account WHERE id = ?", [id]);
}`,
      "mysql",
      taking("take", "explicit", `  ${READ}`, "  if (size(r1) <= 0)", "    rollback", `  ${TAKEN}`),
    ));
  it("is known by what it is asked where it comes from elsewhere", () =>
    check(
      `${open}export const handler = (context, id: number) => context.db.query("DELETE FROM account WHERE id = ?", [id]);`,
      "mysql",
      ["handler autocommit", "  delete account where (account.id = :id)", "  return"],
    ));
  it("sends nothing where a function gives no statement, and keeps what branches add", () =>
    check(
      `${open}export async function take(id: number, n: number, all: boolean) {
  const transaction = db.transaction().query(() => (n > 0 ? ["DELETE FROM account WHERE id = ?", [n]] : null));
  if (all) transaction.query("DELETE FROM account");
  await transaction.commit();
}`,
      "mysql",
      [
        "take unit",
        "  if (:all = true)",
        "    atomic",
        "      if (:n > 0)",
        "        delete account where (account.id = :n)",
        "      delete account",
        "  else",
        "    atomic",
        "      if (:n > 0)",
        "        delete account where (account.id = :n)",
      ],
    ));
  it("does not know a statement whose arguments come from elsewhere", async () => {
    const text = `${open}export const f = (id: number, made) => db.transaction().query("DELETE FROM account WHERE id = ?", [id]).query(() => made).commit();`;
    const [one] = await transactionsOf(DDL, { "a.ts": text }, "mysql");
    assert.ok(one && losses(one).join().includes("arguments of a statement are not known"));
  });
});

describe("massive", () => {
  it("runs what a table is asked for, in functions' transactions, on a database that comes from elsewhere", () =>
    check(
      `import massive from "massive";
export const start = (app) => massive("").then((db) => app.set("db", db));
export async function take(req, id: number, n: number) {
  await req.app.get("db").withTransaction(async (tx) => {
    const { balance } = await tx.account.findOne({ id });
    await tx.account.update({ id }, { balance: balance - n, unknown: 1 });
  });
}
export async function low(req, most: number) {
  return req.app.get("db").account.find({ "balance <": most }, { fields: ["id"], limit: 5 });
}`,
      "postgres",
      [
        "take explicit",
        "  r1 = select account.id as id, account.balance as balance from account where (account.id = :id) limit 1",
        "  if (size(r1) <= 0)",
        "    rollback",
        "  update account set balance = (r1.balance - :n) where (account.id = :id) returning r2: account.id as id, account.balance as balance",
        "low autocommit",
        "  r1 = select account.id as id from account where (account.balance < :most) limit 5",
        "  return",
      ],
    ));
  it("does not guess what an argument, an option or an operator means", async () => {
    const text = `import massive from "massive";
const db = massive("");
export const all = async (wanted) => (await db).account.find(wanted);
export const some = async () => (await db).account.find({}, { distinct: true });
export const jsonb = async () => (await db).account.find({ "balance @>": [1] });
export const first = async () => (await db).account.find([1, 2]);`;
    const found = await transactionsOf(DDL, { "a.ts": text }, "postgres");
    // An operator leaves it open which rows are read, and of which table is known.
    assert.deepEqual(
      found.map((each) => printed([each])[1]?.trim().split(" ")[0]),
      ["opaque", "opaque", "r1", "opaque"],
    );
  });
});

describe("queries that are parts of one another", () => {
  const LIBRARIES = {
    slonik: `import { createPool, sql } from "slonik";
const pool = createPool("");
export async function f(id, all) {
  await pool.query(sql.unsafe\`UPDATE account SET balance = 0 WHERE id = \${id}\${all ? sql.fragment\`\` : sql.fragment\` AND balance = 1\`}\`);
}`,
    postgres: `import postgres from "postgres";
const sql = postgres("");
export async function f(id, all) {
  await sql\`UPDATE account SET \${sql({ balance: 0 })} WHERE id = \${id}\${all ? sql\`\` : sql\` AND balance = 1\`}\`;
}`,
    neon: `import { neon } from "@neondatabase/serverless";
const sql = neon("");
export async function f(id, all) {
  await sql\`UPDATE account SET balance = 0 WHERE id = \${id}\${all ? sql\`\` : sql\` AND balance = 1\`}\`;
}`,
  };
  for (const [name, text] of Object.entries(LIBRARIES)) {
    it(`are one of two where the code chooses: ${name}`, () =>
      check(text, "postgres", [
        "f autocommit",
        "  if (not (:all is null) and :all)",
        "    update account set balance = 0 where (account.id = :id)",
        "  else",
        "    update account set balance = 0 where ((account.id = :id) and (account.balance = 1))",
      ]));
  }
});
