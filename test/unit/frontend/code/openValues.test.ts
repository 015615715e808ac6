// What is only known when it runs, and is said: columns that are compared, fields of data, steps that may be skipped.
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
