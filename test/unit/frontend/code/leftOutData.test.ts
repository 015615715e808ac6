// Values that are `undefined` when the program runs, as the Prisma client takes them: what is left out is neither a
// condition nor a change.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ITEMS, printed, transactionsOf } from "./prismaPrograms";

async function program(parameters: string, body: string): Promise<readonly string[]> {
  const head =
    'import { PrismaClient } from "@prisma/client";\nconst prisma = new PrismaClient();\n';
  const text = `${head}export async function f(${parameters}) {\n${body}\n}\n`;
  const lines = printed(await transactionsOf(ITEMS, { "f.ts": text }));
  return lines
    .slice(1)
    .map((line) =>
      line.trim().replaceAll("Item.id as id, Item.place as place, Item.kind as kind", "*"),
    );
}

const FIND = "const row = await prisma.item.findUnique({ where: { id } });";
const FOUND = "r1 = select * from Item where (Item.id = :id)";

describe("the key of one row", () => {
  const SCHEMA = `datasource db { provider = "postgresql" }
model User {
  id   Int @id
  mail String? @unique
  org  Int
  slot Int?
  @@unique([org, slot])
}`;

  /** The commands of an operation on a user. */
  async function onUser(parameters: string, operation: string): Promise<readonly string[]> {
    const text = `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function f(${parameters}) { await prisma.user.${operation}; }`;
    const lines = printed(await transactionsOf(SCHEMA, { "f.ts": text })).slice(1);
    return lines.map((line) =>
      line.trim().replace(/ ?(?:returning r1:|User\.id as id).*? as slot\b/u, " *"),
    );
  }

  it("is refused where it is left out or null", async () => {
    assert.deepEqual(
      await onUser("{ id }: { id?: number }", "update({ where: { id }, data: { org: 1 } })"),
      [
        "if (:id is null)",
        "rollback",
        "update User set org = 1 where (User.id = :id) *",
        "if not (affected(f/1) > 0)",
        "rollback",
      ],
    );
    assert.deepEqual(await onUser("mail: string | null", "findUnique({ where: { mail } })"), [
      "if (:mail is null)",
      "rollback",
      "r1 = select * from User where (User.mail == :mail)",
    ]);
    assert.deepEqual(
      await onUser(
        "org: number, slot?: number",
        "findUnique({ where: { org_slot: { org, slot } } })",
      ),
      [
        "if (:slot is null)",
        "rollback",
        "r1 = select * from User where ((User.org = :org) and (User.slot == :slot))",
      ],
    );
  });

  it("may be one of several", async () => {
    const lines = await onUser(
      "{ id, mail }: { id?: number; mail?: string }",
      "findUnique({ where: { id, mail } })",
    );
    assert.deepEqual(lines.slice(0, 2), [
      "if not (not (:id is null) or not (:mail is null))",
      "rollback",
    ]);
  });

  it("is not asked about where it is surely given", async () => {
    assert.deepEqual(await onUser("id: number", "findUnique({ where: { id } })"), [
      "r1 = select * from User where (User.id = :id)",
    ]);
  });
});

describe("what ?. asks of a row that may be missing", () => {
  it("is no condition where there is no row", async () => {
    assert.deepEqual(
      await program(
        "id: number",
        `${FIND}\nawait prisma.item.deleteMany({ where: { id: { gt: 1 }, place: row?.place } });`,
      ),
      [
        FOUND,
        "delete Item where ((Item.id > 1) and (((size(r1) > 0) and (Item.place = r1.place)) or (size(r1) <= 0)))",
      ],
    );
  });

  it("is a condition where the row is known to be there", async () => {
    assert.deepEqual(
      await program(
        "id: number",
        `${FIND}\nif (row) await prisma.item.deleteMany({ where: { place: row?.place } });`,
      ),
      [FOUND, "if (size(r1) > 0)", "delete Item where (Item.place = r1.place)"],
    );
  });

  it("is null where the program says so", async () => {
    assert.deepEqual(
      await program(
        "id: number",
        `${FIND}\nawait prisma.item.deleteMany({ where: { kind: row?.kind ?? null } });`,
      ),
      [FOUND, "delete Item where (Item.kind == (not (r1.kind is null) ? r1.kind : null))"],
    );
  });

  it("is not set", async () => {
    assert.deepEqual(
      await program(
        "id: number",
        `${FIND}\nawait prisma.item.updateMany({ where: { id: 2 }, data: { place: 1, kind: row?.kind } });`,
      ),
      [
        FOUND,
        "update Item set place = 1, kind = ((size(r1) > 0) ? r1.kind : Item.kind) where (Item.id = 2)",
      ],
    );
  });

  it("is neither less nor more than anything", async () => {
    assert.deepEqual(
      await program(
        "id: number",
        `${FIND}
const filter = row?.place < 5 ? { place: 1 } : { kind: "b" };
await prisma.item.deleteMany({ where: filter });
if (!(row?.place < 6)) await prisma.item.deleteMany();`,
      ),
      [
        FOUND,
        'delete Item where (((size(r1) > 0) and (r1.place < 5) and (Item.place = 1)) or (not ((size(r1) > 0) and (r1.place < 5)) and (Item.kind = "b")))',
        "if not ((size(r1) > 0) and (r1.place < 6))",
        "delete Item",
      ],
    );
  });
});

describe("a choice between filters", () => {
  it("takes the other one where what is compared with a constant is null", async () => {
    assert.deepEqual(
      await program(
        "id: number",
        `${FIND}
if (!row) return;
await prisma.item.deleteMany({ where: row.kind === "a" ? { place: 1 } : { place: { lt: 2 } } });`,
      ),
      [
        FOUND,
        "if (size(r1) <= 0)",
        "return",
        'delete Item where (((r1.kind = "a") and (Item.place = 1)) or (not (r1.kind == "a") and (Item.place < 2)))',
      ],
    );
  });
});

describe("an update whose data may be empty", () => {
  const READ = ["else", "r2 = select * from Item where (Item.id = :id)"];
  const ONE = ["if not (affected(f/1) > 0)", "rollback", ...READ, "if (size(r2) <= 0)", "rollback"];

  it("reads the row where it is", async () => {
    assert.deepEqual(
      await program(
        "id: number, isNamed: boolean",
        'await prisma.item.update({ where: { id }, data: { ...(isNamed ? { kind: "a" } : {}) } });',
      ),
      [
        "if (:isNamed = true)",
        'update Item set kind = "a" where (Item.id = :id) returning r1: *',
        ...ONE,
      ],
    );
  });

  it("reads the row where all that may be given is left out", async () => {
    assert.deepEqual(
      await program(
        "id: number, place?: number, kind?: string",
        "const row = await prisma.item.update({ where: { id }, data: { place, kind } });\nreturn row.place;",
      ),
      [
        "if (not (:place is null) or not (:kind is null))",
        "update Item set place = ((:place is null) ? Item.place : :place), kind = ((:kind is null) ? Item.kind : :kind) where (Item.id = :id) returning r1: *",
        ...ONE,
        "return ((not (:place is null) or not (:kind is null)) ? r1.place : r2.place)",
      ],
    );
  });
});

// The statements that the client of version 7.10 was seen to send.
describe("writes to related rows that may have nothing to write", () => {
  const DOCUMENTS = `datasource db { provider = "postgresql" }
model Doc { id Int @id
  title String
  metaId Int @unique
  meta Meta @relation(fields: [metaId], references: [id])
  notes Note[] }
model Meta { id Int @id
  subject String?
  doc Doc? }
model Note { id Int @id
  text String
  docId Int
  doc Doc @relation(fields: [docId], references: [id]) }`;
  const nested = async (parameters: string, body: string): Promise<readonly string[]> => {
    const text = `import { PrismaClient } from "@prisma/client";\nconst prisma = new PrismaClient();\nexport async function f(${parameters}) {\n${body}\n}\n`;
    const lines = printed(await transactionsOf(DOCUMENTS, { "f.ts": text }));
    const all = /(?:select |returning r\d+: )(?:\w+\.\w+ as \w+, )+\w+\.\w+ as \w+/g;
    return lines.map((line) =>
      line.replace(all, (outputs) => outputs.replace(/\w+\.\w+ as.*/, "*")),
    );
  };
  const UPDATE = [
    "f explicit",
    '  update Doc set title = "x" where (Doc.id = :id) returning r1: *',
    "  if not (affected(f/1) > 0)",
    "    rollback",
  ];
  const updateWith = (parameters: string, data: string): Promise<readonly string[]> =>
    nested(
      parameters,
      `await prisma.doc.update({ where: { id }, data: { title: "x", ${data} } });`,
    );

  it("neither looks for the one row nor changes it", async () => {
    assert.deepEqual(
      await updateWith("id: number, subject?: string", "meta: { update: { subject } }"),
      [
        ...UPDATE,
        "  if not (:subject is null)",
        "    r2 = select Meta.id as id from Meta where (Meta.id = r1.metaId)",
        "    if (size(r2) <= 0)",
        "      rollback",
        "    loop rows",
        "      update Meta set subject = :subject where (Meta.id = r2.id) returning r3: *",
        "  r4 = select * from Doc where (Doc.id = r1.id)",
      ],
    );
    assert.deepEqual(await updateWith("id: number", "meta: { update: {} }"), [
      ...UPDATE,
      "  r2 = select * from Doc where (Doc.id = r1.id)",
    ]);
  });

  it("looks for many rows, and changes none", async () => {
    const data = "notes: { updateMany: { where: { id: 2 }, data: { text } } }";
    assert.deepEqual(await updateWith("id: number, text?: string", data), [
      ...UPDATE,
      "  r2 = select * from Note where ((Note.id = 2) and (Note.docId = r1.id))",
      "  loop rows",
      "    if not (:text is null)",
      "      update Note set text = :text where (Note.id = r2.id) returning r3: *",
      "  r4 = select * from Doc where (Doc.id = r1.id)",
    ]);
  });

  it("reads its row again only where there may be some", async () => {
    const create = (parameters: string, notes: string): Promise<readonly string[]> =>
      nested(
        parameters,
        `await prisma.doc.create({ data: { id, title: "x", metaId: 1, notes: ${notes} } });`,
      );
    const insert = 'insert Doc {id = :id, title = "x", metaId = 1} returning r1: *';
    const again = "r2 = select * from Doc where (Doc.id = r1.id)";
    assert.deepEqual(await create("id: number", "undefined"), ["f autocommit", `  ${insert}`]);
    assert.deepEqual(await create("id: number", "{ create: [] }"), [
      "f explicit",
      `  ${insert}`,
      `  ${again}`,
    ]);
    assert.deepEqual(
      await create("id: number, text: string", "text ? { create: { id: 1, text } } : undefined"),
      [
        "f explicit",
        `  ${insert}`,
        '  if (not (:text is null) and (:text <> ""))',
        "    insert Note {id = 1, text = :text, docId = r1.id} returning r2: *",
        '  if (not (:text is null) and (:text <> ""))',
        "    r3 = select * from Doc where (Doc.id = r1.id)",
      ],
    );
  });
});

describe("data that sets nothing", () => {
  const BEHIND = "\nif (count === 0) await prisma.item.deleteMany();";
  const many = (data: string): string =>
    `const { count } = await prisma.item.updateMany({ where: { id }, data: ${data} });${BEHIND}`;

  it("changes none of many rows, without a statement", async () => {
    assert.deepEqual(await program("id: number", many("{}")), ["delete Item"]);
    assert.deepEqual(await program("id: number, kind?: string", many("{ kind }")), [
      "if not (:kind is null)",
      "update Item set kind = :kind where (Item.id = :id)",
      "if ((not (:kind is null) ? affected(f/1) : 0) = 0)",
      "delete Item",
    ]);
    const rows =
      "const rows = await prisma.item.updateManyAndReturn({ where: { id }, data: {} });" +
      "if (rows.length > 0) await prisma.item.deleteMany();";
    assert.deepEqual(await program("id: number", rows), []);
  });

  it("is none where one of two choices sets something", async () => {
    assert.deepEqual(
      await program(
        "id: number, place?: number",
        "await prisma.item.updateMany({ where: { id }, data: { ...(place ? { place } : { kind: 'b' }) } });",
      ),
      [
        'update Item set place = ((not (:place is null) and (:place <> 0)) ? ((:place is null) ? Item.place : :place) : Item.place), kind = ((not (:place is null) and (:place <> 0)) ? Item.kind : "b") where (Item.id = :id)',
      ],
    );
  });
});
