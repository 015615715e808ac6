// schema.prisma: tables, keys, defaults, relations and the places of what is wrong.
import assert from "node:assert/strict";
import test from "node:test";
import type { Column, Table } from "../../../../server/src/program/schema";
import type { Expression } from "../../../../server/src/program/expression";
import type { PrismaLink, PrismaSchema } from "../../../../server/src/frontend/schema/prisma/model";
import { readPrismaSchema } from "../../../../server/src/frontend/schema/prisma/readSchema";
import type { FileId } from "../../../../server/src/protocol/source";

function read(...texts: readonly string[]): PrismaSchema {
  return readPrismaSchema(
    // File ids of tests.
    texts.map((text, at) => ({ file: `schema/${String(at)}.prisma` as FileId, text })),
  );
}

const POSTGRES = 'datasource db {\n  provider = "postgresql"\n}\n';

function valueText(value: Expression | undefined): string {
  if (value === undefined) return "";
  if (value.kind === "literal") return `=${JSON.stringify(value.value)}`;
  if (value.kind === "fresh") return `=${value.why}`;
  return value.kind === "unknown" ? `=? ${value.why}` : "=?";
}

function columnText({ name, type, nullable, default: value }: Column): string {
  return `${name} ${type}${nullable ? "?" : ""}${valueText(value)}`;
}

function tableText(table: Table): string {
  return [
    `${table.name}: ${table.columns.map(columnText).join(", ")}`,
    `key ${table.primaryKey.join(", ")}`,
    ...table.uniqueKeys.map(({ name, columns }) => `unique ${name ?? ""}(${columns.join(", ")})`),
    ...table.foreignKeys.map(
      (key) =>
        `${key.columns.join(", ")} -> ${key.table}(${key.referenced.join(", ")})` +
        (key.onDelete === undefined ? "" : ` ${key.onDelete}`),
    ),
  ].join("; ");
}

function check(text: string | readonly string[], ...expected: readonly string[]): void {
  const texts = typeof text === "string" ? [text] : text;
  const schema = read(...texts);
  assert.deepEqual(schema.notes, []);
  assert.deepEqual(schema.tables.map(tableText), expected);
}

/** Notes as `line:character message`, counted from one. */
function notes(text: string): readonly string[] {
  return read(text).notes.map(({ message, source: { range } }) => {
    return `${String(range.start.line + 1)}:${String(range.start.character + 1)} ${message}`;
  });
}

test("columns, types, defaults", () => {
  check(
    `${POSTGRES}
    enum Role {
      ADMIN
      USER @map("user")
    }
    model Account {
      id        Int      @id @default(autoincrement())
      uid       String   @default(uuid()) @db.Uuid
      cid       String   @default(cuid(2))
      name      String?  // a comment @unique
      balance   Decimal  @default(0.5) @db.Decimal(10, 2)
      big       BigInt   @default(-3)
      isOpen    Boolean  @default(true)
      role      Role     @default(USER)
      tags      String[]
      data      Json     @default("{}")
      createdAt DateTime @default(now()) @map("created_at")
      changedAt DateTime @updatedAt
      place     Unsupported("point")?
      made      String   @default(dbgenerated("gen_random_uuid()")) @db.Uuid
      kind      String   @default(dbgenerated("'it''s'::text"))
      other     Int      @default(dbgenerated("compute_it()"))
      @@map("accounts")
    }`,
    "accounts: id int=sequence, uid text=uuid, cid text=uuid, name text?, balance decimal=0.5, big int=-3, " +
      'isOpen bool=true, role text="user", tags other=? an empty list, data json="{}", created_at time=now, ' +
      `changedAt time=now, place other?, made text=uuid, kind text="it's", other int=? the default compute_it(); key id`,
  );
});

test("keys of several fields, their names, and those of the database", () => {
  const text = `${POSTGRES}
    model Member {
      tenant String @map("tenant_id")
      user   String
      email  String @unique(map: "mail_key")
      rank   Int    @unique(sort: Desc)
      @@id([tenant, user(sort: Desc)], name: "who")
      @@unique([tenant, email])
      @@unique(fields: [user, email], name: "byUser", map: "by_user")
      @@index([rank])
    }`;
  check(
    text,
    "Member: tenant_id text, user text, email text, rank int; key tenant_id, user; unique mail_key(email); " +
      "unique Member_rank_key(rank); unique Member_tenant_id_email_key(tenant_id, email); unique by_user(user, email)",
  );
  const names = [...(read(text).models.get("Member")?.keys ?? [])].map(
    ({ name, fields }) => `${name}=${fields.join("+")}`,
  );
  assert.deepEqual(names, [
    "who=tenant+user",
    "email=email",
    "rank=rank",
    "tenant_email=tenant+email",
    "byUser=user+email",
  ]);
});

const BLOG = `
  model User {
    id    Int    @id
    posts Post[] @relation("written")
    liked Post[] @relation("likes")
    profile Profile?
    tags Tag[]
  }
  model Post {
    id       Int   @id
    author   User  @relation("written", fields: [authorId], references: [id], onDelete: Cascade)
    authorId Int   @map("author_id")
    likers   User[] @relation("likes")
    parentId Int?
    parent   Post? @relation("tree", fields: [parentId], references: [id])
    children Post[] @relation("tree")
  }
  model Profile {
    user   User @relation(fields: [userId], references: [id])
    userId Int  @id
  }
  model Tag { key String @id
    users User[] }
`;

test("relations become foreign keys and tables between", () => {
  check(
    POSTGRES + BLOG,
    "User: id int; key id",
    "Post: id int, author_id int, parentId int?; key id; author_id -> User(id) cascade; parentId -> Post(id) set",
    "Profile: userId int; key userId; userId -> User(id)",
    "Tag: key text; key key",
    "_likes: A int, B int; key A, B; A -> Post(id) cascade; B -> User(id) cascade",
    "_TagToUser: A text, B int; key A, B; A -> Tag(key) cascade; B -> User(id) cascade",
  );
});

test("where the client keeps integrity there are no foreign keys, and the links stay", () => {
  const schema = read(`datasource db {\n provider = "mysql"\n relationMode = "prisma"\n}\n${BLOG}`);
  assert.equal(schema.integrity, "client");
  assert.equal(schema.datasource?.dialect, "mysql");
  assert.deepEqual(
    schema.tables.flatMap((table) => table.foreignKeys),
    [],
  );
  const field = schema.models.get("User")?.fields.get("posts");
  const expected: PrismaLink = {
    at: "there",
    columns: ["author_id"],
    referenced: ["id"],
    onDelete: "cascade",
    onUpdate: "cascade",
  };
  assert.deepEqual(field?.kind === "relation" && field.link, expected);
});

test("several files are one schema, in any order", () => {
  const [head = "", ...models] = (POSTGRES + BLOG).split(/^(?= {2}model)/m);
  const parts = [...models, head];
  const tables = read(...parts).tables.map(({ name }) => name);
  const once = read(parts.join("")).tables.map(({ name }) => name);
  assert.deepEqual(tables, once);
  assert.deepEqual(read(...parts).notes, []);
});

test("schemas of the database, views and what the client does not have", () => {
  const schema = read(`datasource db {
      provider = "postgresql"
      schemas  = ["base", "shop"]
    }
    generator client {
      provider = "prisma-client"
      output   = "../src/generated"
      previewFeatures = ["views"]
    }
    model A { id Int @id
      hidden Int? @ignore
      @@map("item")
      @@schema("base") }
    model B { id Int @id
      @@map("item")
      @@schema("shop") }
    model Old { id Int @id
      @@ignore }
    view Totals { id Int @unique
      total Int }`);
  assert.deepEqual(schema.notes, []);
  assert.deepEqual(
    schema.tables.map(({ name }) => name),
    ["base.item", "shop.item", "Old", "Totals"],
  );
  assert.equal(schema.models.get("Old")?.isHidden, true);
  assert.equal(schema.models.get("Totals")?.kind, "view");
  const hidden = schema.models.get("A")?.fields.get("hidden");
  assert.equal(hidden?.kind === "scalar" && hidden.isHidden, true);
  assert.deepEqual(schema.outputs, ["src/generated"]);
});

test("MongoDB is said not to be read", () => {
  const schema = read('datasource db {\n provider = "mongodb"\n}\nmodel A { id String @id }');
  assert.deepEqual(schema.tables, []);
  assert.match(schema.notes[0]?.message ?? "", /MongoDB are not read/);
});

test("what is wrong is said at its place, and the rest is read", () => {
  const cases: readonly (readonly [string, ...(readonly string[])])[] = [
    ["model A { id Int @id", '1:1 "model A" has no closing "}".'],
    ["model A {\n id Int @id\n\nmodel B { id Int @id }", '1:1 "model A" has no closing "}".'],
    [
      "modle A { }\nmodel B { id Int @id }",
      '1:1 "modle" begins no block: expected model, view, enum, type, datasource or generator.',
    ],
    [
      "model A {\n id Int @id\n b Bb\n}",
      '3:4 Nothing declares the type "Bb"; the field "b" of "A" is left out of the client.',
    ],
    ["model A {\n id Int @id\n @@unique([no])\n}", '3:12 "A" has no column "no".'],
    ["model A {\n x Int\n}", '1:1 "A" has no key: its rows cannot be told apart.'],
    ["model A {\n id Int @id\n id Int\n}", '3:2 "A" has two fields "id"; the first one counts.'],
    [
      "model A {\n id Int @id\n b B\n}\nmodel B {\n id Int @id\n}",
      '3:2 Nothing in "B" is the other side of the relation "A.b".',
    ],
    [
      "model A {\n id Int @id\n b B[]\n}\nmodel B {\n id Int @id\n a A\n}",
      '3:2 Neither side of "A.b" says with "fields" where the link is kept.',
      '7:2 Neither side of "B.a" says with "fields" where the link is kept.',
    ],
    [
      'datasource d {\n provider = "oracle"\n}',
      '2:2 "oracle" is no provider that is known: postgresql, cockroachdb, mysql, sqlite, sqlserver.',
    ],
    ["enum E { A }\nenum E { B }", '2:6 "E" is declared twice; the first declaration counts.'],
    ["model A {\n id Int @id @@\n}", '2:13 "@@" is not expected here.'],
  ];
  for (const [text, ...expected] of cases) assert.deepEqual(notes(text), expected, text);
});

test("half-typed and arbitrary texts are read in linear time", () => {
  const whole = POSTGRES + BLOG;
  for (let at = 0; at < whole.length; at += 7) {
    read(whole.slice(0, at));
    read(whole.slice(0, at) + whole.slice(at + 11));
  }
  for (const text of [
    "",
    "\0",
    "{{{{",
    "model",
    "model A",
    "model A {",
    "@@",
    '"',
    "model A { x Int @default([[[[[",
    "😀",
  ]) {
    read(text);
  }
  read(`model A { x Int @default(${"[".repeat(50_000)}`);
  const many = Array.from({ length: 3000 }, (_, at) => `model M${String(at)} {\n id Int @id\n}`);
  assert.equal(read(many.join("\n")).tables.length, 3000);
});
