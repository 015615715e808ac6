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

const STORED = `import { AsyncLocalStorage } from "node:async_hooks";
export const storage = new AsyncLocalStorage<{ client: PoolClient }>();
export const db = () => storage.getStore()?.client ?? pool;
export async function inTransaction<T>(work: () => Promise<T>): Promise<T> {
  if (storage.getStore()) return work();
  const client = await pool.connect();
  await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE");
  const result = await storage.run({ client }, work);
  await client.query("COMMIT");
  return result;
}
`;

describe("transactions that an AsyncLocalStorage hands on", () => {
  it("hold what asks for them while they are open, and nothing else", async () => {
    const read = await transactionsOf(DDL, {
      "db.ts": POOL + STORED,
      "accounts.ts": `import { db, inTransaction } from "./db";
async function take(id: number) {
  await db().query("${SUBTRACT}", [id]);
}
export async function both(id: number, other: number) {
  await inTransaction(async () => {
    await take(id);
    await inTransaction(() => take(other));
  });
}
export async function alone(id: number) {
  await take(id);
}`,
    });
    assert.deepEqual(printed(read), [
      "both explicit @ postgres:serializable",
      TAKEN,
      "  update accounts set balance = (accounts.balance - 1) where (accounts.id = :other)",
      "alone autocommit",
      TAKEN,
    ]);
  });

  it("are the same for all objects of a class that keeps the storage", async () => {
    const read = await transactionsOf(DDL, {
      "manager.ts": `${POOL}import { AsyncLocalStorage } from "async_hooks";
export class Manager {
  private readonly storage = new AsyncLocalStorage<PoolClient>();
  get client() {
    return this.storage.getStore() ?? pool;
  }
  async run(work: () => Promise<void>) {
    const client = await pool.connect();
    await client.query("BEGIN");
    await this.storage.run(client, work);
    await client.query("COMMIT");
  }
}`,
      "accounts.ts": `import { Manager } from "./manager";
class Accounts {
  constructor(private readonly manager: Manager) {}
  async take(id: number) {
    await this.manager.client.query("${SUBTRACT}", [id]);
  }
}
export class Service {
  constructor(private readonly manager: Manager, private readonly accounts: Accounts) {}
  async take(id: number) {
    await this.manager.run(() => this.accounts.take(id));
  }
}`,
    });
    assert.deepEqual(printed(read), ["Service.take explicit", TAKEN]);
  });

  it("are not known where a middleware may have begun them", async () => {
    const [take] = await transactionsOf(DDL, {
      "a.ts": `${POOL}${STORED}import express from "express";
const app = express();
app.use((req, res, next) => storage.run({ client: req.client }, () => next()));
export async function take(id: number) {
  await db().query("${SUBTRACT}", [id]);
}`,
    });
    assert.match(take?.taint.map(({ reason }) => reason).join() ?? "", /getStore\(\) holds/u);
  });
});
