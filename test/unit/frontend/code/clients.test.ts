// Clients of databases beside the large ones: those whose statements are read, and those of which it is said that they
// are not.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { losses, printed } from "./prismaPrograms";
import { transactionsOf } from "./codePrograms";

const DDL = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);";

const SELECT = "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id)";
const GUARD = ["  if (size(r1) <= 0)", "    rollback"];
const UPDATE = "  update accounts set balance = (r1.balance - 1) where (accounts.id = :id)";
const ADD = "  update accounts set balance = (accounts.balance + :n) where (accounts.id = :id)";

describe("clients that send SQL text", () => {
  for (const [name, text, expected] of [
    [
      "slonik: transactions, and how many rows are expected",
      `import { createPool, sql } from "slonik";
const pool = await createPool("postgres://");
export async function pay(id: number, n: number) {
  return pool.transaction(async (t) => {
    const account = await t.one(sql.type(row)\`SELECT balance FROM accounts WHERE id = \${id}\`);
    await t.query(sql.unsafe\`UPDATE accounts SET balance = \${account.balance - 1} WHERE id = \${id}\`);
  });
}`,
      ["pay explicit", SELECT, ...GUARD, UPDATE, "  return"],
    ],
    [
      "slonik: parts of texts, and a single column",
      `import { sql, type DatabasePool } from "slonik";
export async function pay(pool: DatabasePool, id: number, n: number) {
  const own = sql.fragment\`id = \${id}\`;
  const balance = await pool.oneFirst(sql.unsafe\`SELECT balance FROM accounts WHERE \${own}\`);
  await pool.query(sql.unsafe\`UPDATE \${sql.identifier(["accounts"])} SET balance = \${balance - 1} WHERE \${sql.join([own, sql.fragment\`true\`], sql.fragment\` AND \`)}\`);
}`,
      ["pay unit", SELECT, ...GUARD, UPDATE],
    ],
    [
      "@vercel/postgres: statements on the pool",
      `import { sql } from "@vercel/postgres";
export async function pay(id: number) {
  const { rows } = await sql\`SELECT balance FROM accounts WHERE id = \${id}\`;
  await sql\`UPDATE accounts SET balance = \${rows[0].balance - 1} WHERE id = \${id}\`;
}`,
      ["pay unit", SELECT, ...GUARD, UPDATE],
    ],
    [
      "@vercel/postgres: a transaction on a client",
      `import { db } from "@vercel/postgres";
export async function pay(id: number) {
  const client = await db.connect();
  await client.sql\`BEGIN\`;
  const { rows } = await client.sql\`SELECT balance FROM accounts WHERE id = \${id}\`;
  await client.sql\`UPDATE accounts SET balance = \${rows[0].balance - 1} WHERE id = \${id}\`;
  await client.sql\`COMMIT\`;
}`,
      ["pay explicit", SELECT, ...GUARD, UPDATE],
    ],
    [
      "neon: statements each by itself",
      `import { neon } from "@neondatabase/serverless";
const sql = neon("postgres://");
export async function pay(id: number) {
  const [row] = await sql\`SELECT balance FROM accounts WHERE id = \${id}\`;
  await sql.query("UPDATE accounts SET balance = $1 WHERE id = $2", [row.balance - 1, id]);
}`,
      ["pay unit", SELECT, ...GUARD, UPDATE],
    ],
    [
      "neon: a list in one transaction",
      `import { neon } from "@neondatabase/serverless";
const sql = neon("postgres://");
export async function pay(id: number, n: number) {
  await sql.transaction((own) => [
    own\`UPDATE accounts SET balance = balance + \${n} WHERE id = \${id}\`,
    own\`DELETE FROM accounts WHERE balance < 0\`,
  ], { isolationLevel: "RepeatableRead" });
}`,
      [
        "pay explicit @ postgres:repeatable-read",
        ADD,
        "  delete accounts where (accounts.balance < 0)",
      ],
    ],
  ] as const) {
    it(name, async () => {
      const [read, ...more] = await transactionsOf(DDL, { "a.ts": text });
      assert.ok(read);
      assert.deepEqual(printed([read]), expected);
      assert.deepEqual([losses(read), more], [[], []]);
    });
  }
});

describe("clients that call back", () => {
  it("pg", async () => {
    const text = `const { Pool } = require("pg");
const pool = new Pool();
exports.pay = (id, callback) => {
  pool.connect((error, client, release) => {
    if (error) return callback(error);
    const undo = (why) => client.query("ROLLBACK", () => { release(); callback(why); });
    client.query("BEGIN", (error) => {
      if (error) return undo(error);
      client.query("SELECT balance FROM accounts WHERE id = $1", [id], (error, result) => {
        if (error) return undo(error);
        client.query("UPDATE accounts SET balance = $1 WHERE id = $2", [result.rows[0].balance - 1, id], (error) => {
          if (error) return undo(error);
          client.query("COMMIT", (error) => { release(); callback(error); });
        });
      });
    });
  });
};`;
    const read = await transactionsOf(DDL, { "a.js": text });
    assert.deepEqual(printed(read), ["exports.pay explicit", SELECT, ...GUARD, UPDATE]);
  });

  it("mysql", async () => {
    const text = `const mysql = require("mysql");
const pool = mysql.createPool({});
exports.pay = (id, callback) => {
  pool.getConnection((error, connection) => {
    if (error) throw error;
    connection.beginTransaction((error) => {
      if (error) throw error;
      connection.query("SELECT balance FROM accounts WHERE id = ?", [id], (error, rows) => {
        if (error) return connection.rollback(() => callback(error));
        connection.query("UPDATE accounts SET balance = ? WHERE id = ?", [rows[0].balance - 1, id], (error) => {
          if (error) return connection.rollback(() => callback(error));
          connection.commit((error) => callback(error));
        });
      });
    });
  });
};`;
    const read = await transactionsOf(DDL, { "a.js": text }, "mysql");
    assert.deepEqual(printed(read), ["exports.pay explicit", SELECT, ...GUARD, UPDATE]);
  });

  it("mysql2, which is asked first whether the server is there", async () => {
    const text = `import mysql from "mysql2/promise";
const pool = mysql.createPool({});
export async function pay(id) {
  const connection = await pool.getConnection();
  await connection.ping();
  await connection.query("UPDATE accounts SET balance = 1 WHERE id = ?", [id]);
  connection.release();
}`;
    assert.deepEqual(printed(await transactionsOf(DDL, { "a.js": text }, "mysql")), [
      "pay autocommit",
      "  update accounts set balance = 1 where (accounts.id = :id)",
    ]);
  });
});

describe("clients whose statements are not read", () => {
  for (const [library, text, boundaries] of [
    [
      "@mikro-orm/sqlite",
      `import { EntityManager } from "@mikro-orm/sqlite";
export class Accounts {
  constructor(private readonly em: EntityManager) {}
  async take(id: number) {
    await this.em.transactional(async (own) => {
      const account = await own.findOneOrFail("Account", { id });
      account.balance -= 1;
    });
  }
}`,
      "explicit",
    ],
    [
      "oracledb",
      `import oracledb from "oracledb";
export async function take(id: number) {
  const pool = await oracledb.createPool({});
  const found = await pool.execute("SELECT balance FROM accounts");
  await pool.execute("DELETE FROM accounts");
}`,
      "unit",
    ],
  ] as const) {
    it(`are said: ${library}, ${boundaries}`, async () => {
      const read = await transactionsOf(DDL, { "a.ts": text });
      assert.deepEqual(
        read.map(({ boundary }) => boundary),
        [boundaries],
      );
      const why = `the library ${library} is not known: its statements are not read`;
      assert.deepEqual(read.flatMap(losses), [why, why]);
    });
  }
});

describe("types that other packages call like clients", () => {
  const read = async (from: string): Promise<readonly string[]> => {
    const text = `import { Pool } from "pg";
import type { Client } from "${from}";
const pool = new Pool();
export async function f(client: Client, id: number) {
  await client.query("x");
  await pool.query("UPDATE accounts SET balance = 1 WHERE id = $1", [id]);
}`;
    return printed(await transactionsOf(DDL, { "a.ts": text }));
  };

  it("are none", async () => {
    const expected = [
      "f autocommit",
      "  update accounts set balance = 1 where (accounts.id = :id)",
    ];
    assert.deepEqual(await read("discord.js"), expected);
    assert.deepEqual(await read("@elsewhere/chat"), expected);
  });

  it("are clients where the package may be one of a database", async () => {
    for (const from of ["@our/database", "./client"])
      assert.match((await read(from)).join("\n"), /opaque/u);
  });
});
