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

  it("may run what they are given more often, which is said of all but tracers and locks", () =>
    check(
      `import pRetry from "p-retry";
import { mutex } from "@acme/locks";
export async function take(id: number) {
  await mutex.runExclusive(async () => {
    await pRetry(async () => { await pool.query("${SUBTRACT}", [id]); });
  });
}`,
      ["take autocommit", TAKEN, "  ! pRetry() is taken to run the function that it is given once"],
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

const WRAPPER = `type Work = (client: PoolClient, ...rest: any[]) => Promise<void>;
export const atomic = (work: Work) => async (...args: any[]) => {
  const client = await pool.connect();
  await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE");
  await work(client, ...args);
  await client.query("COMMIT");
};
`;
const LESS = (id: string): string =>
  `  update accounts set balance = (accounts.balance - 1) where (accounts.id = :${id})`;

describe("functions that a wrapper makes", () => {
  it("run in its transaction, each with the arguments of its own", () =>
    check(
      `${WRAPPER}
export const take = atomic(async (c, id: number) => { await c.query("${SUBTRACT}", [id]); });
export const both = atomic(async (c, from: number, to: number) => {
  await c.query("${SUBTRACT}", [from]);
  await c.query("${SUBTRACT}", [to]);
});
export const routes = { other: atomic(async (c, other: number) => { await c.query("${SUBTRACT}", [other]); }) };
app.post("/take", atomic(async (c, req: { id: number }) => { await c.query("${SUBTRACT}", [req.id]); }));`,
      [
        "take explicit @ postgres:serializable",
        TAKEN,
        "both explicit @ postgres:serializable",
        LESS("from"),
        LESS("to"),
        "routes.other explicit @ postgres:serializable",
        LESS("other"),
        "POST /take explicit @ postgres:serializable",
        LESS("req.id"),
      ],
    ));

  it("are a part of who calls them, by whatever name they were given", async () => {
    const read = await transactionsOf(DDL, {
      "a.ts": `${POOL}${WRAPPER}
async function taken(c: PoolClient, id: number) { await c.query("${SUBTRACT}", [id]); }
export const take = atomic(taken);
export const drop = atomic(async (c, id: number) => { await c.query("DELETE FROM accounts WHERE id = $1", [id]); });`,
      "b.ts": `import { take, drop } from "./a";
export async function close(id: number) {
  await take(id);
  await drop(id);
}`,
    });
    const level = "postgres:serializable";
    assert.deepEqual(printed(read), [
      "close unit",
      `  atomic ${level}`,
      `  ${TAKEN}`,
      `  atomic ${level}`,
      "    delete accounts where (accounts.id = :id)",
    ]);
  });

  it("stand for themselves where the wrapper opens nothing around them", async () => {
    const read = await transactionsOf(DDL, {
      "a.ts": `${POOL}
const withUser = (work: any) => async (req: any) => work(req, await load(req.user));
export const POST = withUser(async (req: any, user: any) => { await pool.query("${SUBTRACT}", [req.id]); });
export const PUT = withUser(async (req: any, user: any) => { await pool.query("${SUBTRACT}", [req.id]); });`,
    });
    assert.deepEqual(printed(read), [
      "POST autocommit",
      LESS("req.id"),
      "PUT autocommit",
      LESS("req.id"),
    ]);
  });
});

describe("decorators", () => {
  const SERVICE = `export class Service {
  @Atomic("REPEATABLE READ")
  async take(id: number) {
    await db().query("${SUBTRACT}", [id]);
  }
  async twice(id: number, other: number) {
    await this.take(id);
    await this.take(other);
  }
}`;
  const OPENED = `await storage.run({ client }, () => method.apply(this, args));`;
  const BODY = `const client = await pool.connect();
    await client.query(\`BEGIN ISOLATION LEVEL \${level}\`);
    ${OPENED}
    await client.query("COMMIT");`;
  const level = "postgres:repeatable-read";
  const EXPECTED = [
    "Service.twice unit",
    `  atomic ${level}`,
    `  ${TAKEN}`,
    `  atomic ${level}`,
    `  ${LESS("other")}`,
  ];

  it("of one's own open what they open, as TypeScript had them", () =>
    check(
      `${STORED}function Atomic(level: string) {
  return (_target: object, _key: string, descriptor: PropertyDescriptor) => {
    const method = descriptor.value;
    descriptor.value = async function (...args: unknown[]) {
    ${BODY}
    };
  };
}
${SERVICE}`,
      EXPECTED,
    ));

  it("of one's own open what they open, as the language has them", () =>
    check(
      `${STORED}function Atomic(level: string) {
  return (method: Function, context: ClassMethodDecoratorContext) =>
    async function (this: unknown, ...args: unknown[]) {
    ${BODY}
    };
}
${SERVICE}`,
      EXPECTED,
    ));

  it("of libraries open transactions with the level that they are given", async () => {
    const read = await transactionsOf(DDL, {
      "a.ts": `${POOL}import { Transactional, TransactionHost } from "@nestjs-cls/transactional";
class Accounts {
  constructor(private readonly host: TransactionHost<TransactionalAdapterPgPromise>) {}
  async take(id: number) { await this.host.tx.query("${SUBTRACT}", [id]); }
}
export class Service {
  constructor(private readonly accounts: Accounts, private readonly host: TransactionHost) {}
  @Transactional({ isolationLevel: "SERIALIZABLE" })
  async twice(id: number, other: number) { await this.accounts.take(id); await this.accounts.take(other); }
  async once(id: number) {
    await this.host.withTransaction({ isolationLevel: "SERIALIZABLE" }, async () => {
      await this.accounts.take(id);
    });
  }
}`,
    });
    assert.deepEqual(printed(read), [
      "Service.twice explicit @ postgres:serializable",
      TAKEN,
      LESS("other"),
      "Service.once explicit @ postgres:serializable",
      TAKEN,
    ]);
  });

  it("of nobody are taken for what they are called", () =>
    check(
      `import { Transactional } from "@acme/transactions";
export class Service {
  @Transactional()
  async take(id: number) { await pool.query("${SUBTRACT}", [id]); }
}`,
      ["Service.take explicit", TAKEN, `  ! @Transactional() ${UNKNOWN}`],
    ));
});
