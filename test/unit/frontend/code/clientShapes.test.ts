// Transactions of clients that are kept in a global variable, and those that a caller ends before it reaches them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { losses, transactionsOf } from "./prismaPrograms";

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
