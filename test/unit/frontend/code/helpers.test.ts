// Small helpers around a database, in the code of those who call them: objects with a connection, functions
// that run a text, callbacks with numbers of items.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LIBRARIES } from "../../../../server/src/frontend/code/libraries/libraries";
import { mayUseDatabase } from "../../../../server/src/frontend/code/callGraph/prefilter";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import { ownEntry } from "../../../../server/src/protocol/dictionary";
import { transactionsOf } from "./codePrograms";
import { printed, transactionsOf as prismaTransactionsOf } from "./prismaPrograms";

const DDL = `
CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE lines (id int, number int, item int, primary key (id, number));`;
const POOL = `import { Pool, type PoolClient } from "pg";\nconst pool = new Pool();\n`;

async function check(text: string, expected: readonly string[]): Promise<void> {
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": POOL + text })), expected);
}

describe("helpers", () => {
  it("are objects that hold the connection that they were given", () =>
    check(
      `class Accounts {
  constructor(private readonly client: PoolClient, private readonly table: "accounts") {}
  async add(id: number, n: number) {
    await this.client.query(\`UPDATE \${this.table} SET balance = balance + $2 WHERE id = $1\`, [id, n]);
  }
}
export async function pay(from: number, to: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  const accounts = new Accounts(client, "accounts");
  await accounts.add(from, -1);
  await accounts.add(to, 1);
  await client.query("COMMIT");
}`,
      [
        "pay explicit",
        "  update accounts set balance = (accounts.balance + -1) where (accounts.id = :from)",
        "  update accounts set balance = (accounts.balance + 1) where (accounts.id = :to)",
      ],
    ));

  it("are given texts with quotes around values, before them and behind them", () =>
    check(
      `export async function take(id: number, name: string) {
  await pool.query(\`-- it's one
UPDATE accounts SET balance = length('a') WHERE id = \${id} AND 'b' <> 'it''s'\`);
  await pool.query(\`DELETE FROM accounts WHERE id = '\${id}' AND 'x' <> 'y'\`);
}`,
      [
        "take unit",
        `  update accounts set balance = length("a") where ((accounts.id = :id) and ("b" <> "it's"))`,
        '  delete accounts where ((accounts.id = :id) and ("x" <> "y"))',
      ],
    ));

  it("give something from outside, or nothing", () =>
    check(
      `function load(text: string) {
  if (text === "") return null;
  return JSON.parse(text) as { id: number };
}
async function required(text: string) {
  const found = load(text);
  if (!found) throw new Error("none");
  return found;
}
export async function remove(text: string) {
  const { id } = await required(text);
  await pool.query("DELETE FROM accounts WHERE id = $1", [id]);
}
export async function trimmed(text: string) {
  const found = load(text);
  await pool.query("DELETE FROM accounts WHERE id = $1", [found?.id]);
}`,
      [
        "remove autocommit",
        '  if (:text = "")',
        "    @return2 := 1",
        "    @returned2 := null",
        "  else",
        "    @return2 := 2",
        "    @returned2 := :text.parsed",
        "  if not (not (@returned2 is null) and code:truth(@returned2))",
        "    rollback",
        "  if (@return2 = 1)",
        "    rollback",
        "  delete accounts where (accounts.id = :text.parsed.id)",
        "trimmed autocommit",
        '  if (:text = "")',
        "    @return1 := 1",
        "  else",
        "    @return1 := 2",
        "  delete accounts where (accounts.id = ((@return1 = 1) ? null : :text.parsed.id))",
      ],
    ));

  it("may never return", () =>
    check(
      `import { redirect } from "next/navigation";
export async function join(id: number) {
  const { rows } = await pool.query("SELECT balance FROM accounts WHERE id = $1", [id]);
  if (rows.length > 0) redirect("/there");
  if (id < 0) process.exit(1);
  await pool.query("DELETE FROM accounts");
}`,
      [
        "join unit",
        "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
        "  if (size(r1) > 0)",
        "    rollback",
        "  if (:id < 0)",
        "    rollback",
        "  delete accounts",
      ],
    ));

  it("may take their connection from an AsyncLocalStorage, which is said", async () => {
    const [take] = await transactionsOf(DDL, {
      "a.ts": `${POOL}import { AsyncLocalStorage } from "node:async_hooks";
const als = new AsyncLocalStorage<{ client: PoolClient }>();
export async function take(id: number) {
  await (als.getStore()?.client ?? pool).query("DELETE FROM lines WHERE id = $1", [id]);
}`,
    });
    assert.match(take?.taint.map(({ reason }) => reason).join() ?? "", /als\.getStore\(\) holds/u);
  });

  it("may check lists that they are given", () =>
    check(
      `import { z } from "zod";
const schema = z.object({ items: z.array(z.object({ id: z.number(), n: z.number() })) });
export async function add(body: unknown) {
  const { items } = schema.parse(body);
  const client = await pool.connect();
  await client.query("BEGIN");
  for (const item of items)
    await client.query("UPDATE accounts SET balance = balance + $2 WHERE id = $1", [item.id, item.n]);
  await Promise.all(
    items.map((item) => client.query("INSERT INTO lines (id, number, item) VALUES ($1, 1, 1)", [item.id])),
  );
  await client.query("COMMIT");
}`,
      [
        "add explicit",
        "  loop count",
        "    update accounts set balance = (accounts.balance + :body.items.n[@i1]) where (accounts.id = :body.items.id[@i1])",
        "  loop count",
        "    insert lines {id = :body.items.id[@i2], number = 1, item = 1}",
      ],
    ));

  it("give items the types of the sums that they go into", async () => {
    const [pay] = await transactionsOf(DDL, {
      "a.ts": `${POOL}export async function pay(id: number, items: { price: number; qty: number }[]) {
  const total = items.reduce((sum, item) => sum + item.price * item.qty, 0);
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [total, id]);
}`,
    });
    assert.deepEqual(
      pay?.parameters.map(({ name, type, elements }) => `${name} ${elements ?? type}`),
      ["items.length int", "id int", "items.price int", "items.qty int"],
    );
  });

  it("are named where statements stand in them, outermost first", async () => {
    const [pay] = await transactionsOf(DDL, {
      "a.ts": `${POOL}
const load = (client: PoolClient, id: number) => client.query("SELECT balance FROM accounts WHERE id = $1", [id]);
async function take(client: PoolClient, id: number) {
  await load(client, id);
  await Promise.all([1].map(() => client.query("UPDATE accounts SET balance = 0 WHERE id = $1", [id])));
}
async function atomic(work: (client: PoolClient) => Promise<void>) {
  const client = await pool.connect();
  await client.query("BEGIN");
  await work(client);
  await client.query("COMMIT");
}
export const pay = (id: number) => atomic(async (own) => {
  await own.query("DELETE FROM lines WHERE id = $1", [id]);
  await take(own, id);
});`,
    });
    assert.ok(pay);
    const calls: string[] = [];
    walkCommand(pay.body, {
      statement: ({ text, through = [] }) => {
        const places = through.map(
          ({ name, source }) => `${name} ${String(source.range.start.line + 1)}`,
        );
        calls.push([text.slice(0, 6), ...places].join(", "));
      },
    });
    assert.deepEqual(calls, ["DELETE", "SELECT, take 17, load 6", "UPDATE, take 17"]);
  });

  it("leave statements where their text stands", async () => {
    const one = `import type { PoolClient } from "pg";
export async function one(client: PoolClient, text: string, values: unknown[]) {
  const { rows } = await client.query(text, values);
  return rows[0];
}`;
    const own = `${POOL}import { one } from "./one";
export async function look(id: number) {
  return one(await pool.connect(), "SELECT balance FROM accounts WHERE id = $1", [id]);
}`;
    const [look] = await transactionsOf(DDL, { "one.ts": one, "own.ts": own });
    assert.ok(look);
    const places: string[] = [];
    walkCommand(look.body, {
      statement: ({ source, text }) => {
        places.push(`${source.file}:${String(source.range.start.line + 1)} ${text}`);
      },
    });
    assert.deepEqual(places, ["own.ts:5 SELECT balance FROM accounts WHERE id = $1"]);
  });

  const insert = `await client.query("INSERT INTO lines (id, number, item) VALUES ($1, $2, $3)", [id, index, item]);`;
  for (const [name, loop] of [
    ["entries()", `for (const [index, item] of items.entries()) { ${insert} }`],
    ["forEach", `items.forEach(async (item, index) => { ${insert} });`],
    ["map", `await Promise.all(items.map(async (item, index) => { ${insert} }));`],
  ] as const) {
    it(`count items from zero in ${name}`, () =>
      check(
        `export async function add(client: PoolClient, id: number, items: number[]) { ${loop} }`,
        [
          "add explicit",
          "  loop count",
          "    insert lines {id = :id, number = (@i1 - 1), item = :items[@i1]}",
        ],
      ));
  }

  it("count items that are known", () =>
    check(
      `export async function add(client: PoolClient, id: number, a: number, b: number) {
  for (const [index, item] of [a, b].entries()) { ${insert} }
}`,
      [
        "add explicit",
        "  insert lines {id = :id, number = 0, item = :a}",
        "  insert lines {id = :id, number = 1, item = :b}",
      ],
    ));

  it("make parts of keys as deep as they lie", () =>
    check(
      `const key = (id: number) => "a" + of(id);
function of(id: number) { return tail(id) + "-"; }
function tail(id: number) { return ":" + id; }
async function clear(client: Pool, id: number) { return pool.query("DELETE FROM lines WHERE item = $1", [first(id)]); }
function first(id: number) { return second(id); }
function second(id: number) { return key(id); }
export async function run(id: number) { await clear(pool, id); }`,
      ["run autocommit", '  delete lines where (lines.item = ((("a" || ":") || :id) || "-"))'],
    ));

  it("say nothing of a list that is not known where no statement runs for its items", () =>
    check(
      `export async function add(client: PoolClient, id: number, items: Map<number, number>) {
  const parts = {};
  for (const [key, value] of items.entries()) { parts[key] = value; if (value > 3) throw new Error("large"); }
  await client.query("DELETE FROM lines WHERE id = $1", [id]);
}`,
      [
        "add explicit",
        "  loop unknown",
        "    if (unknown(:items) > 3)",
        "      rollback",
        "  delete lines where (lines.id = :id)",
      ],
    ));

  it("tell the parts of an item from those of others, and say where its lists are not", async () => {
    const item = (name: string): string => insert.replace("[id, index, item]", `[id, ${name}, 1]`);
    await check(
      `export async function add(client: PoolClient, id: number, pairs: [number, number][]) {
  for (const [number, other] of pairs) if (other > 0) { ${item("number")} }
}`,
      [
        "add explicit",
        "  loop count",
        "    if (:pairs.1[@i1] > 0)",
        "      insert lines {id = :id, number = :pairs.0[@i1], item = 1}",
      ],
    );
    await check(
      `export async function add(client: PoolClient, id: number, lists: number[][]) {
  for (const list of lists) for (const number of list) { ${item("number")} }
}`,
      [
        "add explicit",
        "  loop count",
        "    loop count",
        "      insert lines {id = :id, number = :lists[][@i2], item = 1}",
        "  ! the lists that the items of a list have are taken for one list",
      ],
    );
  });

  it("do not take the keys of a map for numbers", () =>
    check(
      `export async function add(client: PoolClient, id: number, items: Map<number, number>) {
  for (const [index, item] of items.entries()) { ${insert} }
}`,
      [
        "add explicit",
        "  loop unknown",
        "    insert lines {id = :id, number = unknown(:items), item = unknown(:items)}",
        "  ! a loop over something that is not known",
        "  ! an item of this is not known",
      ],
    ));
});

describe("nothing is lost without a word", () => {
  // Functions that run an INSERT behind something that hides it; what is not known about it may be said.
  const BODIES: Readonly<Record<string, string>> = {
    "a list that is filled by index": `const list = []; list[0] = id; for (const k of list) await put(k);`,
    "a list that is filled at its end": `const list = []; list[list.length] = id; for (const k of list) await put(k);`,
    "a list that is filled from its start": `const list = []; list.unshift(id); for (const k of list) await put(k);`,
    "a list that splice fills": `const list = []; list.splice(0, 0, id); for (const k of list) await put(k);`,
    "a list that something unknown fills": `const list = []; fill(list, id); for (const k of list) await put(k);`,
    "a list that push fills with others": `const list = []; list.push(...id); for (const k of list) await put(k);`,
    "a queue": `const queue = []; queue.push(id); let k; while ((k = queue.shift())) await put(k);`,
    chunks: `const chunks = id.reduce((all, x, i) => { const at = Math.floor(i / 9); if (!all[at]) all[at] = []; all[at].push(x); return all; }, []);
      for (const chunk of chunks) for (const k of chunk) await put(k);`,
    "a record under computed keys": `const seen = {}; for (const k of id) seen[k] = 1; for (const k of Object.keys(seen)) await put(k);`,
    "a record whose keys a loop makes": `const seen = {}; for (const k of id) seen.last = k; if (seen.last) await put(seen.last);`,
    "a record that something unknown fills": `const seen = {}; fill(seen); if (seen.x) await put(seen.x);`,
    "a set": `const set = new Set(); for (const k of id) set.add(k); for (const k of set) await put(k);`,
    "the size of a set": `const set = new Set(); set.add(id); if (set.size > 0 && set.has(id)) await put(id);`,
    "a map": `const map = new Map(); for (const k of id) map.set(k, 1); if (map.size) for (const [k] of map) await put(k);`,
    "a map of functions": `const of = new Map([["a", put]]); const run = of.get(id); await run(id);`,
    "a list of functions": `await [put, put][id](id);`,
    "a failure": `await other(id).catch(async () => { await put(id); });`,
    "a failure beside what follows": `await other(id).then(() => 1, async () => { await put(id); });`,
    "a promise": `await new Promise(async (resolve) => { await put(id); resolve(1); });`,
    "a list that is made of a length": `await Promise.all(Array.from({ length: id }, (_, k) => put(k)));`,
    "a filter": `await Promise.all(id.filter((k) => put(k)));`,
    "a reduction without a start": `await id.reduce(async (before, k) => { await before; await put(k); });`,
    "a reduction of promises": `await id.reduce((before, k) => before.then(() => put(k)), Promise.resolve());`,
    "a list that is spread": `for (const k of [...id]) await put(k);`,
    "a bound function": `const run = put.bind(null, id); await run();`,
  };

  it("behind lists, records, sets, maps and functions that hold it", async () => {
    const names = Object.keys(BODIES);
    const functions = names.map(
      (name, at) => `export async function f${String(at)}(id) { ${ownEntry(BODIES, name) ?? ""} }`,
    );
    const text = `import { Pool } from "pg"; import { fill, other } from "elsewhere";
const pool = new Pool();
const put = (id) => pool.query("INSERT INTO lines (id, number, item) VALUES (1, 1, $1)", [id]);
${functions.join("\n")}`;
    const found = await transactionsOf(DDL, { "a.ts": text });
    const lost = names.filter((_, at) => !found.some(({ name }) => name === `f${String(at)}`));
    assert.deepEqual(lost, []);
  });

  it("in functions that run later", async () => {
    const text = `import { Pool } from "pg";
const pool = new Pool();
const put = (id) => pool.query("INSERT INTO lines (id, number, item) VALUES (1, 1, $1)", [id]);
export function f(id) { setTimeout(() => put(id), 9); process.once("exit", () => put(0)); }
export async function start(boss, channel) {
  await boss.work("mails", { teamSize: 5 }, async (job) => { await put(job.data.id); });
  await channel.consume("orders", (message) => put(message.id));
}`;
    const found = await transactionsOf(DDL, { "a.ts": text });
    assert.deepEqual(
      found.map(({ name }) => name),
      ["setTimeout", "process.once", "WORK mails", "CONSUME orders"],
    );
  });

  it("in generators, and in functions that call themselves", async () => {
    const text = `import { Pool } from "pg";
const pool = new Pool();
const put = (id) => pool.query("INSERT INTO lines (id, number, item) VALUES (1, 1, $1)", [id]);
async function* each(id) { yield await put(id); }
export async function f(id) { for await (const k of each(id)) await put(k); }
export async function g(id) { await put(id); if (id > 1) await g(id - 1); }`;
    const found = await transactionsOf(DDL, { "a.ts": text });
    const reasons = found.map(({ name, taint }) => [name, ...taint.map(({ reason }) => reason)]);
    const all = new Map(reasons.map(([name, ...each]) => [name, each]));
    assert.ok(all.get("f")?.includes("each() is a generator and is not followed"));
    const within = JSON.stringify(found.find(({ name }) => name === "g")?.body);
    assert.match(within, /"over":\{"kind":"recursion","of":"g"\}/u);
  });
});

describe("functions around transactions", () => {
  const SCHEMA = `datasource db { provider = "postgresql" }
model Account { id Int @id
  balance Int }`;
  const DB = `import { PrismaClient } from "@prisma/client";
import { tracer } from "./tracing";
const make = (): PrismaClient => new PrismaClient();
export const prisma = make();
export type Client = PrismaClient;
function isOpen(client: Client): boolean { return !("$transaction" in client); }
async function retried<R>(run: () => Promise<R>, most = 1): Promise<R> {
  if (most <= 1) return run();
  throw new Error("none");
}
async function begun<R>(client: Client, fn, options?): Promise<R> {
  if (isOpen(client)) return fn(client);
  try {
    return await retried(() => client.$transaction((tx) => fn(tx), options));
  } catch (error) { report(error); throw error; }
}
const span = async (name: string, fn) => tracer.startActiveSpan(name, async (s) => { try { return await fn(s); } finally { s.end(); } });
export async function $transaction<R>(client: Client, name: string, fn: (tx: Client) => Promise<R>, options?: Options): Promise<R>;
export async function $transaction<R>(client: Client, fn: (tx: Client) => Promise<R>, options?: Options): Promise<R>;
export async function $transaction<R>(client: Client, nameOrFn, fnOrOptions?, options?): Promise<R> {
  return inner(client, nameOrFn, fnOrOptions, options);
}
async function inner(client: Client, nameOrFn, fnOrOptions, options) {
  if (typeof nameOrFn === "string") {
    return await span(nameOrFn, async (s) => {
      const fn = fnOrOptions as (tx: Client, s: Span) => Promise<R>;
      return begun(client, (tx) => fn(tx, s), options);
    });
  }
  return begun(client, nameOrFn, typeof fnOrOptions === "function" ? undefined : fnOrOptions);
}`;
  const SET = "tx.account.update({ where: { id }, data: { balance: 1 }, select: { id: true } })";
  const checkWith = async (call: string, level: string): Promise<void> => {
    const text = `import { $transaction, prisma } from "./db";
export async function f(id: number) { await $transaction(prisma, ${call}); }`;
    const found = await prismaTransactionsOf(SCHEMA, { "db.ts": DB, "f.ts": text });
    const [first, ...more] = printed(found);
    assert.equal(first, `f explicit${level}`, call);
    assert.equal(more.filter((line) => line.includes("update Account")).length, 1, call);
  };

  it("are followed to them, with what they ask of their arguments", async () => {
    await checkWith(`async (tx) => { await ${SET}; }`, "");
    await checkWith(`"name", async (tx) => { await ${SET}; }`, "");
    const options = '{ isolationLevel: "Serializable" }';
    await checkWith(`async (tx) => { await ${SET}; }, ${options}`, " @ postgres:serializable");
    await checkWith(`"name", (tx) => ${SET}, ${options}`, " @ postgres:serializable");
  });

  it("leave functions that they wrap at the top of a module to be run when they are called", async () => {
    const text = `import { Pool } from "pg";
import { cache, withAuth } from "far";
const pool = new Pool();
const signed = (run) => withAuth(async (request) => { await pool.query("DELETE FROM lines WHERE id = $1", [request.id]); return run(request); });
export const POST = signed(async (request) => { await pool.query("UPDATE accounts SET balance = 0 WHERE id = $1", [request.id]); });
const known = cache(async (id) => (await pool.query("SELECT balance FROM accounts WHERE id = $1", [id])).rows[0]);
export async function add(id) { const a = await known(id); await pool.query("UPDATE accounts SET balance = $2 WHERE id = $1", [id, a.balance + 1]); }`;
    const found = printed(await transactionsOf(DDL, { "a.ts": text }));
    const names = found.filter((line) => !line.startsWith(" "));
    assert.deepEqual(names, ["signed autocommit", "POST autocommit", "add unit"]);
    assert.ok(found.some((line) => line.includes("balance = (r1.balance + 1)")));
  });

  it("are given clients by other names of their types", async () => {
    const client = `import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import * as schema from "./schema";
export type Db = PostgresJsDatabase<typeof schema>;
export const db = drizzle(url, { schema });
export type Own = typeof db;
export const accounts = 1;
export type accounts = string;`;
    const schema = `import { integer, pgTable } from "drizzle-orm/pg-core";
export const accounts = pgTable("accounts", { id: integer("id").primaryKey(), balance: integer("balance").notNull() });`;
    const text = `import { eq } from "drizzle-orm";
import type { Db, Own } from "./client";
import { accounts } from "./schema";
type Mine = Db;
type itself = itself;
export const f = (store: Mine, id: number) => store.transaction((t) => t.delete(accounts).where(eq(accounts.id, id)));
export const g = (store: Own, id: itself) => store.transaction((t) => t.delete(accounts).where(eq(accounts.id, id)));`;
    const files = { "client.ts": client, "schema.ts": schema, "a.ts": text };
    const found = printed(await transactionsOf(DDL, files)).filter((line) => !/return/u.test(line));
    const row = "  delete accounts where (accounts.id = :id)";
    assert.deepEqual(found, ["f explicit", row, "g explicit", row]);
  });
});

it("functions are transactions of their own where those who call them leave out what they do", async () => {
  const text = `export async function place(id: number, n: number) {
  await pool.query("SELECT balance FROM accounts WHERE id = $1", [id]);
  if (n === 0) return;
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [n, id]);
}
export async function whole(id: number, n: number) {
  await pool.query("DELETE FROM accounts WHERE id = $1", [id]);
  if (n > 0) await pool.query("DELETE FROM lines WHERE id = $1", [id]);
}
export async function seed() { await place(1, 0); await whole(1, 1); }`;
  const found = await transactionsOf(DDL, { "a.ts": POOL + text });
  assert.deepEqual(
    found.map(({ name }) => name),
    ["place", "seed"],
  );
});

it("files that import a library are read", () => {
  for (const { modules } of LIBRARIES) {
    for (const name of modules) assert.ok(mayUseDatabase(`import x from "${name}";`), name);
  }
  for (const text of ["sql.begin(async (tx) => 1)", "tx`update a set b = 1`", "db.raw(text)"])
    assert.ok(mayUseDatabase(text), text);
  // Their services run the statements.
  assert.ok(mayUseDatabase("@Controller() export class Users {}"));
  assert.ok(!mayUseDatabase(`import x from "node:fs"; const file = "a/pg.png";`));
});

it("two services that hold each other are the same whichever is asked for first", async () => {
  const services = `import { Pool } from "pg";
export type Store = Stock;
export type Sales = Orders;
export class Orders {
  constructor(private pool: Pool, private stock: Store) {}
  async place(id: number) {
    await this.pool.query("UPDATE accounts SET balance = balance - 1 WHERE id = $1", [id]);
  }
  async refill(id: number) {
    await this.stock.empty(id);
  }
}
export class Stock {
  constructor(private pool: Pool, private orders: Sales) {}
  async empty(id: number) {
    await this.pool.query("DELETE FROM accounts WHERE id = $1", [id]);
  }
  async again(id: number) {
    await this.orders.place(id);
  }
}`;
  const sell = `import type { Sales } from "./services";
export async function sell(sales: Sales, id: number) { await sales.refill(id); }`;
  const restock = `import type { Store } from "./services";
export async function restock(store: Store, id: number) { await store.again(id); }`;
  const read = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> =>
    (await transactionsOf(DDL, { ...files, "services.ts": services })).map((each) => each.name);
  assert.deepEqual(await read({ "a.ts": sell, "b.ts": restock }), ["sell", "restock"]);
  assert.deepEqual(await read({ "a.ts": restock, "b.ts": sell }), ["restock", "sell"]);
});
