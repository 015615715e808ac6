// Wrappers of the operations of a Prisma client: functions of extensions, and middleware.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { printed, transactionsOf } from "./prismaPrograms";

const SCHEMA = `datasource db { provider = "postgresql" url = env("DB") }
model Account {
  id      Int @id
  balance Int
  deletedAt DateTime?
}
model Note {
  id   Int @id
  text String
}
`;

/** The effect of `f` on `db`, after its name. */
async function read(top: string, body: string): Promise<string> {
  const text = `import { Prisma, PrismaClient } from "@prisma/client";
const base = new PrismaClient();
${top}
export async function f(id: number) {
  ${body}
}`;
  const lines = printed(await transactionsOf(SCHEMA, { "f.ts": text }));
  return lines.slice(lines.findIndex((line) => line.startsWith("f ")) + 1).join("\n");
}

function extension(query: string): string {
  return `const db = base.$extends({ query: { ${query} } });`;
}

describe("functions of an extension run around operations", () => {
  const FILTER = `account: { async findMany({ args, query }) {
    args.where = { ...args.where, deletedAt: null }; return query(args); } }`;

  it("and filter rows", async () => {
    const lines = await read(extension(FILTER), "return db.account.findMany({ where: { id } });");
    assert.match(lines, /Account\.id = :id.*deletedAt is null/u);
    assert.doesNotMatch(lines, /!/u);
  });

  it("also where nothing is asked for", async () => {
    const lines = await read(extension(FILTER), "return db.account.findMany();");
    assert.match(lines, /from Account where \(?Account\.deletedAt is null/u);
  });

  it("and in transactions, while what the code asks with stays as it is", async () => {
    const body = `const asked = { where: { id } };
      await db.$transaction(async (tx) => { await tx.account.findMany(asked); });
      return base.account.findMany(asked);`;
    const lines = await read(extension(FILTER), body);
    assert.equal(lines.match(/deletedAt is null/gu)?.length, 1);
  });

  it("and make another operation of one", async () => {
    const query = `$allModels: { async delete({ args, model }) {
      return (base as any).account.update({ ...args, data: { balance: 0 } }); } }`;
    const lines = await read(extension(query), "await db.account.delete({ where: { id } });");
    assert.match(lines, /update Account set balance = 0/u);
    assert.doesNotMatch(lines, /delete Account/u);
  });

  it("and see the model and the operation", async () => {
    const query = `$allOperations({ model, operation, args, query }) {
      if (model === "Note" && operation === "findMany") { args.where = { id: 7 }; }
      return query(args); }`;
    const lines = await read(
      extension(query),
      "await db.account.findMany(); return db.note.findMany();",
    );
    assert.match(lines, /Note\.id = 7/u);
    assert.doesNotMatch(lines, /Account\.id = 7/u);
  });

  it("and those that only look on change nothing", async () => {
    const query = `$allOperations: async ({ model, operation, args, query }) => {
      const before = Date.now();
      try { const rows = await query(args); report(model, Date.now() - before); return rows; }
      catch (error) { report(operation); throw error; } }`;
    const lines = await read(
      `declare function report(...all: unknown[]): void;\n${extension(query)}`,
      "await db.account.update({ where: { id }, data: { balance: 1 } });",
    );
    assert.match(lines, /update Account set balance = 1/u);
    assert.doesNotMatch(lines, /!/u);
  });

  it("and what they make of its result is not the result", async () => {
    const query = `account: { async findUnique({ args, query }) {
      const row = await query(args); row.balance = 0; return row; } }`;
    const body = `const a = await db.account.findUnique({ where: { id } });
      await db.note.create({ data: { id: a.balance, text: "" } });`;
    assert.match(await read(extension(query), body), /insert Note \{id = 0/u);
  });

  it("and one that is defined apart", async () => {
    const top = `const soft = Prisma.defineExtension({ query: { ${FILTER} } });
      const db = base.$extends(soft);`;
    assert.match(await read(top, "return db.account.findMany();"), /deletedAt is null/u);
  });

  it("and one that is a function of the client", async () => {
    const top = `const soft = Prisma.defineExtension((client) => client.$extends({ query: { ${FILTER} } }));
      const db = base.$extends(soft);`;
    assert.match(await read(top, "return db.account.findMany();"), /deletedAt is null/u);
  });
});

describe("a client that is kept in a global variable", () => {
  it("has the extension that it was made with", async () => {
    const top = `const kept = globalThis as unknown as { db?: PrismaClient };
      function make() {
        return new PrismaClient().$extends({ query: { $allModels: { async findMany({ args, query }) {
          return query({ ...args, where: { ...args.where, id: 7 } }); } } } });
      }
      const db = kept.db ?? make();
      const other = kept.db || make();`;
    const body = "await db.account.findMany(); return other.note.findMany();";
    const lines = await read(top, body);
    assert.match(lines, /Account\.id = 7/u);
    assert.match(lines, /Note\.id = 7/u);
  });
});

describe("operations of a client whose extension is not known", () => {
  it("are not exact", async () => {
    const top = `import { soft } from "soft";\nconst db = base.$extends(soft());`;
    const lines = await read(top, "return db.account.findMany();");
    assert.match(lines, /! what an extension of the client does to queries is not known/u);
  });
});

describe("operations of a client with replicas", () => {
  it("may be behind where they read outside of transactions", async () => {
    const top = `import { readReplicas } from "@prisma/extension-read-replicas";
const db = process.env.URL ? base.$extends(readReplicas({ url: process.env.URL })) : base;`;
    const reading = await read(top, "return db.account.findMany();");
    assert.match(reading, /! a replica may answer this, which may be behind/u);
    const replicated = `import { readReplicas } from "@prisma/extension-read-replicas";
const db = base.$extends(readReplicas({ url: "x" }));`;
    const primary = "return db.$primary().account.findMany();";
    assert.doesNotMatch(await read(replicated, primary), /!/u);
    const body = `await db.account.create({ data: { id, balance: 1 } });
      await db.$transaction([db.account.findMany(), db.account.deleteMany()]);
      await db.$transaction(async (tx) => { await tx.account.findMany(); });`;
    assert.doesNotMatch(await read(top, body), /!/u);
  });
});

describe("middleware", () => {
  const read2 = "await base.account.findMany(); return base.note.findMany();";
  const LOSS = /! what middleware \(\$use\) does to queries is not known/gu;

  it("may change every query", async () => {
    const use =
      "base.$use(async (params, next) => { params.args.where = { id: 1 }; return next(params); });";
    assert.equal((await read(use, read2)).match(LOSS)?.length, 2);
  });

  it("may change those of its model", async () => {
    const use = `base.$use(async (params, next) => {
      if (params.model === "Note") { params.args = { where: { id: 1 } }; }
      return next(params);
    });`;
    assert.equal((await read(use, read2)).match(LOSS)?.length, 1);
  });

  it("changes none where it only looks on", async () => {
    const use = `base.$use(async (params, next) => {
      const before = Date.now(); const rows = await next(params);
      console.log(params.model, Date.now() - before); return rows;
    });`;
    assert.equal((await read(use, read2)).match(LOSS), null);
  });
});
