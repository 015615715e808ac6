// Long functions that can do nothing with a database are not followed, and all others are, whatever they are called.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Transaction } from "../../../../server/src/program/program";
import { ACCOUNTS_AND_LOG, transactionsOf } from "./codePrograms";

/** Statements that calculate, more than are followed where nothing comes of them. */
function calculating(times: number): string {
  return Array.from(
    { length: times },
    (_, at) => `  y += x.part${String(at)}.length > ${String(at)} ? x.value * ${String(at)} : 1;`,
  ).join("\n");
}

const LONG = `let y = 0;\n${calculating(40)}`;

const POOL = `import { Pool } from "pg";\nexport const pool = new Pool();`;

async function read(texts: Readonly<Record<string, string>>): Promise<Transaction> {
  const found = await transactionsOf(ACCOUNTS_AND_LOG, { "pool.ts": POOL, ...texts });
  const run = found.find(({ name }) => name === "run");
  assert.ok(run);
  return run;
}

/** The tables of the statements, in order. */
function tables(transaction: Transaction): readonly string[] {
  const written = /"kind":"(?:update","relation":\{"alias":"\w+"|insert"),"table":"(\w+)"/gu;
  return [...JSON.stringify(transaction.body).matchAll(written)].map(([, name]) => name ?? "");
}

function reasons({ taint }: Transaction): readonly string[] {
  return taint.map(({ reason }) => reason);
}

/** A handler that calls `score`, and writes what it gives. */
function handler(imports: string, call: string): string {
  return `import { pool } from "./pool";
${imports}
export async function run(id: number, x: any) {
  const n = ${call};
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [n, id]);
}`;
}

/** A handler that has what it read checked. */
const CHECKED = `import { pool } from "./pool";
import { check } from "./check";
export async function run(id: number, x: any) {
  const { rows } = await pool.query("SELECT * FROM accounts WHERE id = $1", [id]);
  check(rows[0], x);
  await pool.query("UPDATE accounts SET balance = 0 WHERE id = $1", [id]);
}`;

describe("a long function", () => {
  it("is a value of what it is given, where nothing that it names leads to a database", async () => {
    const score = `export function score(x) { ${LONG} return y; }`;
    const run = await read({
      "score.ts": score,
      "a.ts": handler(`import { score } from "./score";`, "score(x)"),
    });
    assert.deepEqual(tables(run), ["accounts"]);
    assert.deepEqual(reasons(run), []);
    assert.match(JSON.stringify(run.body), /code:score/u);
  });

  it("is followed where a name in it leads to one by way of other files", async () => {
    const run = await read({
      "log.ts": `import { pool } from "./pool";
export const writers = { add: (n) => pool.query("INSERT INTO log (amount) VALUES ($1)", [n]) };`,
      "all.ts": `export * from "./log";`,
      "score.ts": `import { writers as to } from "./all";
export async function score(x) { ${LONG} await to.add(x.value); return y; }`,
      "a.ts": handler(`import { score } from "./score";`, "await score(x)"),
    });
    assert.deepEqual(tables(run), ["log", "accounts"]);
  });

  it("is followed where what it is given does", async () => {
    const run = await read({
      "score.ts": `export async function score(x, log) { ${LONG} await log.add(y); return 1; }`,
      "a.ts": `import { pool } from "./pool";
import { score } from "./score";
class Log { async add(n) { await pool.query("INSERT INTO log (amount) VALUES ($1)", [1]); } }
export async function run(id: number, x: any) {
  await score(x, new Log());
  await pool.query("UPDATE accounts SET balance = 0 WHERE id = $1", [id]);
}`,
    });
    assert.deepEqual(tables(run), ["log", "accounts"]);
  });

  it("is followed where it was made with one", async () => {
    const run = await read({
      "score.ts": `export function scorer(db) {
  return async (x) => { ${LONG} await db.query("INSERT INTO log (amount) VALUES (1)"); return 1; };
}`,
      "a.ts": `import { pool } from "./pool";
import { scorer } from "./score";
const score = scorer(pool);
export async function run(id: number, x: any) {
  await score(x);
  await pool.query("UPDATE accounts SET balance = 0 WHERE id = $1", [id]);
}`,
    });
    assert.deepEqual(tables(run), ["log", "accounts"]);
  });

  it("is followed where it is given a function that may change what is around it", async () => {
    const run = await read({
      "each.ts": `export function each(x, f) { ${LONG} f(3); return y; }`,
      "a.ts": `import { pool } from "./pool";
import { each } from "./each";
export async function run(id: number, x: any) {
  let n = 1;
  each(x, (m) => { n = m; });
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [n, id]);
}`,
    });
    assert.doesNotMatch(JSON.stringify(run.body), /"value":1,"type":"int"\}\}\]/u);
    assert.match(JSON.stringify(run.body), /"value":3/u);
  });

  it("is followed where it is given what was read, since it may refuse that", async () => {
    const run = await read({
      "check.ts": `export function check(account, x) { ${LONG} if (account.balance < 10) throw new Error("no"); }`,
      "a.ts": CHECKED,
    });
    assert.match(JSON.stringify(run.body), /"why":"no"/u);
  });

  it("is followed where it may refuse what it is given", async () => {
    const run = await read({
      "check.ts": `export function check(id, x) { ${LONG} if (id < 10) throw new Error("no"); return y; }`,
      "a.ts": handler(`import { check } from "./check";`, "check(id, x)"),
    });
    assert.match(JSON.stringify(run.body), /"why":"no"/u);
  });

  it("is followed where a validator in it may refuse that", async () => {
    const run = await read({
      "check.ts": `import { z } from "zod";
const schema = z.object({ id: z.number().min(10) });
export function check(id, x) { ${LONG} schema.parse({ id }); return y; }`,
      "a.ts": handler(`import { check } from "./check";`, "check(id, x)"),
    });
    assert.match(JSON.stringify(run.body), /"kind":"rollback"/u);
  });

  it("says so where that is too long by far", async () => {
    const run = await read({
      "check.ts": `export function check(account, x) { let y = 0;\n${calculating(160)}
if (account.balance < 10) throw new Error("no"); }`,
      "a.ts": CHECKED,
    });
    assert.deepEqual(reasons(run), [
      "check() is too long to be followed: whether it refuses what it is given is not known",
    ]);
  });

  it("may have changed the record that it is given", async () => {
    const run = await read({
      "fill.ts": `export function fill(record, x) { ${LONG} record.n = y; }`,
      "a.ts": `import { pool } from "./pool";
import { fill } from "./fill";
export async function run(id: number, x: any) {
  const record = { n: 0 };
  fill(record, x);
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [record.n, id]);
}`,
    });
    assert.doesNotMatch(JSON.stringify(run.body), /"value":0,"type"/u);
  });
});

describe("a function that leads to no database", () => {
  it("is a loss where it lies too deep and runs a function that it was made with", async () => {
    const run = await read({
      "wrap.ts": `import tracer from "tracer";
import env from "env";
export const wrap = (options: any) => (target: any) => env.TEST === "x" ? target : function wrapper(this: any, ...a: any[]) { const span = tracer.begin(options); if (!span) { return target.call(this, ...a); } return tracer.scope().activate(span, () => target.call(this, ...a)); };`,
      "create.ts": `import { pool } from "./pool";
import { wrap } from "./wrap";
export default wrap({})(async (ctx: any, n: number) => { await pool.query("INSERT INTO accounts (id, balance) VALUES ($1, 1)", [n]); return { id: n }; });`,
      "a.ts": `import { pool } from "./pool";
import make from "./create";
${Array.from({ length: 6 }, (_, at) => `async function f${String(at)}(ctx: any, id: number) { return await ${at === 0 ? "make" : `f${String(at - 1)}`}(ctx, id); }`).join("\n")}
export async function run(ctx: any, id: number) {
  const made = await f5(ctx, id);
  await pool.query("UPDATE accounts SET balance = 2 WHERE id = $1", [made.id]);
}`,
    });
    assert.ok(reasons(run).includes("wrapper() lies too deep and is not followed"));
  });

  it("is followed through six services that call one another", async () => {
    const service = (at: number): string =>
      `class S${String(at)} { constructor(private next: S${String(at + 1)}) {} async get(id: number) { return await this.next.get(id); } }`;
    const run = await read({
      "a.ts": `import { pool } from "./pool";
class S5 { async get(id: number) { const { rows } = await pool.query("SELECT balance FROM accounts WHERE id = $1", [id]); return rows[0].balance; } }
${Array.from({ length: 5 }, (_, at) => service(4 - at)).join("\n")}
export async function run(service: S0, id: number) {
  const balance = await service.get(id);
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [balance - 1, id]);
}`,
    });
    assert.match(JSON.stringify(run.body), /"kind":"query"|"kind":"select"/u);
    assert.deepEqual(tables(run), ["accounts"]);
    assert.deepEqual(reasons(run), []);
  });

  it("is no loss where it lies too deep to be followed", async () => {
    const chain = Array.from(
      { length: 6 },
      (_, at) => `export function f${String(at)}(x) { return f${String(at + 1)}(x); }`,
    ).join("\n");
    const run = await read({
      "deep.ts": `${chain}\nexport function f6(x) { return x.headers.get("a").query; }`,
      "a.ts": handler(`import { f0 } from "./deep";`, "f0(x)"),
    });
    assert.deepEqual(tables(run), ["accounts"]);
    assert.deepEqual(reasons(run), []);
  });

  it("leads to one by what its callers hold in a type", async () => {
    const found = await transactionsOf(ACCOUNTS_AND_LOG, {
      "types.ts": `import type { Pool } from "pg";\nexport interface Context { db: Pool }`,
      "a.ts": `import type { Context } from "./types";
export async function run(ctx: Context, id: number) {
  const { rows } = await ctx.db.query("SELECT balance FROM accounts WHERE id = $1", [id]);
  await ctx.db.query("UPDATE accounts SET balance = $1 WHERE id = $2", [rows[0].balance + 1, id]);
}`,
    });
    assert.deepEqual(
      found.map(({ name }) => name),
      ["run"],
    );
  });

  it("is followed where it changes what it is given, whatever that holds", async () => {
    const run = await read({
      "tidy.ts": `export function tidy(record, x) { ${LONG} record.n = Math.abs(record.n); record.label = y; }`,
      "a.ts": `import { pool } from "./pool";
import { tidy } from "./tidy";
export async function run(id: number, x: any) {
  const record = { n: x.n, label: "" };
  tidy(record, x);
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [record.n, id]);
}`,
    });
    assert.match(JSON.stringify(run.body), /"name":"abs"/u);
  });

  it("says so where that is too long by far", async () => {
    const run = await read({
      "tidy.ts": `export function tidy(record, x) { let y = 0;\n${calculating(160)}
record.n = y; }`,
      "a.ts": `import { pool } from "./pool";
import { tidy } from "./tidy";
export async function run(id: number, x: any) {
  const record = { n: x.n };
  tidy(record, x);
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [record.n, id]);
}`,
    });
    assert.deepEqual(reasons(run), [
      "tidy() is too long to be followed: what it changes of what it is given is not known",
    ]);
  });

  it("is followed where it fills only what it made itself, unless nobody asks for that", async () => {
    const of = (call: string): Promise<Transaction> =>
      read({
        "parts.ts": `export function parts(x) {
  const all = [];
  const seen = x.items.reduce((found, each) => { found[each] = true; return found; }, {});
  ${LONG}
  all.push(y);
  return all;
}`,
        "a.ts": `import { pool } from "./pool";
import { parts } from "./parts";
export async function run(id: number, x: any) {
  const { rows } = await pool.query("SELECT * FROM accounts WHERE id = $1", [id]);
  ${call}
}`,
      });
    const used = await of(
      `await pool.query("UPDATE log SET note = $1", [parts({ ...x, n: rows[0].balance })[0]]);`,
    );
    assert.deepEqual(tables(used), ["log"]);
    const unused = await of(
      `parts(rows[0]); await pool.query("UPDATE log SET note = $1", [rows[0].balance]);`,
    );
    assert.deepEqual([tables(unused), reasons(unused)], [["log"], []]);
  });
});

describe("what a function gives that is not followed", () => {
  const SEAL = `import nodeCrypto from "node:crypto";
function sealed(key, text) { const nonce = nodeCrypto.randomBytes(12); ${LONG} return { nonce, text, key }; }
class Store {
  #key = "k";
  seal(text) { return sealed(this.#key, text); }
  async keep(text) { return this.#around(text); }
  async #around(text) { return this.#within(text); }
  async #within(text) { return this.#inside(text); }
  async #inside(text) { ${LONG} return this.seal(text); }
}
export const store = new Store();
export function score(x) { ${LONG} return y; }`;

  for (const [what, call, isNew] of [
    ["a new value where a method that lies deep makes one", "await store.keep(x)", true],
    ["a new value where what it names makes one", "store.seal(x)", true],
    ["the same for the same where nothing makes one", "score(x)", false],
  ] as const) {
    it(`is ${what}`, async () => {
      const run = await read({
        "seal.ts": SEAL,
        "a.ts": handler(`import { store, score } from "./seal";`, call),
      });
      assert.deepEqual(tables(run), ["accounts"]);
      assert.equal(
        /"name":"code:[^"]*(?:seal|score|inside|within)/iu.test(JSON.stringify(run.body)),
        !isNew,
      );
    });
  }
});
