// Values that are only known when it runs, and are said to be: columns that are compared, fields of data, steps that may be skipped.
import assert from "node:assert/strict";
import { it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { losses, printed, transactionsOf as withPrisma } from "./prismaPrograms";

const SCHEMA = `datasource db { provider = "postgresql" }
model User { id Int @id
  name String
  posts Post[] }
model Post { id Int @id
  userId Int
  user User @relation(fields: [userId], references: [id]) }`;
const HEAD = `import { PrismaClient } from "@prisma/client";
import { decode } from "elsewhere";
const prisma = new PrismaClient();
`;

it("a column that is not known is compared by Drizzle, and no argument", async () => {
  const text = `import { drizzle } from "drizzle-orm/node-postgres";
import { eq, inArray } from "drizzle-orm";
import { integer, pgTable } from "drizzle-orm/pg-core";
const accounts = pgTable("accounts", { id: integer("id").primaryKey() });
const db = drizzle(process.env.DATABASE);
export async function f(column, id: number) { await db.delete(accounts).where(eq(column, id)); }
export async function g(id: number) { await db.delete(accounts).where(inArray(accounts.other, [id])); }
export async function h(id: number) { await db.delete(accounts).where(eq(accounts.id, id)); }`;
  const found = await transactionsOf("CREATE TABLE accounts (id int PRIMARY KEY);", {
    "a.ts": text,
  });
  const why = "which column is compared is not known";
  assert.deepEqual(
    found.map((each) => losses(each)),
    [[why], [why], []],
  );
});

it("nested writes beside a spread of unknown fields are in one transaction, and others may be", async () => {
  const found = await withPrisma(SCHEMA, {
    "a.ts": `${HEAD}export async function f(id: number) {
  await prisma.user.create({ data: { ...decode(id), id, name: "x", posts: { create: { id: 1 } } } });
}`,
  });
  const lines = printed(found);
  assert.equal(lines[0], "f explicit");
  assert.equal(lines.filter((line) => line.includes("insert")).length, 2);
  assert.ok(found.flatMap(losses).includes("which related rows the data writes is not known"));
});

it("a step that has a name may be skipped, which is said once", async () => {
  const found = await withPrisma(SCHEMA, {
    "a.ts": `${HEAD}interface Io { runTask<T>(key: string, work: () => Promise<T>): Promise<T> }
export async function f(io: Io, id: number) {
  const user = await io.runTask("find", async () => prisma.user.findUnique({ where: { id } }));
  await io.runTask("drop", async () => { if (user) await prisma.post.deleteMany({ where: { userId: user.id } }); });
}`,
  });
  assert.deepEqual(found.flatMap(losses), [
    "io.runTask() may skip its function and give what it kept of it",
  ]);
});

it("a document that is spread brings fields that nobody knows", async () => {
  const schema = `datasource db { provider = "postgresql" }
model Request { id Int @id
  title String?
  body Json }`;
  const found = await withPrisma(schema, {
    "a.ts": `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function f(id: number) {
  const { body, title } = await prisma.request.findUniqueOrThrow({ where: { id } });
  await prisma.request.update({ where: { id }, data: { body: { ...body, id } } });
  await prisma.request.update({ where: { id }, data: { body: { ...title, id } } });
}`,
  });
  const [first, second] = printed(found).filter((line) => line.includes("update"));
  assert.match(first ?? "", /set body = unknown/u);
  assert.match(second ?? "", /set body = code:document\("id", :id\)/u);
});

it("a nested deletion leaves the parent's key to the foreign key", async () => {
  const schema = `datasource db { provider = "postgresql" }
model User { id Int @id
  name String
  secretId Int?
  secret Secret? @relation(fields: [secretId], references: [id]) }
model Secret { id Int @id
  user User[] }`;
  const found = await withPrisma(schema, {
    "a.ts": `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function f(id: number) {
  await prisma.user.update({ where: { id }, data: { name: "x", secret: { delete: true } } });
}`,
  });
  const lines = printed(found);
  assert.match(lines.find((line) => line.includes("update")) ?? "", /set name = "x" where/u);
  assert.ok(lines.some((line) => line.includes("delete Secret")));
});

it("a text that ends in values is trimmed when it runs, what stands at its ends at once", async () => {
  const text = `import { Pool } from "pg";
const pool = new Pool();
export async function f(a: string, b: string) {
  const set = \` note = '\${a.length}' \`.trim();
  await pool.query(\`  UPDATE accounts SET \${set} WHERE id = $1 \`.trim(), [1]);
  await pool.query("DELETE FROM accounts WHERE note = $1", [\`\${a} \${b}\`.trim()]);
  await pool.query("DELETE FROM accounts WHERE note = $1", [\` [\${a}] \`.trim()]);
  await pool.query("DELETE FROM accounts WHERE note = $1", [" x ".trim()]);
}`;
  const found = await transactionsOf("CREATE TABLE accounts (id int PRIMARY KEY, note text);", {
    "a.ts": text,
  });
  assert.deepEqual(printed(found).slice(2), [
    '  delete accounts where (accounts.note = trim(((:a || " ") || :b)))',
    '  delete accounts where (accounts.note = (("[" || :a) || "]"))',
    '  delete accounts where (accounts.note = "x")',
  ]);
});

it("numbers are read from texts that are known, and those that are computed lose their fractions", async () => {
  const given = [
    'parseInt("12px", 10)',
    'Number("0x10")',
    'parseFloat("1.50 EUR")',
    "Number.parseInt(n / 2)",
    "parseInt(n)",
    'parseInt("ff", 16)',
  ];
  const queries = given.map(
    (each) => `await pool.query("DELETE FROM accounts WHERE id = $1", [${each}]);`,
  );
  const text = `import { Pool } from "pg";
const pool = new Pool();
export async function f(n) { ${queries.join(" ")} }`;
  const found = await transactionsOf("CREATE TABLE accounts (id int PRIMARY KEY);", {
    "a.ts": text,
  });
  assert.deepEqual(
    printed(found).flatMap((line) => /= (.*)\)$/u.exec(line)?.[1] ?? []),
    ["12", "16", "1.5", "trunc(((:n * 1) / 2))", ":n", "255"],
  );
});

it("the number in a text that was read is no text, and null is zero", async () => {
  const text = `import { Pool } from "pg";
const pool = new Pool();
export async function f(id: number) {
  const { rows: [{ name, price, place, at }] } = await pool.query("SELECT name, price, place, at FROM t WHERE id = $1", [id]);
  for (const n of [Number(name), +name, parseInt(price), parseFloat(name), Number(place), Number(id), +at, parseInt(place)]) {
    await pool.query("DELETE FROM t WHERE id = $1", [n]);
  }
}`;
  const found = await transactionsOf(
    "CREATE TABLE t (id int PRIMARY KEY, name text NOT NULL, price numeric NOT NULL, place int, at timestamptz NOT NULL);",
    { "a.ts": text },
  );
  assert.deepEqual(
    printed(found).flatMap((line) => /delete.*= (.*)\)$/u.exec(line)?.[1] ?? []),
    [
      "code:Number(r1.name)",
      "code:Number(r1.name)",
      "trunc(r1.price)",
      "code:parseFloat(r1.name)",
      "coalesce(r1.place, 0)",
      ":id",
      "code:millis(r1.at)",
      "r1.place",
    ],
  );
});

it("a column that is null is no undefined, and a header is a text", async () => {
  const text = `import { Pool } from "pg";
const pool = new Pool();
export async function f(req) {
  const id = req.headers["x-id"];
  if (!id) return;
  const { rows: [a] } = await pool.query("SELECT note FROM t WHERE id = $1", [Number(id)]);
  if (a?.note === undefined) return;
  if (a.note !== undefined && a.note === null) await pool.query("DELETE FROM t WHERE id = 2");
  if (a.note == undefined) await pool.query("DELETE FROM t WHERE id = 3");
}`;
  const found = await transactionsOf("CREATE TABLE t (id int PRIMARY KEY, note text);", {
    "a.ts": text,
  });
  assert.deepEqual(printed(found), [
    "f unit",
    '  if not (not (:req.headers.x-id is null) and (:req.headers.x-id <> ""))',
    "    return",
    "  r1 = select t.note as note from t where (t.id = :req.headers.x-id)",
    "  if (size(r1) <= 0)",
    "    return",
    "  if (r1.note is null)",
    "    delete t where (t.id = 2)",
    "  if (r1.note is null)",
    "    delete t where (t.id = 3)",
  ]);
});

it("what is left out is no number, and not nothing", async () => {
  const found = await withPrisma(SCHEMA, {
    "a.ts": `${HEAD}export async function f(id: number, userId?: string) {
  await prisma.post.deleteMany({ where: { id, userId: Number(userId) } });
}
export async function g(id: number, userId: string) {
  await prisma.post.deleteMany({ where: { id, userId: Number(userId) } });
}`,
  });
  assert.deepEqual(found.map(losses), [["what is no number"], []]);
  const [, line] = printed(found);
  assert.equal(
    line?.trim(),
    "delete Post where ((Post.id = :id) and (((:userId is null) and (Post.userId = unknown())) or (not (:userId is null) and (Post.userId = :userId))))",
  );
});

it("what is called of data that a function gave is not known, and no argument", async () => {
  const found = await withPrisma(SCHEMA, {
    "a.ts": `import { pipe } from "fp-ts/function";
import { chain, fromTask } from "fp-ts/TaskEither";
${HEAD}async function get(id: number) {
  const user = await prisma.user.findUnique({ where: { id } });
  return user ? { name: user.name } : null;
}
const asked = (id: number) => pipe(() => get(id), fromTask, chain((user) => user));
export async function f(id: number) {
  const user = await asked(id)();
  if (user._tag === "Left") await prisma.post.deleteMany({ where: { userId: id } });
}`,
  });
  const condition = printed(found).find((line) => line.includes("Left")) ?? "";
  assert.match(condition, /unknown\(r1\.name\) = "Left"/);
  assert.doesNotMatch(condition, /asked/);
});

const CHANGED = `import { Pool } from "pg";
import { createHash } from "node:crypto";
import { make, merge, shuffle, Sums } from "elsewhere";
const pool = new Pool();
const rowOf = async (id: number) => (await pool.query("SELECT * FROM accounts WHERE id = $1", [id])).rows[0];
const keep = (note) => pool.query("UPDATE accounts SET note = $1", [note]);
const tag = (address, value) => { address.searchParams.set("tag", value); };
export async function f(id: number, k, v, list, context) {
`;

async function written(...bodies: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const body of bodies) {
    const ddl = "CREATE TABLE accounts (id int PRIMARY KEY, note text, at timestamptz);";
    const text = `${CHANGED}const row = await rowOf(id); if (!row) return;\n${body}\n}`;
    const lines = printed(await transactionsOf(ddl, { "a.ts": text }));
    const sets = lines.filter((line) => line.includes("update accounts"));
    found.push(sets.map((line) => line.replace(/^.* set note = /u, "")).join(" | "));
  }
  return found;
}

it("what the code gives an object that was made elsewhere becomes a part of what it is", async () => {
  const keeping = [
    "const u = new URL(v); u.searchParams.set(k, row.note); await keep(u.toString());",
    "const u = new URL(v); const p = u.searchParams; p.set(k, row.note); await keep(u.href);",
    "const u = new URL(v); u.hash = row.note; await keep(u.toString());",
    "const u = new URL(v); tag(u, row.note); await keep(u.toString());",
    "const u = k ? new URL(v) : new URL(k); u.hash = row.note; await keep(u.toString());",
    'const h = createHash("sha256"); h.update(row.note); await keep(h.digest("hex"));',
    "const b = Buffer.alloc(9); b.write(row.note); await keep(b.toString());",
    "const w = make(k); merge(w, row.note); await keep(w.value);",
    "const u = new URL(v); for (const x of [k, v]) u.searchParams.append(x, row.note); await keep(u.href);",
    "row.note.tags = k; await keep(row.note);",
    "const all = [k, v]; shuffle(all); await keep(all[0]);",
  ];
  for (const set of await written(...keeping)) assert.match(set, /^unknown\(/u);
  assert.deepEqual(
    await written(
      "const d = new Date(v); const o = { d }; o.d.setDate(row.id); await keep(d); await keep(v);",
      "row.note.setDate(row.id); await keep(row.note);",
      "const at = context.at; at.setDate(k); await keep(context.at);",
      "const u = new URL(v); await keep(u.toString()); u.hash = k; await keep(u.toString());",
      'const h = createHash("sha256"); h.update(k); await keep(h.digest("hex"));',
      "const u = new URL(v); if (row.id > 1) u.hash = k; await keep(u.toString());",
      "const u = make(v); const r = await u.put(row.note); await keep(u.toString());",
      "const u = new Sums(v); [1, 2].forEach((x) => u.add(x)); await keep(u.total);",
    ),
    [
      "code:Date.setDate(:v, r1.id) | :v",
      "code:Date.setDate(r1.note, r1.id)",
      "code:Date.setDate(:context.at, :k)",
      "code:URL(:v) | code:hash(code:URL(:v), :k)",
      'code:h.digest(code:update(code:createHash("sha256"), :k), "hex")',
      "@v1",
      "code:make(:v)",
      "code:add.total(code:add(code:Sums(:v), 1), 2)",
    ],
  );
});

it("what a collection is given as a key is no other thing by that", async () => {
  const [kept, ...changed] = await written(
    "elsewhere.seen.set(context, row.note); await keep(context.note);",
    '_.set(context, "note", row.note); await keep(context.note);',
    'elsewhere.dotted.set(context, "note", row.note); await keep(context.note);',
  );
  assert.equal(kept, ":context.note");
  for (const each of changed) assert.match(each, /^unknown\(/u);
});

it("an argument that was perhaps changed is told in few cases, however often it is handed on", async () => {
  const changed = "if (k.a) { if (k.b) merge(context, v); } else if (k.c) merge(context, v);";
  const again = Array.from({ length: 40 }, () => "user = own(user);").join(" ");
  const [once, often, twice] = await written(
    `const own = (u) => u; ${changed} let user = context; await keep(user.note);`,
    `const own = (u) => u; ${changed} let user = context; ${again} await keep(user.note);`,
    "let user = context; if (k.a) merge(user, v); user = user; if (k.b) merge(user, v); await keep(user.note);",
  );
  assert.equal(often, once);
  assert.match(twice ?? "", /:k\.b\) \? unknown\(/u);
});

it("what the code writes into its arguments is there afterwards", async () => {
  assert.deepEqual(
    await written(
      "context.row = row; await keep(context.row.note); await keep(context.other);",
      'context.headers.set("x", row.note); await keep(context.headers.get("x"));',
      "Object.assign(context, { note: row.note }); const { note, x } = context; await keep(note); await keep(x);",
      "if (row.id > 1) context.x = row.note; await keep(context.x);",
      "for (const item of list) { item.x = row.note; await keep(item.x); await keep(item.y); }",
      "const before = context.x; context.x = v.x; v.x = before; await keep(context.x); await keep(v.x);",
      "list[0].x = 5; await keep(list[0].x); await keep(list[1].x);",
      "const { inner } = context; inner.x = 1; await keep(context.inner.x);",
    ),
    [
      "r1.note | :context.other",
      "r1.note",
      "r1.note | :context.x",
      "@v1",
      "r1.note | :list.y[@i1]",
      ":v.x | :context.x",
      "5 | :list.x[2]",
      "1",
    ],
  );
  const lost = await written(
    "context.row = row; await keep(context);",
    "context.set(k, row.note); await keep(context.get(v));",
    "for (const item of list) item.x = row.note; for (const item of list) await keep(item.x);",
    "merge(context, row); await keep(context.x);",
    "context[row.note] = row.note; await keep(context.x);",
    "const { all } = context; all.push(row.note); await keep(context.all[0]);",
  );
  for (const set of lost) assert.match(set, /^unknown\(.*r1\./u);
});

it("what is asked of something made elsewhere depends on what it is asked", async () => {
  assert.deepEqual(
    await written(
      'await keep(make(list).get(k)); await keep(make(list).get("x").name);',
      "await keep(make(v).parts.get(k)); await keep(make(v).toString(k));",
    ),
    [
      'code:get(code:make(:list), :k) | code:get.name(code:make(:list), "x")',
      "code:make().parts.get(code:make(:v), :k) | code:toString(code:make(:v), :k)",
    ],
  );
});

it("a large value that a variable stands for weakens its statement where a part of it is not known", async () => {
  const written = async (last: string): Promise<readonly string[]> => {
    const sum = Array.from({ length: 12 }, (_, at) => `n * ${String(at + 2)}`).join(" + ");
    const text = `import { Pool } from "pg";
import { calc } from "elsewhere";
const pool = new Pool();
export async function f(id: number, n: number) {
  const { rows } = await pool.query("SELECT balance FROM accounts WHERE id = $1", [id]);
  await pool.query("UPDATE accounts SET balance = $2 WHERE id = $1", [id, ${sum} + ${last}]);
}`;
    const ddl = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);";
    return (await transactionsOf(ddl, { "a.ts": text })).flatMap(losses);
  };
  assert.deepEqual(await written("calc(rows)"), ["calc is not known"]);
  assert.deepEqual(await written("rows[0].balance"), []);
});

it("what a function gives depends on the settings that it is given, of the process and of others", async () => {
  const found = await withPrisma(SCHEMA, {
    "a.ts": `${HEAD}import { config } from "elsewhere";
export async function f(id: number) {
  if (decode(process.env.A, id) === 1 || decode(config.a, id) === 1) throw new Error("no");
  if (decode(process.env.B, id) === 1 || decode(config.b, id) === 1) await prisma.post.deleteMany({ where: { id } });
}`,
  });
  const lines = printed(found).join("\n");
  for (const given of ["process.env.A", "process.env.B", "config.a", "config.b"]) {
    assert.match(lines, new RegExp(`code:decode\\([^()]*${given}`, "u"));
  }
});

it("which way a function went that a constructor of somebody else called is not known", async () => {
  const found = await withPrisma(SCHEMA, {
    "a.ts": `${HEAD}function size(of: unknown) { if (decode(of)) return 3; return 4; }
function wrap(client: PrismaClient) { if (decode(client)) return client; return new Proxy(client, {}); }
class Service {
  private db; private most;
  constructor(options) { this.db = wrap(prisma); this.most = size(options); }
  async drop() { await this.db.post.deleteMany({ where: { id: this.most } }); }
}`,
  });
  const why = "which way a function went that a constructor called";
  assert.ok(printed(found).join("\n").includes("delete"));
  assert.ok(found.flatMap(losses).every((each) => each === why));
  assert.ok(found.flatMap(losses).includes(why));
});

it("a name in quotes that is made when it runs is not known", async () => {
  const text = `import { Pool } from "pg";
const pool = new Pool();
export async function f(table: string, id: number) {
  await pool.query(\`UPDATE "\${table}" SET v = 1 WHERE id = $1\`, [id]);
}
export async function g(word: string) { await pool.query(\`UPDATE t SET v = 1 WHERE w = '\${word}'\`); }
export async function h(id: number) { await pool.query(\`UPDATE "t" SET "v" = \${id} WHERE "id" = \${id}\`); }`;
  const found = await transactionsOf("CREATE TABLE t (id int PRIMARY KEY, v int, w text);", {
    "a.ts": text,
  });
  const why = "a name in it is only known when it runs";
  assert.deepEqual(
    found.map((each) => losses(each)),
    [[why], [], []],
  );
});
