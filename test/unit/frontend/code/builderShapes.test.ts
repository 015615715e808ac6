// Query builders that a framework, a request or a container hands on, so that nothing but their calls tells what they are.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readOver, transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = "CREATE TABLE job (id int PRIMARY KEY, owner text, n int NOT NULL);";

async function check(
  texts: Readonly<Record<string, string>>,
  ...expected: readonly string[]
): Promise<void> {
  assert.deepEqual(printed(await transactionsOf(DDL, texts)), expected);
}

const READ = "  r1 = select job.n as n from job where (job.id = :request.params.id)";
const WRITE = "  update job set n = (r1.n + 1) where (job.id = :request.params.id)";
const LOCKED = ["    rollback", WRITE] as const;

describe("builders that are told by their calls", () => {
  it("are Kysely's", () =>
    check(
      {
        "a.ts": `import { Kysely } from "kysely";
export const made = (dialect) => new Kysely({ dialect });`,
        "b.ts": `export default async function routes(app) {
  app.delete("/jobs/:id", async (request) => {
    await app.db.transaction().setIsolationLevel("repeatable read").execute(async (trx) => {
      const { n } = await trx.selectFrom("job").select("n").where("id", "=", request.params.id).executeTakeFirstOrThrow();
      await trx.updateTable("job").set({ n: n + 1 }).where("id", "=", request.params.id).execute();
    });
  });
  app.put("/jobs/:id", async (request) => {
    await app.db.deleteFrom("job").where("id", "=", request.params.id).execute();
  });
}`,
      },
      "DELETE /jobs/:id explicit @ postgres:repeatable-read",
      READ,
      "  if (size(r1) <= 0)",
      ...LOCKED,
      "PUT /jobs/:id autocommit",
      "  delete job where (job.id = :request.params.id)",
    ));

  it("are knex's", () =>
    check(
      {
        "a.js": `const knex = require("knex");
module.exports.make = (config) => knex(config);`,
        "b.js": `module.exports = (knex) => ({
  async add(request) {
    await knex.transaction(async (trx) => {
      const row = await trx("job").select("n").where({ id: request.params.id }).forUpdate().first();
      if (!row) throw new Error("none");
      await trx("job").where({ id: request.params.id }).update({ n: row.n + 1, owner: knex.fn.now() });
    });
  },
});
module.exports.handler = async (request) => {
  await request.app.knex("job").where("id", 1).del();
};
module.exports.translated = (t) => t("job");`,
      },
      "module.exports.add explicit",
      "  r1 = select job.n as n from job where (job.id = :request.params.id) limit 1 for update",
      "  if (size(r1) <= 0)",
      "    rollback",
      "  update job set n = (r1.n + 1), owner = fresh now where (job.id = :request.params.id)",
      "exports.handler autocommit",
      "  delete job where (job.id = 1)",
    ));

  it("are Drizzle's", () =>
    check(
      {
        "schema.ts": `import { pgTable, integer, text } from "drizzle-orm/pg-core";
export const job = pgTable("job", { id: integer("id").primaryKey(), owner: text("owner"), n: integer("n").notNull() });`,
        "b.ts": `import { eq } from "drizzle-orm";
import { job } from "./schema";
export async function add(c, request) {
  const db = c.get("db");
  await db.transaction(async (tx) => {
    const [row] = await tx.select({ n: job.n }).from(job).where(eq(job.id, request.params.id));
    if (!row) throw new Error("none");
    await tx.update(job).set({ n: row.n + 1 }).where(eq(job.id, request.params.id));
  }, { isolationLevel: "serializable" });
}
export async function drop(c) {
  await c.var.db.delete(job).where(eq(job.id, 1));
  const { n } = await c.get("tx").insert(job).values({ id: 1, n: 1 });
}`,
      },
      "add explicit @ postgres:serializable",
      READ,
      "  if (size(r1) <= 0)",
      ...LOCKED,
      "drop unit",
      "  delete job where (job.id = 1)",
      "  insert job {id = 1, owner = null, n = 1}",
    ));

  it("are Drizzle's, whose relational queries name what a client was made with", () =>
    check(
      {
        "schema.ts": `import { pgTable, integer, text } from "drizzle-orm/pg-core";
export const jobs = pgTable("job", { id: integer("id").primaryKey(), owner: text("owner"), n: integer("n").notNull() });`,
        "client.ts": `import { drizzle } from "drizzle-orm/node-postgres";
import * as schema from "./schema";
export const connect = (url: string) => drizzle(url, { schema });`,
        "b.ts": `import { Hono } from "hono";
import { eq } from "drizzle-orm";
import { jobs } from "./schema";
export const app = new Hono()
  .get("/jobs", async (c) => c.json(await c.var.db.query.jobs.findMany()))
  .post("/jobs/:id", async (c) => {
    const job = await c.get("db").query.jobs.findFirst({ where: eq(jobs.id, c.job), columns: { n: true } });
    await c.get("db").update(jobs).set({ n: job.n + 1 }).where(eq(jobs.id, c.job));
  });`,
      },
      "GET /jobs autocommit",
      "  r1 = select job.id as id, job.owner as owner, job.n as n from job",
      "  return",
      "POST /jobs/:id unit",
      "  r1 = select job.n as n from job where (job.id = :c.job) limit 1",
      "  if (size(r1) <= 0)",
      "    rollback",
      "  update job set n = (r1.n + 1) where (job.id = :c.job)",
    ));

  it("are said where nothing leads to their calls", async () => {
    const { notes } = await readOver(
      DDL,
      {
        "a.ts": `import { Kysely } from "kysely";
import knex from "knex";
const db = knex({ client: "pg" });
export async function f() {
  const never = { kysely: async (k) => { await k.selectFrom("job").selectAll().execute(); },
    knex: async () => { await db("job").where({ id: 1 }).del(); },
    drizzle: async (d, job) => { await d.update(job).set({ n: 1 }); },
    hash: async (h, text) => h.update(text).digest("hex") };
}`,
      },
      "postgres",
    );
    const unreached = notes.filter(({ code }) => code === "call-unreached");
    assert.deepEqual(
      unreached.map(({ message }) => message.split(" ")[0]),
      ["k.selectFrom()", "db().where()", "d.update().set()"],
    );
  });
});

describe("Kysely", () => {
  it("updates on conflict under conditions", () =>
    check(
      {
        "a.ts": `import { Kysely } from "kysely";
export async function put(db: Kysely<any>, id: number) {
  await db.insertInto("job").values({ id, n: 1 })
    .onConflict((oc) => oc.column("id").doUpdateSet({ n: 2 }).where("job.n", "<", 9).where("job.owner", "is", null))
    .execute();
}`,
      },
      "put autocommit",
      "  insert job {id = :id, owner = null, n = 1} on conflict (id) update n = 2 where ((job.n < 9) and (job.owner is null))",
    ));

  it("is no function that is given one of its transactions", () =>
    check(
      {
        "a.ts": `import type { Kysely, Transaction } from "kysely";
export async function serial<T>(db: Kysely<any>, work: (trx: Transaction<any>) => Promise<T>) {
  return db.transaction().execute(work);
}`,
      },
      "serial explicit",
      "  opaque writes ",
      "  return",
      "  ! callback() is given a connection, and what it does is not known",
      "  ! callback() is given a connection, and what it does is not known",
    ));
});
