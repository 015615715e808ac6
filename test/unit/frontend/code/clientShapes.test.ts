// Transactions of clients that are kept in a global variable, and those that a caller ends before it reaches them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { losses, printed, transactionsOf } from "./prismaPrograms";

const SCHEMA = `
datasource db {
  provider = "postgresql"
}
model Item {
  id    Int @id
  count Int
}
`;

async function check(
  texts: Readonly<Record<string, string>>,
  names: readonly string[],
): Promise<void> {
  const transactions = await transactionsOf(SCHEMA, texts);
  const explicit = transactions.filter(({ boundary }) => boundary === "explicit");
  assert.deepEqual(
    explicit.map(({ name }) => name),
    names,
  );
  for (const each of explicit) assert.deepEqual(losses(each), []);
}

const WORK = `await prisma.$transaction(async (tx) => {
    const item = await tx.item.findUnique({ where: { id } });
    if (item === null) throw new Error("not there");
    await tx.item.update({ where: { id }, data: { count: item.count + 1 } });
  });`;

for (const made of [
  "export const prisma = global.prisma || new PrismaClient();",
  "const kept = globalThis as unknown as { prisma?: PrismaClient }; export const prisma = kept.prisma ?? new PrismaClient();",
  "declare const globalThis: { prisma?: PrismaClient } & typeof global; export const prisma = globalThis.prisma ?? new PrismaClient();",
  "export declare const prisma: PrismaClient;",
]) {
  test(`one client: ${made}`, () =>
    check(
      {
        "a.ts": `import { PrismaClient } from "@prisma/client";\n${made}\nexport async function add(id: number) { ${WORK} }`,
      },
      ["add"],
    ));
}

test("a transaction that the caller never reaches is one by itself", () =>
  check(
    {
      "a.ts": `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function add(id: number) { ${WORK} }
export async function never(id: number) {
  await prisma.item.findMany();
  if (1 > 0) throw new Error("closed");
  await add(id);
}`,
    },
    ["add"],
  ));

for (const made of [
  "const kept: any = globalThis; kept.all ??= new Map(); export const prisma = kept.all.get('prisma');",
  "function remember(name: string) { const of = globalThis as any; if (!of.all.has(name)) of.all.set(name, new PrismaClient()); return of.all.get(name); } export const prisma = remember('a');",
]) {
  test(`the methods of a client that is kept somewhere are no list's: ${made}`, async () => {
    const transactions = await transactionsOf(SCHEMA, {
      "a.ts": `import { PrismaClient } from "@prisma/client";
${made}
export async function add(id: number) {
  const item = await prisma.item.findFirst({ where: { id } });
  if (!item) throw new Error("not there");
  ${WORK}
}`,
    });
    const [add] = transactions.filter(({ name }) => name === "add");
    assert.match(
      printed(add ? [add] : []).join("\n"),
      /r1 = select .* limit 1\n.*\n.*\n {2}atomic/u,
    );
  });
}

for (const [what, call] of [
  [
    "a chain of cases",
    'match(kind).with("a", () => {}).with("b", () => { throw new Error("b"); }).run();',
  ],
  ["a case that throws", 'match(kind).with("a", () => { throw new Error("a"); });'],
  ["something that is nothing", "const nothing = undefined as any; nothing.first.second();"],
  [
    "a chain that may be nothing",
    "const some = { user: undefined as any }; some.user?.name.trim().length;",
  ],
  ["an answer that a chain gives", "const x = (kind as any)?.a.b; if (x?.c.d) throw new Error();"],
  ["what may be a list", "const list = JSON.parse(kind); if (!Array.isArray(list)) return;"],
  ["a timer", "setTimeout(() => { throw new Error('late'); }, 10);"],
  ["a call of nothing", "const nothing = undefined as any; nothing(1).then(() => {});"],
]) {
  test(`what stands behind ${what ?? ""} is not lost`, async () => {
    const transactions = await transactionsOf(SCHEMA, {
      "a.ts": `import { PrismaClient } from "@prisma/client";
import { match } from "ts-pattern";
const prisma = new PrismaClient();
export async function add(id: number, kind: string) { ${call ?? ""} ${WORK} }`,
    });
    const [add] = transactions;
    assert.match(printed(add ? [add] : []).join("\n"), /update Item/u);
  });
}

for (const [what, call] of [
  ["to a timer", "setTimeout(async () => { CALL }, 10);"],
  ["to a promise", "await new Promise(async (resolve) => { CALL; resolve(1); });"],
]) {
  test(`a function that is given ${what ?? ""} runs`, async () => {
    const work = "await prisma.item.update({ where: { id }, data: { count: 1 } })";
    const transactions = await transactionsOf(SCHEMA, {
      "a.ts": `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function add(id: number) { ${call?.replace("CALL", work) ?? ""} }`,
    });
    assert.match(printed(transactions).join("\n"), /update Item/u);
  });
}

test("an operation that is given to something unknown is awaited by it", async () => {
  const transactions = await transactionsOf(SCHEMA, {
    "a.ts": `import { PrismaClient } from "@prisma/client";
import { safely } from "safely";
const prisma = new PrismaClient();
export async function add(id: number) {
  await safely(prisma.item.update({ where: { id }, data: { count: 1 } }));
}`,
  });
  assert.match(printed(transactions).join("\n"), /update Item/u);
});

test("records that hold records of their own kind end", async () => {
  const schema = `${SCHEMA}
model Folder {
  id       Int      @id
  name     String
  parentId Int?
  parent   Folder?  @relation("tree", fields: [parentId], references: [id])
  children Folder[] @relation("tree")
}`;
  const transactions = await transactionsOf(schema, {
    "a.ts": `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
interface Tree { id: number; name: string; inner: Tree[] }
function dataOf(tree: Tree): object {
  return { id: tree.id, name: tree.name, children: { create: tree.inner.map((each) => dataOf(each)) } };
}
export async function keep(text: string) {
  const trees = JSON.parse(text);
  if (!Array.isArray(trees)) return;
  await prisma.$transaction(async (tx) => {
    for (const data of trees.map((each) => dataOf(each))) await tx.folder.create({ data });
  });
}`,
  });
  const [keep] = transactions;
  assert.match(printed(keep ? [keep] : []).join("\n"), /insert Folder/u);
  assert.notDeepEqual(keep && losses(keep), []);
});

for (const [made, given] of [
  [
    'import { customAlphabet } from "nanoid"; const make = customAlphabet("abcdef", 16);',
    "fresh uuid",
  ],
  [
    'import { customAlphabet } from "nanoid"; const make = customAlphabet("0123456789", 4);',
    ":randomId",
  ],
  [
    'import crypto from "crypto"; const make = (size: number) => crypto.randomBytes(size).toString("hex");',
    "fresh uuid",
  ],
  [
    'import { randomBytes } from "crypto"; const make = (size: number) => randomBytes(size / 4).toString("hex");',
    ":crypto.randomBytes",
  ],
]) {
  test(`two ids are two values: ${made ?? ""}`, async () => {
    const transactions = await transactionsOf(SCHEMA.replaceAll("Int", "String"), {
      "a.ts": `import { PrismaClient } from "@prisma/client";
${made ?? ""}
const prisma = new PrismaClient();
export async function add() {
  await prisma.item.create({ data: { id: make(16), count: make(16) } });
}`,
    });
    const [, id, count] =
      /id = (.*?), count = (.*?)\}/u.exec(printed(transactions).join("\n")) ?? [];
    assert.ok(id?.startsWith(given ?? "?"), id);
    assert.ok(given === "fresh uuid" || id !== count, count);
  });
}

test("raw statements are a client's by their names, whatever made it", async () => {
  const text = `import { PrismaClient } from "@prisma/client";
import { wrap } from "elsewhere";
const prisma = wrap(new PrismaClient());
export async function f(id) {
  await prisma.item.deleteMany({ where: { id } });
  await prisma.$executeRaw\`UPDATE "Item" SET count = 1 WHERE id = \${id}\`;
}
export async function g(context, id) {
  await context.prisma.$executeRaw\`UPDATE "Item" SET count = 2 WHERE id = \${id}\`;
}`;
  assert.deepEqual(printed(await transactionsOf(SCHEMA, { "a.ts": text })), [
    "f unit",
    "  delete Item where (Item.id = :id)",
    "  update Item set count = 1 where (Item.id = :id)",
    "g autocommit",
    "  update Item set count = 2 where (Item.id = :id)",
  ]);
});
