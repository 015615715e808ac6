// Connections that a function's caller gives: their statements are a part of the caller's transaction.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as sql from "./codePrograms";
import { printed, transactionsOf } from "./prismaPrograms";

const SCHEMA = `datasource db { provider = "postgresql" url = env("DB") }
model Account {
  id      Int @id
  balance Int
}
`;

const PRISMA = `import { Prisma, PrismaClient } from "@prisma/client";
import type { Context } from "./types";
const prisma = new PrismaClient();
`;

const TYPES = `import { Prisma } from "@prisma/client";
interface Base { db: Prisma.TransactionClient }
export interface Context extends Base {
  readonly user: string; // who asks
}
`;

/** Boundaries of a function of these parameters that runs two statements on a client. */
async function boundaries(parameters: string, client: string, before = ""): Promise<string> {
  const text = `${PRISMA}${before}
export async function take(${parameters}) {
  await ${client}.account.update({ where: { id: 1 }, data: { balance: 1 } });
  await ${client}.account.update({ where: { id: 2 }, data: { balance: 2 } });
}`;
  const read = await transactionsOf(SCHEMA, { "a.ts": text, "types.ts": TYPES });
  assert.match(printed(read).join("\n"), /update Account[^]+update Account/u);
  return read.map(({ boundary }) => boundary).join();
}

const TX = "Prisma.TransactionClient";
const TO_CALLBACK = `Parameters<Parameters<PrismaClient["$transaction"]>[0]>[0]`;

describe("clients that a caller gives", () => {
  for (const [parameters, client, before] of [
    [`{ db, id }: { db: ${TX}; id: number }`, "db"],
    [`{ db }: { id: number\n db: ${TX} }`, "db"],
    [`ctx: { inner: Readonly<{ db: ${TX} }> }`, "ctx.inner.db"],
    ["ctx: Context", "ctx.db"],
    ["{ db }: Context & { id: number }", "db"],
    ["ctx: Own", "ctx.db", `class Own { db: ${TX}; id: number }`],
    [`db: Omit<PrismaClient, "$connect" | "$transaction">`, "db"],
    ["db: Db", "db", `type Db = Omit<PrismaClient, "$transaction">;`],
    [`db: ${TO_CALLBACK}`, "db"],
    [
      "db: Db",
      "db",
      `type Db = ${TO_CALLBACK.replace(/PrismaClient\["(.*)"\]/u, "typeof prisma.$1")};`,
    ],
    [`db: PrismaClient | ${TX}`, "db"],
    ["db: Db", "db", `type Db = PrismaClient | ${TX};`],
    ["tx: any", "tx"],
    ["ctx", "ctx.trx"],
  ] as const) {
    it(`are of the caller's transaction: ${parameters} ${before ?? ""}`, async () => {
      assert.equal(await boundaries(parameters, client, before), "explicit");
    });
  }

  for (const [parameters, client, before] of [
    ["{ db }: { db: PrismaClient }", "db"],
    ["db: Omit<PrismaClient, '$connect'>", "db"],
    ["db: Db, tx: any", "db", "type Db = PrismaClient;"],
  ] as const) {
    it(`are none where they begin transactions themselves: ${parameters}`, async () => {
      assert.equal(await boundaries(parameters, client, before), "unit");
    });
  }
});

describe("clients that a caller may leave out", () => {
  const TWO = ["take explicit", "take without tx unit"];
  for (const [parameters, client] of [
    [`tx?: ${TX}`, "(tx ?? prisma)"],
    [`tx: ${TX} | undefined`, "(tx ? tx : prisma)"],
    [`tx: PrismaClient | ${TX} = prisma`, "tx"],
    [`{ id, tx = prisma }: { id: number; tx?: ${TX} }`, "tx"],
    ["tx", "(tx ?? prisma)"],
    ["tx: any", "(tx || prisma)"],
    ["tx = prisma", "tx"],
    ["tx?: Unknown", "(tx ?? prisma)"],
  ] as const) {
    it(`are there or are not, each by itself: ${parameters}`, async () => {
      const text = `${PRISMA}
export async function take(${parameters}) {
  const db = ${client};
  await db.account.update({ where: { id: 1 }, data: { balance: 1 } });
  await db.account.update({ where: { id: 2 }, data: { balance: 2 } });
}`;
      const read = await transactionsOf(SCHEMA, { "a.ts": text });
      assert.deepEqual(
        read.map(({ name, boundary }) => `${name} ${boundary}`),
        TWO,
      );
    });
  }

  it("have a transaction of the function's own instead", async () => {
    const text = `${PRISMA}
export class Store {
  constructor(private readonly prisma: PrismaClient) {}
  async take(options: { tx?: ${TX} }) {
    const { tx } = options;
    return tx ? this.inner(tx) : this.prisma.$transaction((own) => this.inner(own), { isolationLevel: "Serializable" });
  }
  private async inner(db: ${TX}) {
    await db.account.update({ where: { id: 1 }, data: { balance: 1 } });
    await db.account.update({ where: { id: 2 }, data: { balance: 2 } });
  }
}`;
    const read = await transactionsOf(SCHEMA, { "a.ts": text });
    assert.deepEqual(
      read.map(({ name, boundary, level, taint }) => [name, boundary, level?.name, taint]),
      [
        ["Store.take", "explicit", undefined, []],
        ["Store.take without options.tx", "explicit", "postgres:serializable", []],
      ],
    );
  });

  it("are as their callers have it, where these are known", async () => {
    const text = `${PRISMA}
async function take(id: number, tx?: ${TX}) {
  const db = tx ?? prisma;
  await db.account.update({ where: { id }, data: { balance: 1 } });
  await db.account.delete({ where: { id } });
}
export async function drop(id: number) {
  await prisma.$transaction((own) => take(id, own));
}`;
    const read = await transactionsOf(SCHEMA, { "a.ts": text });
    assert.deepEqual(
      read.map(({ name, boundary }) => `${name} ${boundary}`),
      ["drop explicit"],
    );
  });
});

describe("clients that objects hold, whoever made them", () => {
  const HELPER = `type Either = PrismaClient | ${TX};
async function within<T>(db: Either, run: (own: ${TX}) => Promise<T>) {
  return "$transaction" in db ? (db as PrismaClient).$transaction(run) : run(db);
}`;
  for (const parameters of [
    "private readonly db: Either = prisma",
    "private readonly db: Either",
    `private readonly db: PrismaClient | ${TX}`,
    "given?: Either",
    `private readonly tx?: ${TX}`,
  ]) {
    it(`begin transactions: ${parameters}`, async () => {
      const isField = /\bdb:/u.test(parameters);
      const own = parameters.startsWith("given") ? "given" : "this.tx";
      const text = `${PRISMA}${HELPER}
export class Accounts {
  ${isField ? "" : "private readonly db: Either;"}
  constructor(${parameters}) { ${isField ? "" : `this.db = ${own} ?? prisma;`} }
  async take(id: number) {
    await within(this.db, async (own) => {
      await own.account.update({ where: { id }, data: { balance: 1 } });
      await own.account.delete({ where: { id } });
    });
  }
}`;
      const read = await transactionsOf(SCHEMA, { "a.ts": text });
      assert.deepEqual(
        read.map(({ name, boundary }) => [name, boundary]),
        [["Accounts.take", "explicit"]],
      );
    });
  }

  it("are those that the object was made with, whatever stands in their place else", async () => {
    const text = `${PRISMA}
class Accounts {
  constructor(private readonly db: PrismaClient | ${TX} = prisma) {}
  async take(id: number) {
    await this.db.account.update({ where: { id }, data: { balance: 1 } });
  }
}
export async function drop(id: number) {
  await prisma.$transaction(async (tx) => {
    await new Accounts(tx).take(id);
    await tx.account.delete({ where: { id } });
  });
}`;
    const read = await transactionsOf(SCHEMA, { "a.ts": text });
    assert.deepEqual(printed(read).slice(0, 1), ["drop explicit"]);
  });
});

const DDL = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);";

describe("arguments of types of the code's own", () => {
  it("are no connections, whatever they are called", async () => {
    const read = await sql.transactionsOf(DDL, {
      "types.ts": "export interface Transaction { account: number; amount: number }",
      "a.ts": `import { Pool } from "pg";
import { Transaction } from "./types";
const pool = new Pool();
export async function take(transaction: Transaction) {
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [transaction.amount, transaction.account]);
}`,
    });
    assert.deepEqual(printed(read), [
      "take autocommit",
      "  update accounts set balance = :transaction.amount where (accounts.id = :transaction.account)",
    ]);
  });

  it("are told apart where two are taken apart at once", async () => {
    const read = await sql.transactionsOf(DDL, {
      "a.ts": `import { Pool } from "pg";
const pool = new Pool();
export async function take({ id }, { id: other }) {
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [id, other]);
}`,
    });
    assert.deepEqual(printed(read), [
      "take autocommit",
      "  update accounts set balance = :id where (accounts.id = :argument2.id)",
    ]);
  });
});

describe("an error in a transaction that the caller gives", () => {
  const tried = async (parameters: string, before = ""): Promise<readonly string[]> => {
    const text = `${PRISMA}${before}
export async function take(${parameters}) {
  try {
    await tx.account.create({ data: { id: 1, balance: 0 } });
  } catch {
    await tx.account.deleteMany({ where: { balance: 7 } });
  }
}`;
    const read = await transactionsOf(SCHEMA, { "a.ts": text });
    return printed(read).map((line) => line.trim());
  };

  it("ends it in PostgreSQL, whoever catches it", async () => {
    const lines = await tried(`tx: ${TX}`);
    assert.deepEqual(
      lines.filter((line) => /^(?:try|handler|delete|!)/u.test(line)),
      [],
    );
    const client = await tried("tx: PrismaClient");
    assert.ok(client.includes("handler"), client.join("\n"));
  });

  it("may end it where what is given is a client or a transaction, which is said", async () => {
    const either = `type Either = PrismaClient | ${TX};\n`;
    const said = "! whether a transaction is open in which an error occurs is not known";
    for (const [parameter, before] of [
      ["tx: Either", either],
      [`tx: ${TX} | PrismaClient`, ""],
    ] as const) {
      assert.ok((await tried(parameter, before)).includes(said), parameter);
    }
  });

  it("that is answered leaves what went before to the caller", async () => {
    const text = `${PRISMA}
export async function take(tx: ${TX}, id: number) {
  await tx.account.deleteMany({ where: { balance: 7 } });
  try { await tx.account.delete({ where: { id } }); } catch (e) {
    if (e.code === "P2025") return false;
    throw e;
  }
  return true;
}`;
    const read = printed(await transactionsOf(SCHEMA, { "a.ts": text }));
    assert.deepEqual(
      read.map((line) => line.trim()).filter((line) => !/ Account /u.test(line)),
      [
        "take explicit",
        "try",
        "if not (affected(take/2) > 0)",
        "rollback",
        "handler P0001",
        'if (unknown() = "P2025")',
        "return false",
        "rollback",
        "return true",
      ],
    );
  });
});
