// The Prisma client: what each operation reads, writes and returns, and where its transactions begin and end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { losses, printed, transactionsOf } from "./prismaPrograms";

const SCHEMA = `
datasource db {
  provider = "postgresql"
}
enum Role {
  OWNER
  MEMBER @map("member")
}
model Org {
  id    Int    @id
  name  String
  seats Int    @default(5)
  users User[]
  tags  Tag[]
}
model User {
  id    Int     @id
  org   Org     @relation(fields: [orgId], references: [id])
  orgId Int     @map("org_id")
  mail  String
  nick  String?
  role  Role    @default(MEMBER)
  @@unique([orgId, mail])
  @@map("users")
}
model Tag {
  key  String @id
  orgs Org[]
}
model Stock {
  id      Int      @id
  count   Int
  version Int      @default(0)
  changed DateTime @updatedAt
}
`;

const HEAD =
  'import { PrismaClient, Prisma, Role } from "@prisma/client";\nconst prisma = new PrismaClient();\n';

async function program(body: string, schema = SCHEMA): Promise<readonly string[]> {
  const text = `${HEAD}export async function f(id: number, text: string) {\n${body}\n}\n`;
  return printed(await transactionsOf(schema, { "f.ts": text }));
}

/** The lines of the function `f` with that body; what is returned of rows is shortened to `*`. */
async function check(body: string, ...expected: readonly string[]): Promise<void> {
  const lines = await program(body);
  assert.deepEqual(
    lines.slice(1).map((line) => shortened(line.trim())),
    expected,
    body,
  );
}

const USER =
  "users.id as id, users.org_id as orgId, users.mail as mail, users.nick as nick, users.role as role";
const ORG = "Org.id as id, Org.name as name, Org.seats as seats";
const STOCK =
  "Stock.id as id, Stock.count as count, Stock.version as version, Stock.changed as changed";

function shortened(line: string): string {
  return [USER, ORG, STOCK].reduce((text, columns) => text.replaceAll(columns, "*"), line);
}

const MISSING = ["if not (affected(f/1) > 0)", "rollback"];

test("finding one, or the first, or all", async () => {
  await check(
    "return prisma.org.findUnique({ where: { id } });",
    "r1 = select * from Org where (Org.id = :id)",
    "return",
  );
  await check(
    "return prisma.user.findUnique({ where: { orgId_mail: { orgId: id, mail: text } }, select: { nick: true } });",
    "r1 = select users.nick as nick from users where ((users.org_id = :id) and (users.mail = :text))",
    "return",
  );
  await check(
    'return prisma.user.findFirst({ where: { orgId: id }, orderBy: [{ mail: "asc" }, { id: "desc" }], omit: { nick: true, role: true } });',
    "r1 = select users.id as id, users.org_id as orgId, users.mail as mail from users where (users.org_id = :id) order by users.mail, users.id desc limit 1",
    "return",
  );
  await check(
    "return prisma.user.findMany({ take: -2, skip: 1, orderBy: { id: 'asc' } });",
    "r1 = select * from users order by users.id desc limit 2 offset 1",
    "return",
  );
  await check(
    "const org = await prisma.org.findUniqueOrThrow({ where: { id } });\nreturn org.seats;",
    "r1 = select * from Org where (Org.id = :id)",
    "if (size(r1) <= 0)",
    "rollback",
    "return r1.seats",
  );
});

async function where(filter: string, expected: string): Promise<void> {
  await check(
    `return prisma.user.count({ where: ${filter} });`,
    `r1 = select count(*) as count from users${expected === "" ? "" : ` where ${expected}`}`,
    "return r1.count",
  );
}

test("filters", async () => {
  await where("{}", "");
  await where("undefined", "");
  await where("{ id: undefined, mail: Prisma.skip }", "");
  await where("{ nick: null }", "(users.nick is null)");
  await where("{ nick: { not: null } }", "not (users.nick is null)");
  await where('{ nick: "a" }', '(users.nick = "a")');
  await where("{ nick: text }", "(users.nick == :text)");
  await where("{ mail: text }", "(users.mail = :text)");
  await where('{ nick: { not: "a" } }', '(users.nick <> "a")');
  await where("{ id: { gt: 1, lte: id } }", "((users.id > 1) and (users.id <= :id))");
  await where("{ id: { in: [1, id] } }", "(users.id in [1, :id])");
  await where("{ id: { in: [] } }", "false");
  await where("{ id: { notIn: [1, 2] } }", "not (users.id in [1, 2])");
  await where('{ mail: { contains: "x" } }', '(users.mail like "%x%")');
  await where(
    '{ mail: { startsWith: text, mode: "insensitive" } }',
    '(users.mail ilike (:text || "%"))',
  );
  await where("{ OR: [{ id: 1 }, { id: 2 }] }", "((users.id = 1) or (users.id = 2))");
  await where("{ OR: [] }", "false");
  await where(
    "{ AND: { id: 1 }, NOT: [{ id: 2 }, { id: 3 }] }",
    "((users.id = 1) and not (users.id = 2) and not (users.id = 3))",
  );
  await where("{ role: Role.MEMBER }", '(users.role = "member")');
  await where('{ role: "OWNER" }', '(users.role = "OWNER")');
  await where(
    "{ ...(id > 3 ? { id } : {}) }",
    "(((:id > 3) and (users.id = :id)) or not (:id > 3))",
  );
});

test("filters by related rows", async () => {
  await where(
    "{ org: { name: text } }",
    "exists (select  from Org t1 where ((t1.id = users.org_id) and (t1.name = :text)))",
  );
  await where(
    "{ org: { isNot: { seats: 1 } } }",
    "not exists (select  from Org t1 where ((t1.id = users.org_id) and (t1.seats = 1)))",
  );
  await where(
    "{ org: { tags: { none: { key: text } } } }",
    "exists (select  from Org t1 where ((t1.id = users.org_id) and not exists (select  from _OrgToTag t3, Tag t2 where ((t3.A = t1.id) and (t2.key = t3.B) and (t2.key = :text)))))",
  );
  await check(
    "return prisma.org.count({ where: { users: { every: { nick: null } } } });",
    "r1 = select count(*) as count from Org where not exists (select  from users t1 where ((t1.org_id = Org.id) and not (t1.nick is null)))",
    "return r1.count",
  );
});

test("creating: defaults are spelled out", async () => {
  await check(
    "await prisma.user.create({ data: { id, orgId: 1, mail: text, nick: undefined } });",
    'insert users {id = :id, org_id = 1, mail = :text, nick = null, role = "member"} returning r1: *',
  );
  await check(
    "await prisma.stock.createMany({ data: [{ id, count: 1 }, { id: 2, count: 3, version: 7 }], skipDuplicates: true });",
    "insert Stock {id = :id, count = 1, version = 0, changed = fresh now} {id = 2, count = 3, version = 7, changed = fresh now} on conflict () nothing",
  );
});

test("changing: atomic numbers, what stays, the time of the update, and what is not there", async () => {
  await check(
    "await prisma.stock.update({ where: { id }, data: { count: { decrement: 2 }, version: { increment: 1 } } });",
    "update Stock set count = (Stock.count - 2), version = (Stock.version + 1), changed = fresh now where (Stock.id = :id) returning r1: *",
    ...MISSING,
  );
  await check(
    'await prisma.user.update({ where: { id }, data: { nick: text === "" ? undefined : text, role: { set: "OWNER" } } });',
    'update users set nick = ((:text = "") ? users.nick : :text), role = "OWNER" where (users.id = :id) returning r1: *',
    ...MISSING,
  );
  await check(
    "const { count } = await prisma.stock.updateMany({ where: { id, version: 3 }, data: { count: 1 } });\nif (count === 0) throw new Error();",
    "update Stock set count = 1, changed = fresh now where ((Stock.id = :id) and (Stock.version = 3))",
    "if (affected(f/1) = 0)",
    "rollback",
  );
  await check(
    "await prisma.org.delete({ where: { id } });",
    "delete Org where (Org.id = :id) returning r1: *",
    ...MISSING,
  );
  await check("await prisma.org.deleteMany();", "delete Org");
  await check(
    "await prisma.org.update({ where: { id }, data: {} });",
    "r1 = select * from Org where (Org.id = :id)",
    "if (size(r1) <= 0)",
    "rollback",
  );
});

test("upserts: the database's own where the client leaves it to it", async () => {
  await check(
    "await prisma.stock.upsert({ where: { id }, create: { id, count: 0 }, update: { count: 3 } });",
    "insert Stock {id = :id, count = 0, version = 0, changed = fresh now} on conflict (id) update count = 3, changed = fresh now returning r1: *",
  );
  // Where there is nothing to update, the client looks first.
  await check(
    "await prisma.tag.upsert({ where: { key: text }, create: { key: text }, update: {} });",
    "r1 = select Tag.key as key from Tag where (Tag.key = :text)",
    "if (size(r1) = 0)",
    "insert Tag {key = :text} returning r2: Tag.key as key",
    "r3 = select Tag.key as key from Tag where (Tag.key = r2.key)",
    "else",
    "r4 = select Tag.key as key from Tag where (Tag.key = :text)",
    "if (size(r4) <= 0)",
    "rollback",
    "r5 = select Tag.key as key from Tag where (Tag.key = r4.key)",
  );
  const [head, ...rest] = await program(
    "await prisma.stock.upsert({ where: { id }, create: { id: 7, count: 0 }, update: { count: { increment: 1 } } });",
  );
  assert.equal(head, "f explicit");
  assert.deepEqual(
    rest.map((line) => shortened(line.trim())),
    [
      "r1 = select Stock.id as id from Stock where (Stock.id = :id)",
      "if (size(r1) = 0)",
      "insert Stock {id = 7, count = 0, version = 0, changed = fresh now} returning r2: *",
      "r3 = select * from Stock where (Stock.id = r2.id)",
      "else",
      "update Stock set count = (Stock.count + 1), changed = fresh now where (Stock.id = :id) returning r4: *",
      "if not (affected(f/4) > 0)",
      "rollback",
      "r5 = select * from Stock where (Stock.id = r4.id)",
    ],
  );
});

test("aggregates", async () => {
  await check(
    "const a = await prisma.stock.aggregate({ where: { id }, _max: { version: true }, _count: true });\nreturn (a._max.version ?? 0) + a._count;",
    "r1 = select count(*) as _count, max(Stock.version) as _max.version from Stock where (Stock.id = :id)",
    "return ((not (r1._max.version is null) ? r1._max.version : 0) + r1._count)",
  );
  await check(
    "return prisma.user.groupBy({ by: ['orgId'], _count: { _all: true } });",
    "r1 = select users.org_id as orgId, count(*) as _count._all from users group by users.org_id",
    "return",
  );
});

test("related rows are read by statements of their own", async () => {
  await check(
    "const org = await prisma.org.findUnique({ where: { id }, include: { users: { where: { nick: null } }, _count: { select: { tags: true } } } });\nreturn org.users.length + org._count.tags;",
    "r1 = select *, (select count(*) as count from _OrgToTag t2, Tag t1 where ((t2.A = Org.id) and (t1.key = t2.B))) as _count.tags from Org where (Org.id = :id)",
    "r2 = select * from users where ((users.org_id = r1.id) and (users.nick is null))",
    "if (size(r1) <= 0)",
    "rollback",
    "return (size(r2) + r1._count.tags)",
  );
});

test("nested writes are one transaction", async () => {
  const lines = await program(
    `await prisma.org.update({ where: { id }, data: {
      tags: { connect: { key: "a" }, create: { key: "b" }, disconnect: [{ key: "c" }] },
      users: { create: { id: 9, mail: text }, updateMany: { where: { nick: null }, data: { nick: "x" } }, deleteMany: { id: 3 } },
    } });`,
  );
  assert.equal(lines[0], "f explicit");
  assert.deepEqual(
    lines.slice(1).map((line) => shortened(line.trim())),
    [
      "r1 = select * from Org where (Org.id = :id)",
      "if (size(r1) <= 0)",
      "rollback",
      'r2 = select Tag.key as key from Tag where (Tag.key = "a")',
      "if (size(r2) <= 0)",
      "rollback",
      'insert _OrgToTag {A = r1.id, B = "a"} on conflict () nothing',
      'insert Tag {key = "b"} returning r3: Tag.key as key',
      "insert _OrgToTag {A = r1.id, B = r3.key} on conflict () nothing",
      'r4 = select Tag.key as key from Tag where ((Tag.key = "c") and exists (select  from _OrgToTag t2 where ((t2.A = r1.id) and (t2.B = Tag.key))))',
      "loop rows",
      "delete _OrgToTag where ((_OrgToTag.A = r1.id) and (_OrgToTag.B = r4.key))",
      'insert users {id = 9, org_id = r1.id, mail = :text, nick = null, role = "member"} returning r5: *',
      "r6 = select users.id as id, users.org_id as orgId from users where ((users.nick is null) and (users.org_id = r1.id))",
      "loop rows",
      'update users set nick = "x" where (users.id = r6.id) returning r7: *',
      "r8 = select users.id as id, users.org_id as orgId from users where ((users.id = 3) and (users.org_id = r1.id))",
      "loop rows",
      "delete users where (users.id = r8.id)",
      "r9 = select * from Org where (Org.id = r1.id)",
    ],
  );
  await check(
    "await prisma.user.create({ data: { id, mail: text, org: { connect: { id: 4 } } } });",
    "r1 = select Org.id as id from Org where (Org.id = 4)",
    "if (size(r1) <= 0)",
    "rollback",
    'insert users {id = :id, org_id = 4, mail = :text, nick = null, role = "member"} returning r2: *',
    "r3 = select * from users where (users.id = r2.id)",
  );
});

test("where transactions begin and end, and at which level", async () => {
  const heads = async (body: string): Promise<string | undefined> => (await program(body))[0];
  const count = "tx.org.count()";
  assert.equal(
    await heads(`await prisma.$transaction(async (tx) => { await ${count}; await ${count}; });`),
    "f explicit",
  );
  for (const level of ["Prisma.TransactionIsolationLevel.RepeatableRead", '"RepeatableRead"']) {
    assert.equal(
      await heads(
        `await prisma.$transaction(async (tx) => { await ${count}; await tx.tag.count() }, { isolationLevel: ${level}, timeout: 5 });`,
      ),
      "f explicit @ postgres:repeatable-read",
    );
  }
  assert.equal(
    await heads(
      'await prisma.$transaction([prisma.org.count(), prisma.tag.count()], { isolationLevel: "Serializable" });',
    ),
    "f explicit @ postgres:serializable",
  );
  assert.equal(await heads("await prisma.org.count(); await prisma.tag.count();"), "f unit");
  assert.equal(await heads("await prisma.org.count();"), "f autocommit");
});

test("an operation that nobody awaits does not run", async () => {
  await check("prisma.org.count();");
});

test("lists of operations run where they are awaited", async () => {
  const drop = (which: string): string => `prisma.tag.deleteMany({ where: { key: ${which} } })`;
  const all = async (lists: string): Promise<readonly string[]> =>
    (await program(`const keys = text as unknown as string[];\n${lists}`)).map((line) =>
      line.trim(),
    );
  const one = "delete Tag where (Tag.key = :text[@i1])";
  const each = ["loop count", one];
  const first = "delete Tag where (Tag.key = :text)";
  const lists: readonly (readonly [string, string, readonly string[]])[] = [
    [`await prisma.$transaction(keys.map((k) => ${drop("k")}));`, "f explicit", each],
    [`await Promise.all(keys.map((k) => ${drop("k")}));`, "f unit", each],
    [
      `await prisma.$transaction([${drop("text")}, ...keys.map((k) => ${drop("k")})]);`,
      "f explicit",
      [first, ...each],
    ],
    [
      `const all = [${drop("text")}]; for (const k of keys) { const key = k; all.push(${drop("key")}); }
       all.push(${drop("text")}); await prisma.$transaction(all);`,
      "f explicit",
      [first, ...each, first],
    ],
    [
      `const all = []; for (const k of keys) if (id > 1) all.push(${drop("k")}); await Promise.all(all);`,
      "f unit",
      ["loop count", "if (:id > 1)", one],
    ],
    [
      `const all = [${drop("text")}]; if (id > 1) all.push(${drop('"x"')}); await prisma.$transaction(all);`,
      "f explicit",
      [first, "if (:id > 1)", 'delete Tag where (Tag.key = "x")'],
    ],
    [
      `const all = []; for (const k of keys) { all.push(${drop("k")}); all.push(${drop("text")}); } await Promise.all(all);`,
      "f unit",
      [
        "loop count",
        ...["opaque writes", "opaque writes"],
        ...Array<string>(2).fill("! operations that a loop puts into a list are not followed"),
      ],
    ],
  ];
  for (const [text, head, body] of lists) assert.deepEqual(await all(text), [head, ...body], text);
});

test("SQL text in all its forms", async () => {
  await check(
    'const rows = await prisma.$queryRaw<{ seats: number }[]>(Prisma.sql`SELECT seats FROM "Org" ${Prisma.sql`WHERE id = ${id}`} FOR UPDATE`);\nreturn rows[0].seats;',
    "r1 = select Org.seats as seats from Org where (Org.id = :id) for update",
    "if (size(r1) <= 0)",
    "rollback",
    "return r1.seats",
  );
  await check(
    'const n = await prisma.$executeRaw`DELETE FROM "Org" WHERE id IN (${Prisma.join([1, id])}) ${Prisma.empty}`;\nreturn n;',
    "delete Org where (Org.id in [1, :id])",
    "return affected(f/1)",
  );
  await check(
    "await prisma.$executeRawUnsafe('UPDATE \"Org\" SET seats = $2 WHERE id = $1', id, 3);",
    "update Org set seats = 3 where (Org.id = :id)",
  );
});

test("clients by other names and from elsewhere", async () => {
  const texts = {
    "db.ts": `${HEAD}export const db = prisma.$extends({ model: {} });\n`,
    "helper.ts":
      'export async function lock(tx, id) { await tx.$queryRaw`SELECT id FROM "Org" WHERE id = ${id} FOR UPDATE`; }\n',
    "use.ts": `import { db } from "./db";
import { lock } from "./helper";
export class Service {
  constructor(private readonly prisma: PrismaService, private readonly store) {}
  async one(id: number) { return this.prisma.org.findUnique({ where: { id }, select: { id: true } }); }
  async two(id: number) { await db.$transaction(async (t) => { await lock(t, id); await t.org.update({ where: { id }, data: { seats: 1 } }); }); }
  async three(id: number) { await this.store.org.deleteMany({ where: { id } }); }
}
`,
  };
  const transactions = await transactionsOf(SCHEMA, texts);
  const lines = printed(transactions).map((line) => shortened(line.trim()));
  assert.deepEqual(lines, [
    "Service.one autocommit",
    "r1 = select Org.id as id from Org where (Org.id = :id)",
    "return",
    "Service.two explicit",
    "r1 = select Org.id as id from Org where (Org.id = :id) for update",
    "update Org set seats = 1 where (Org.id = :id) returning r2: *",
    "if not (affected(Service.two/2) > 0)",
    "rollback",
    "Service.three autocommit",
    "delete Org where (Org.id = :id)",
  ]);
});

test("a client that is generated into the workspace, and handed on by a package", async () => {
  const schema = `generator client {
    provider = "prisma-client"
    output   = "../src/generated/prisma"
  }
  ${SCHEMA}`;
  const query = (from: string): string => `import { PrismaClient, Prisma, Role } from "${from}";
const db = new PrismaClient();
export async function f(id: number) {
  await db.$transaction(async (t) => {
    await t.$executeRaw(Prisma.sql\`DELETE FROM "Org" WHERE id = \${id}\`);
    await t.user.deleteMany({ where: { role: Role.OWNER } });
  }, { isolationLevel: Prisma.TransactionIsolationLevel.Serializable });
}
`;
  const expected = [
    "f explicit @ postgres:serializable",
    "delete Org where (Org.id = :id)",
    'delete users where (users.role = "OWNER")',
  ];
  const files: Readonly<Record<string, string>>[] = [
    { "src/a.ts": query("./generated/prisma/client") },
    { "app/a.ts": query("../src/generated/prisma/index.js") },
    { "app/a.ts": query("@/generated/prisma/client") },
    { "src/a.ts": query("./db"), "src/db.ts": 'export * from "./generated/prisma/client";\n' },
    { "src/a.ts": query("@prisma/client/edge") },
  ];
  for (const texts of files) {
    const lines = printed(await transactionsOf(schema, texts)).map((line) => line.trim());
    assert.deepEqual(lines, expected, JSON.stringify(texts));
  }
});

test("what is not understood is said, and no filter is dropped for it", async () => {
  const lost = async (body: string): Promise<readonly string[]> => {
    const text = `${HEAD}export async function f(filter, list: number[]) {\n${body}\n}\n`;
    const [transaction] = await transactionsOf(SCHEMA, { "f.ts": text });
    return transaction ? losses(transaction) : ["no transaction"];
  };
  for (const [body, reason] of [
    ["await prisma.org.findMany({ where: filter });", /filter/],
    ["await prisma.org.findMany({ where: { ...filter } });", /filter|not known/],
    [
      "await prisma.org.findMany({ where: { id: { in: filter.x.map(Number).filter(Boolean) } } });",
      /list of values/,
    ],
    ["await prisma.org.findMany({ cursor: { id: 1 } });", /cursor/],
    ["await prisma.org.findMany({ distinct: ['name'] });", /distinct/],
    [
      "await prisma.org.update({ where: { id: 1 }, data: filter });",
      /which fields the data has is not known/,
    ],
    ["await prisma.org.findMany({ where: { nosuch: 1 } });", /nosuch/],
    ["await prisma.org.findMany({ orderBy: filter });", /order/],
  ] as const) {
    const reasons = await lost(body);
    assert.ok(
      reasons.some((each) => reason.test(each)),
      `${body}\n${reasons.join("\n")}`,
    );
  }
});

test("where the client keeps integrity, it deletes what refers to a row", async () => {
  const schema = SCHEMA.replace('"postgresql"', '"postgresql"\n  relationMode = "prisma"').replace(
    "references: [id])",
    "references: [id], onDelete: Cascade)",
  );
  const lines = await program("await prisma.org.delete({ where: { id } });", schema);
  assert.deepEqual(
    lines.map((line) => shortened(line.trim())),
    [
      "f explicit",
      "delete users where (users.org_id in (select Org.id as id from Org where (Org.id = :id)))",
      "delete Org where (Org.id = :id) returning r1: *",
      "if not (affected(f/2) > 0)",
      "rollback",
    ],
  );
});

test("what is looked for in a list among the arguments is looked for among its first items", async () => {
  const text = `${HEAD}
    export async function f(ids: number[]) { return prisma.stock.findMany({ where: { id: { in: ids } } }); }
    export async function g(lines: Line[]) {
      return prisma.stock.findMany({ where: { id: { in: lines.map((line) => line.stock) } } });
    }`;
  const lines = printed(await transactionsOf(SCHEMA, { "f.ts": text })).join("\n");
  assert.match(lines, /Stock\.id in \[:ids\[1\], :ids\[2\]\]/u);
  assert.match(lines, /Stock\.id in \[:lines\.stock\[1\], :lines\.stock\[2\]\]/u);
});

test("fields beside a spread of an argument are known, and so are those that a create must have", async () => {
  const text = `${HEAD}
    export async function add(input: NewStock) { return prisma.stock.create({ data: { ...input, count: 1 } }); }
    export async function join(dto: NewUser, org: number) {
      return prisma.user.create({ data: { ...dto, org: { connect: { id: org } } } });
    }
    export async function set(id: number, dto: Change) {
      return prisma.stock.update({ where: { id }, data: { ...dto, version: { increment: 1 } } });
    }`;
  const lines = printed(await transactionsOf(SCHEMA, { "f.ts": text })).join("\n");
  const why = "unknown(:input.version)";
  assert.match(lines, /insert Stock \{id = :input\.id, count = 1, /u);
  assert.ok(lines.includes(`version = ${why}`), lines);
  assert.match(lines, /org_id = [^,]*\borg\b|org_id = r\d\.id/u);
  assert.match(lines, /mail = :dto\.mail/u);
  assert.match(
    lines,
    /update Stock set version = \(Stock\.version \+ 1\), count = unknown\(:dto\.count\)/u,
  );
});

test("documents of known parts, forms, parsed input and decimals are what they are made of", async () => {
  const schema = `
datasource db {
  provider = "postgresql"
}
model Event {
  id    String @id
  topic String
  total Decimal
  body  Json
}`;
  const text = `${HEAD}
    const schema = z.object({ id: z.string() });
    export async function f(form: FormData) {
      const total = new Prisma.Decimal(2).mul(3);
      const topic = form.get("topic");
      return prisma.event.create({ data: { id: "a", topic, total, body: { n: 1, of: [topic, { topic }] } } });
    }
    export async function g(form: FormData) {
      const { id } = schema.parse(Object.fromEntries(form));
      return prisma.event.deleteMany({ where: { id } });
    }
    export async function h(req: Request) {
      const parsed = schema.safeParse(await req.json());
      if (!parsed.success) throw new Error();
      return prisma.event.deleteMany({ where: { id: parsed.data.id } });
    }`;
  const lines = printed(await transactionsOf(schema, { "f.ts": text })).join("\n");
  assert.ok(lines.includes('code:document("n", 1, "of", code:list(:form.topic, '), lines);
  assert.match(lines, /topic = :form\.topic, total = 6,/u);
  assert.ok(lines.includes("(Event.id = :form.id)"), lines);
  assert.match(lines, /if not \(:req\.json\(\)\.valid == true\)\n {4}rollback/u);
  assert.ok(lines.includes("(Event.id = :req.json().id)"), lines);
});
