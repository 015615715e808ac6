// Arguments of an operation of the Prisma client that the code does not spell out.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { losses, printed, transactionsOf } from "./prismaPrograms";

const SCHEMA = `datasource db { provider = "postgresql" url = env("DB") }
model Owner {
  id       Int @id
  accounts Account[]
}
model Account {
  id      Int @id
  balance Int
  owner   Owner @relation(fields: [ownerId], references: [id])
  ownerId Int
}
model Note {
  id   Int @id
  text String
}
`;

/** The function `f` with those parameters. */
function transactions(parameters: string, body: string): ReturnType<typeof transactionsOf> {
  const text = `import { Prisma, PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function f(${parameters}) {
  ${body}
}`;
  return transactionsOf(SCHEMA, { "f.ts": text });
}

/** The effect of it, after its name. */
async function read(parameters: string, body: string): Promise<string> {
  const lines = printed(await transactions(parameters, body));
  return lines
    .slice(1)
    .map((line) => line.trim())
    .join("\n");
}

describe("arguments that the caller gives", () => {
  it("filter rows where they are taken apart", async () => {
    const body = `const { where, ...others } = args as Record<string, any>;
      await prisma.account.findMany({ where, ...others });`;
    const lines = await read("args: Prisma.AccountFindManyArgs", body);
    assert.match(lines, /! a filter that is not known/u);
  });

  it("filter rows where they come out of text", async () => {
    const lines = await read("text: string", "await prisma.account.deleteMany(JSON.parse(text));");
    assert.match(lines, /! a filter that is not known/u);
  });
});

describe("related rows that the caller asks for", () => {
  const BODY = `return prisma.account.findFirst({
    where: { id }, ...(args?.include ? { include: args.include } : {}) });`;

  it("are reads that are not understood", async () => {
    const [only] = await transactions("id: number, args?: { include?: any }", BODY);
    assert.deepEqual(
      only?.taint.map(({ reason, effect }) => [reason, effect]),
      [['what "include" asks for is not known', "opaque"]],
    );
  });

  it("are not said to be absent", async () => {
    const body = `const found = await prisma.account.findFirstOrThrow(args);
      if (found.owner.id > 3) await prisma.note.deleteMany({});`;
    const lines = await read("args: Prisma.AccountFindFirstArgs", body);
    assert.doesNotMatch(lines, /of nothing/u);
    assert.match(lines, /delete .*Note/iu);
  });

  it("are perhaps read where a flag says so", async () => {
    const body = "await prisma.account.findMany({ include: { owner: deep } });";
    const lines = await read("deep: boolean", body);
    assert.match(lines, /! whether it is read along is not known/u);
    assert.doesNotMatch(lines, /asks for is not known/u);
  });
});

describe("rows that are written with another one", () => {
  const CREATED = "accounts: { create: [{ ...SPREAD id: 1, balance: 0 }] }";

  it("are those that stand beside a spread, unless what is spread has others, which is said", async () => {
    const body = `await prisma.owner.create({ data: { id, ${CREATED.replace("...SPREAD", "")}, ...options } });`;
    const lines = await read("id: number, options: any", body);
    assert.match(
      lines,
      /^insert Owner .*\nif \(\(:options\.accounts is null\) .*\ninsert Account \{id = 1, balance = 0, ownerId = r1\.id\}/mu,
    );
    assert.match(lines, /! what is written to accounts is not known/u);
  });

  it("may be in what is spread and not known, so that the row is perhaps read again", async () => {
    const body = `const made = await prisma.owner.create({ data: { id, ...items.toSorted()[0] } }); return made.id;`;
    const lines = await read("id: number, items: any[]", body);
    assert.match(lines, /^insert Owner .*\nif unknown[^\n]*\nr2 = select .* from Owner where/mu);
  });

  it("belong to it, whatever is spread into them", async () => {
    const body = `await prisma.owner.create({ data: { id, ${CREATED.replace("SPREAD", "account,")} } });`;
    const lines = await read("id: number, account: any", body);
    assert.match(lines, /\ninsert Account \{id = 1, balance = 0, ownerId = r1\.id\}/u);
  });
});

describe("rows that are written in another one's update", () => {
  const schema = `datasource db { provider = "postgresql" }
model Account {
  id   Int @id
  tags TagOn[]
  meta Meta?
}
model Tag {
  id Int @id
  on TagOn[]
}
model TagOn {
  id        Int @id
  accountId Int
  tagId     Int?
  account   Account @relation(fields: [accountId], references: [id])
  tag       Tag? @relation(fields: [tagId], references: [id])
}
model Meta {
  id        Int @id
  text      String?
  accountId Int @unique
  account   Account @relation(fields: [accountId], references: [id])
}`;
  const update = async (parameters: string, data: string): Promise<string> => {
    const text = `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function f(${parameters}) {
  await prisma.account.update({ where: { id: 1 }, data: ${data} });
}`;
    const lines = printed(await transactionsOf(schema, { "f.ts": text }));
    return lines.map((line) => line.trim()).join("\n");
  };
  const order = (lines: string): readonly string[] =>
    [...lines.matchAll(/^(?:insert|delete|update) \w+(?: \{id = \d+,)?/gmu)].map(([line]) => line);

  // As version 7.10.1 of the client sends them.
  it("are created behind all others where they are connected to further ones, the last first", async () => {
    const connected = (id: number): string => `{ id: ${id}, tag: { connect: { id: 5${id} } } }`;
    const list = `[${connected(1)}, { id: 2 }, ${connected(3)}]`;
    const mixed = await update("", `{ tags: { create: ${list}, deleteMany: {} } }`);
    const expected = ["insert TagOn {id = 2,", "delete TagOn", "insert TagOn {id = 3,", "insert TagOn {id = 1,"]; // prettier-ignore
    assert.deepEqual(order(mixed), expected);
    const made = `tags.map((id) => ({ id, tag: { connect: { id } } }))`;
    const looped = await update("tags: number[]", `{ tags: { create: ${made}, deleteMany: {} }, meta: { update: { text: "x" } } }`); // prettier-ignore
    assert.deepEqual(order(looped).map((line) => line.split(" {")[0]), ["delete TagOn", "update Meta", "insert TagOn"]); // prettier-ignore
    const found = `{ id: 1, tag: { connectOrCreate: { where: { id: 7 }, create: { id: 7 } } } }`;
    const orCreated = await update("", `{ tags: { create: ${found}, deleteMany: {} } }`);
    assert.deepEqual(order(orCreated).slice(-2), ["insert TagOn {id = 1,", "delete TagOn"]);
    assert.doesNotMatch(mixed + looped + orCreated, /^!/mu);
  });

  it("are perhaps not even read where what is set is not known", async () => {
    const open = await update("meta: any", "{ meta: { update: { ...meta } } }");
    assert.match(open, /^if unknown[^\n]*\n(?:[^\n]* = )?select [^\n]* from Meta /mu);
    const named = await update("meta: any", `{ meta: { update: { ...meta, text: "x" } } }`);
    assert.doesNotMatch(named, /^if unknown/mu);
  });
});

describe("a row that is deleted", () => {
  const BODY = `const gone = await prisma.account.delete({ where: { id, balance: 0 }WITH });
      await prisma.note.deleteMany({ where: { id: gone.USED } });`;

  it("is read with the related rows that are asked for before it goes, in one transaction", async () => {
    const body = BODY.replace("WITH", ", include: { owner: true }").replace("USED", "owner.id");
    const lines = await read("id: number", body);
    assert.match(
      lines,
      /^atomic\nr1 = select [^\n]* from Account where \(\(Account\.id = :id\) .*\nif \(size\(r1\) <= 0\)\nrollback\nr2 = select [^\n]* from Owner where \(Owner\.id = r1\.ownerId\)\ndelete Account where \(\(Account\.id = :id\) .*\)\n/u,
    );
    assert.match(lines, /delete Note where \(Note\.id = r2\.id\)$/u);
  });

  it("is given back by the database that can", async () => {
    const body = BODY.replace("WITH", "").replace("USED", "ownerId");
    assert.match(await read("id: number", body), /^delete Account .* returning r1/u);
    const text = `import { PrismaClient } from "@prisma/client";
      const prisma = new PrismaClient();
      export async function f(id: number) { ${body} }`;
    const schema = SCHEMA.replace("postgresql", "mysql");
    const lines = printed(await transactionsOf(schema, { "f.ts": text })).join("\n");
    assert.match(
      lines,
      /r1 = select [^\n]* from Account [^]*rollback\n *delete Account [^\n]*\)\n/u,
    );
    assert.match(lines, /delete Note where \(Note\.id = r1\.ownerId\)$/u);
  });
});

describe("one of two records", () => {
  it("runs with either", async () => {
    const body = `await prisma.account.deleteMany(one ? { where: { id } } : { where: { balance: 0 } });`;
    const lines = await read("id: number, one: boolean", body);
    assert.match(lines, /^if .*one.*\n.*Account\.id = :id.*\nelse\n.*Account\.balance = 0/imu);
    assert.doesNotMatch(lines, /!/u);
  });

  it("reads related rows where one asks for them", async () => {
    const body = `await prisma.account.findMany({ include: deep ? { owner: true } : undefined });`;
    const lines = await read("deep: boolean", body);
    assert.match(
      lines,
      /^if .*deep[^!]*from Account[^!]*from Owner[^!]*else[^!]*from Account[^!]*$/iu,
    );
  });
});

describe("a row that is spread", () => {
  it("brings the related rows that it was read with", async () => {
    const body = `const account = await prisma.account.findUniqueOrThrow({ where: { id }, include: { owner: true } });
      const { balance, ...others } = { ...account, isOpen: true };
      if (others.owner) await prisma.note.deleteMany({ where: { id: others.owner.id } });`;
    const lines = await read("id: number", body);
    assert.match(lines, /^if \(size\(r2\) > 0\)\n *delete Note where \(Note\.id = r2\.id\)$/mu);
    assert.doesNotMatch(lines, /!/u);
  });
});

it("lists of operations that loops fill are spread into the list of a transaction", async () => {
  const text = `import { PrismaClient } from "@prisma/client";
    const prisma = new PrismaClient();
    export async function f(ids: number[]) {
      const operations: any[] = [];
      for (const id of ids) operations.push(prisma.account.deleteMany({ where: { id } }));
      await prisma.$transaction([...operations, prisma.account.updateMany({ data: { balance: 0 } })]);
    }
    export async function g(ids: number[], key: string) {
      const operations: any[] = [];
      for (const each of unheard(ids)) {
        if (each.flag) operations.push(prisma.account.deleteMany({ where: { id: each.id } }));
        else operations.push(prisma.note.deleteMany({ where: { text: key } }));
      }
      await prisma.$transaction([...operations, ...others(key)]);
    }`;
  const [known, unheard] = await transactionsOf(SCHEMA, { "f.ts": text });
  assert.ok(known && unheard);
  const lines = printed([known]).join("\n");
  assert.match(lines, /^f explicit\n[^]*delete Account[^]*update Account/u);
  assert.ok(losses(unheard).includes("operations of a list that is not known"));
});

const CLIENT = `import { Prisma, PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();`;

describe("the document null", () => {
  it("is something to the database, and nothing to the code", async () => {
    const schema = `datasource db {
  provider = "postgresql"
}
model Doc {
  id   Int @id
  meta Json?
  n    Int?
}`;
    const set = (meta: string): string => `prisma.doc.updateMany({ where: { id }, data: ${meta} })`;
    const where = (meta: string): string =>
      `prisma.doc.updateMany({ where: { meta: ${meta} }, data: { n: null } })`;
    // The statements that the client of version 7.10.1 sends.
    const expected = [
      [set("{ meta: Prisma.JsonNull }"), 'set meta = "null" where (Doc.id = :id)'],
      [set("{ meta: null }"), 'set meta = "null" where (Doc.id = :id)'],
      [set("{ meta: Prisma.DbNull }"), "set meta = null where (Doc.id = :id)"],
      [set("{ meta }"), 'set meta = coalesce(:meta, "null") where (Doc.id = :id)'],
      [where("{ equals: null }"), 'set n = null where (Doc.meta = "null")'],
      [where("{ equals: Prisma.JsonNull }"), 'set n = null where (Doc.meta = "null")'],
      [where("{ equals: Prisma.DbNull }"), "set n = null where (Doc.meta is null)"],
      [
        where("{ equals: Prisma.AnyNull }"),
        'set n = null where ((Doc.meta = "null") or (Doc.meta is null))',
      ],
      [where("{ not: Prisma.JsonNull }"), 'set n = null where (Doc.meta <> "null")'],
      [where("{ not: Prisma.DbNull }"), "set n = null where not (Doc.meta is null)"],
    ] as const;
    for (const [call, line] of expected) {
      const text = `${CLIENT}
export async function f(id: number, meta: object | null) { await ${call}; }`;
      const lines = printed(await transactionsOf(schema, { "f.ts": text }));
      assert.equal(lines[1]?.trim(), `update Doc ${line}`, call);
    }
    const read = `${CLIENT}
export async function f(id: number) {
    const doc = await prisma.doc.findUniqueOrThrow({ where: { id } });
    if (doc.meta === null) await ${set("{ n: 1 }")};
    if (doc.meta) await ${set("{ n: 2 }")};
  }`;
    const lines = printed(await transactionsOf(schema, { "f.ts": read })).map((line) =>
      line.trim(),
    );
    assert.ok(lines.includes('if ((r1.meta is null) or (r1.meta = "null"))'), lines.join("\n"));
    assert.match(lines.join("\n"), /if \(.* and \(r1\.meta <> "null"\)\)/u);
  });

  it("is told from what is left out also behind a cast", async () => {
    const schema = `datasource db { provider = "postgresql" }
model Doc {
  id   Int  @id
  meta Json
}`;
    const dto = `import { IsArray, IsOptional } from "class-validator";
export class Dto { @IsArray() @IsOptional() meta?: object[]; }`;
    const text = `${CLIENT}
import { Body, Controller, Param, Patch } from "@nestjs/common";
import { Dto } from "./dto";
@Controller("d")
export class Docs {
  @Patch(":id")
  async f(@Body() { meta }: Dto, @Param("id") id: number) {
    const data: any = {};
    if (meta !== undefined) data.meta = meta as Prisma.JsonArray;
    await prisma.doc.update({ where: { id }, data });
  }
}`;
    const lines = printed(await transactionsOf(schema, { "f.ts": text, "dto.ts": dto }));
    assert.match(lines.join("\n"), /update Doc set meta = .* coalesce\(:[\w.]*meta, "null"\)/u);
  });
});
