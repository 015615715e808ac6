// Names of handlers that a framework finds by a record or by the file that they stand in.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

/** The names of what runs in a file at that path, whose functions use `pool`. */
async function check(file: string, text: string, expected: readonly string[]): Promise<void> {
  const whole = `import { Pool } from "pg";\nconst pool = new Pool();\nconst run = (id) => pool.query("DELETE FROM jobs WHERE id = $1", [id]);\n${text}`;
  const read = await transactionsOf("CREATE TABLE jobs (id int PRIMARY KEY);", { [file]: whole });
  assert.deepEqual(
    read.map(({ name }) => name),
    expected,
  );
}

describe("handlers", () => {
  it("are called by the verb and the folder of Next's route files", () =>
    check(
      "apps/web/src/app/(admin)/api/jobs/[id]/route.ts",
      `export async function DELETE(req, { params }) { await run((await params).id); }
export const PUT = guarded(async (req) => { await run(req.id); });
async function handler(req) { await run(req.id); }
export { handler as GET, handler as POST };
export async function helper(id) { await run(id); }`,
      ["DELETE /api/jobs/[id]", "PUT /api/jobs/[id]", "GET|POST /api/jobs/[id]", "helper"],
    ));

  it("are called by the path of files that hold one", async () => {
    const handler = "export default async function handler(req) { await run(req.id); }";
    await check("src/pages/api/jobs/index.ts", handler, ["/api/jobs"]);
    await check("src/pages/api/jobs/[id].ts", handler, ["/api/jobs/[id]"]);
    await check("src/pages/jobs.ts", handler, ["handler"]);
    const wrapped = "export default defineEventHandler(async (event) => { await run(event.id); });";
    await check("server/api/jobs/[id].delete.ts", wrapped, ["DELETE /api/jobs/[id]"]);
    const svelte = "export async function POST({ params }) { await run(params.id); }";
    await check("src/routes/jobs/[id]/+server.ts", svelte, ["POST /jobs/[id]"]);
  });

  it("stand in a record that a route is made of", () =>
    check(
      "a.ts",
      `export default async (app) => {
  app.route({ method: "PUT", url: "/jobs/:id", preHandler: check, handler: async (req) => { await run(req.id); } });
  app.route({ path: "/jobs", handler: (req) => run(req.id) });
};`,
      ["PUT /jobs/:id", "/jobs"],
    ));

  it("are given to what keeps them beside a route's description", () =>
    check(
      "a.ts",
      `import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
const put = createRoute({ method: "put", path: "/jobs/{id}", responses: {} });
export const app = new OpenAPIHono();
app.openapi(put, async (c) => { await run(c.req.id); return c.json({}); });
export function more(api) { return api.openapi(put, async (c) => { await run(c.req.id); }); }`,
      ["openapi", "PUT /jobs/{id}"],
    ));

  it("run in what stands before them opens around what goes on", async () => {
    const text = (open: string, routes: string): string => `import { Pool } from "pg";
const pool = new Pool();
const guard = (role) => async (ctx, next) => { if (ctx.role !== role) throw new Error(); await next(); };
const seen = async (ctx, next) => { await ctx.state.client.query("DELETE FROM seen WHERE id = $1", [ctx.id]); return next(); };
const work = () => ${open};
${routes}`;
    const open = `async function inTransaction(ctx, next) {
  const client = await pool.connect();
  await client.query("BEGIN");
  ctx.state.client = client;
  try { await next(); await client.query("COMMIT"); } catch (e) { await client.query("ROLLBACK"); throw e; } finally { client.release(); }
}`;
    const handle = `async (ctx) => {
  const { client } = ctx.state;
  await client.query("UPDATE jobs SET n = $1 WHERE id = $2", [ctx.n, ctx.id]);
}`;
    const routes = `router.post("jobs.update", guard("admin"), work(), ${handle});
router.post("/jobs/:id", guard("admin"), work(), guard("owner"), seen, ${handle.replace("(ctx)", "(ctx, next)").replace(/\}$/u, "await next(); }")});
router.get("/jobs/:id", guard("admin"), async (ctx) => { await pool.query("DELETE FROM jobs WHERE id = $1", [ctx.id]); });`;
    const ddl =
      "CREATE TABLE jobs (id int PRIMARY KEY, n int); CREATE TABLE seen (id int PRIMARY KEY);";
    const read = await transactionsOf(ddl, { "a.ts": text(open, routes) });
    assert.deepEqual(printed(read), [
      "POST jobs.update explicit",
      "  update jobs set n = :ctx.n where (jobs.id = :ctx.id)",
      "  return",
      "POST /jobs/:id explicit",
      "  delete seen where (seen.id = :ctx.id)",
      "  update jobs set n = :ctx.n where (jobs.id = :ctx.id)",
      "  return",
      "GET /jobs/:id autocommit",
      "  delete jobs where (jobs.id = :ctx.id)",
    ]);
    // A call that does not wait for what goes on has ended by then.
    const express = open.replace("ctx, next", "ctx, res, next");
    const others = await transactionsOf(ddl, { "a.ts": text(express, routes) });
    assert.deepEqual(
      others.map(({ name }) => name),
      ["seen", "POST jobs.update", "POST /jobs/:id", "GET /jobs/:id"],
    );
  });

  it("run in what is opened before all that stands between", async () => {
    const text = (between: string): string => `import { Pool } from "pg";
import { outer } from "outer";
const pool = new Pool();
const audit = { log: async (ctx, next) => { await ctx.state.client.query("DELETE FROM seen WHERE id = $1", [ctx.id]); return next(); },
  plain: (ctx, next) => next(), make: () => audit.log };
const tx = { open: () => async (ctx, next) => {
  const client = await pool.connect();
  await client.query("BEGIN");
  ctx.state.client = client;
  try { await next(); await client.query("COMMIT"); } catch (e) { await client.query("ROLLBACK"); throw e; } finally { client.release(); }
} };
router.post("/x", tx.open(), ${between}, async (ctx) => { await ctx.state.client.query("DELETE FROM jobs WHERE id = $1", [ctx.id]); });`;
    const ddl =
      "CREATE TABLE jobs (id int PRIMARY KEY, n int); CREATE TABLE seen (id int PRIMARY KEY);";
    const read = async (between: string) =>
      printed((await transactionsOf(ddl, { "a.ts": text(between) })).filter(({ name }) => name === "POST /x")); // prettier-ignore
    const kinds = ["audit.log", "audit.make()", "audit.plain", "{ a: 1 }", "outer", "outer()", "[audit.log]"]; // prettier-ignore
    const found = await Promise.all(kinds.map(read));
    const whole = (...more: string[]) => ["POST /x explicit", ...more, "  return"];
    const [seen, gone] = ["seen", "jobs"].map((name) => `  delete ${name} where (${name}.id = :ctx.id)`); // prettier-ignore
    const both = whole(seen ?? "", gone ?? "");
    const alone = whole(gone ?? "");
    const once = (name: string) => [...alone, `  ! ${name}() is taken to run the function that it is given once`]; // prettier-ignore
    assert.deepEqual(found, [both, both, alone, alone, once("outer"), once("outer()"), both]);
  });

  it("keep apart what two parameters hold, of which one is taken apart", async () => {
    const text = `import { Pool } from "pg";
const pool = new Pool();
export async function f({ id, req }, req2) { await pool.query("DELETE FROM jobs WHERE id = $1", [id]); }
export async function g({ id: first }, id) {
  await pool.query("DELETE FROM jobs WHERE id = $1 AND n = $2", [first, id]);
}`;
    const read = await transactionsOf("CREATE TABLE jobs (id int PRIMARY KEY, n int);", { "a.ts": text }); // prettier-ignore
    const names = read.map(({ parameters }) => parameters.map(({ name }) => name));
    assert.deepEqual(names, [["id"], ["argument1.id", "id"]]);
  });
});
