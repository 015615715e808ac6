// Which files belong to one database where folders declare the same table differently.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../../server/src/engine/treeSitter";
import { variantOf, withoutVariants } from "../../../../server/src/frontend/schema/variants";
import type { SqlParsers } from "../../../../server/src/frontend/sql/parsers";
import {
  createProjectReader,
  type ProjectReader,
} from "../../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../../server/src/workspace/configuration";
import type { Dialect } from "../../../../server/src/program/dialect";
import type { Program } from "../../../../server/src/program/program";
import type { FileId } from "../../../../server/src/protocol/source";
import { codeLanguageOf } from "../../../../server/src/frontend/code/workspace/codeParsers";
import { ownEntry } from "../../../../server/src/protocol/dictionary";
import { renderCommand } from "../sql/render";

let parsers: SqlParsers;
let reader: ProjectReader;

before(async () => {
  parsers = { pg: await loadPgParser() };
  reader = createProjectReader(parsers, await loadCodeParsers());
});

function read(texts: Readonly<Record<string, string>>, dialect?: Dialect): Program {
  // The one place where names become ids.
  const ids = Object.keys(texts).map((name) => name as FileId);
  const schemas = ids.filter((id) => id.endsWith(".prisma"));
  const files = ids
    .filter((id) => !id.endsWith(".prisma"))
    .map((file) => ({ file, text: ownEntry(texts, file) ?? "" }));
  return reader.read({
    files,
    context: [],
    configuration: { ...DEFAULT_CONFIGURATION, ...(dialect && { dialect }) },
    code: {
      files: ids.filter((id) => codeLanguageOf(id) !== undefined),
      text: (file) => ownEntry(texts, file),
      packages: [],
      pathMaps: [],
      schemas,
      digest: () => "",
    },
  });
}

/** The tables, and what each transaction does, by its file. */
function check(
  texts: Readonly<Record<string, string>>,
  tables: readonly string[],
  does: Readonly<Record<string, string>>,
): void {
  const program = read(texts);
  assert.deepEqual(
    program.schema.tables.map(
      ({ name, columns }) => `${name}(${columns.map((c) => c.name).join()})`,
    ),
    tables,
  );
  const done = program.transactions.map(
    ({ source, body }) => [source.file, renderCommand(body).join("; ")] as const,
  );
  assert.deepEqual(Object.fromEntries(done), does);
}

const update = (table: string, column: string): string =>
  `-- @transaction t\nBEGIN;\nUPDATE ${table} SET ${column} = 1 WHERE id = :id;\nCOMMIT;\n`;

const SHOP = "CREATE TABLE item (id int PRIMARY KEY, price int, stock int);";
const FORUM = "CREATE TABLE item (id int PRIMARY KEY, title text, body text, author int);";

test("a table that folders declare differently is one of each", () => {
  check(
    {
      "shop/schema.sql": SHOP,
      "forum/schema.sql": FORUM,
      "shop/buy.sql": update("item", "stock"),
      "forum/edit.sql": update("item", "title"),
    },
    ["item(id,price,stock)", "item (forum)(id,title,body,author)"],
    {
      "shop/buy.sql": "update item set stock = 1 where (item.id = :id)",
      "forum/edit.sql": "update item (forum) item set title = 1 where (item.id = :id)",
    },
  );
});

test("files elsewhere are told by a name in their path, or by what they name", () => {
  check(
    {
      "ddl/shop/schema.sql": SHOP,
      "ddl/forum/schema.sql": FORUM,
      "src/shop/a.sql": update("item", "id"),
      "src/forum.sql": update("item", "id"),
      "src/c.sql": update("item", "stock"),
      "src/d.sql": update("item", "author"),
    },
    ["item(id,price,stock)", "item (forum)(id,title,body,author)"],
    {
      "src/shop/a.sql": "update item set id = 1 where (item.id = :id)",
      "src/forum.sql": "update item (forum) item set id = 1 where (item.id = :id)",
      "src/c.sql": "update item set stock = 1 where (item.id = :id)",
      "src/d.sql": "update item (forum) item set author = 1 where (item.id = :id)",
    },
  );
});

test("what nobody contradicts is everyone's", () => {
  check(
    {
      "shop/schema.sql": SHOP,
      "forum/schema.sql": FORUM,
      "common/users.sql": "CREATE TABLE users (id int PRIMARY KEY, name text);",
      "shop/a.sql": update("users", "name"),
      "forum/b.sql": update("users", "name"),
    },
    ["item(id,price,stock)", "users(id,name)", "item (forum)(id,title,body,author)"],
    {
      "shop/a.sql": "update users set name = 1 where (users.id = :id)",
      "forum/b.sql": "update users set name = 1 where (users.id = :id)",
    },
  );
});

test("a dump beside migrations, or an older table, is the same", () => {
  check(
    {
      "migrations/001_a.sql": "CREATE TABLE item (id int PRIMARY KEY, price int);",
      "migrations/002_b.sql": "ALTER TABLE item ADD stock int;",
      "dump.sql": "CREATE TABLE item (id int PRIMARY KEY, price int, stock int);",
      "a.sql": update("item", "stock"),
    },
    ["item(id,price,stock)"],
    { "a.sql": "update item set stock = 1 where (item.id = :id)" },
  );
});

test("a demonstration further in has tables of its own", () => {
  check(
    {
      "schema.sql": SHOP,
      "examples/demo/schema.sql": "CREATE TABLE item (no int PRIMARY KEY, owner text);",
      "a.sql": update("item", "stock"),
      "examples/demo/b.sql": "-- @transaction t\nBEGIN;\nDELETE FROM item WHERE no = :n;\nCOMMIT;",
    },
    ["item(id,price,stock)", "item (examples)(no,owner)"],
    {
      "a.sql": "update item set stock = 1 where (item.id = :id)",
      "examples/demo/b.sql": "delete item (examples) item where (item.no = :n)",
    },
  );
});

const prisma = (model: string, provider = "postgresql"): string =>
  `datasource db { provider = "${provider}"\n url = env("URL") }\nmodel User {\n id Int @id\n ${model}\n}`;

const handler = (field: string, client = "@prisma/client"): string =>
  `import { PrismaClient } from "${client}"; const prisma = new PrismaClient();
   export async function run(id: number) { await prisma.user.update({ where: { id }, data: { ${field} } }); }`;

test("each schema.prisma is its folder's", () => {
  const texts = {
    "apps/a/prisma/schema.prisma": prisma("score Int\n rank Int"),
    "apps/b/prisma/schema.prisma": prisma("credit Int\n debit Int\n owner String"),
    "apps/a/src/x.ts": handler("score: 1"),
    "apps/b/src/y.ts": handler("credit: 2"),
    "scripts/z.ts": handler("credit: 3", "../apps/b/generated"),
  };
  const { schema, transactions } = read(texts);
  assert.deepEqual(
    schema.tables.map(({ name }) => name),
    ["User", "User (b)"],
  );
  const lines = transactions.map(
    ({ source, body }) => `${source.file} ${renderCommand(body).join("; ")}`,
  );
  assert.match(lines[0] ?? "", /^apps\/a\/src\/x.ts .*update User set score = 1/u);
  assert.match(lines[1] ?? "", /^apps\/b\/src\/y.ts .*update User \(b\) User set credit = 2/u);
});

test("schemas for different products are different databases", () => {
  const { schema, dialects, notes } = read({
    "a/schema.prisma": prisma("score Int"),
    "b/schema.prisma": `${prisma("credit Int\n owner Int", "mysql")}\nmodel Only { id Int @id }`,
    "a/x.ts": handler("score: 1"),
    "b/y.ts": handler("credit: 2").replace("run", "other"),
  });
  assert.deepEqual(dialects, ["postgres", "mysql"]);
  assert.deepEqual(
    schema.tables.map(({ name }) => name),
    ["User", "User (MySQL)", "Only"],
  );
  assert.deepEqual(notes, []);
});

test("of schemas that say the same for several products one counts", () => {
  const texts = {
    "prisma/mysql/schema.prisma": prisma("score Int", "mysql"),
    "prisma/postgresql/schema.prisma": prisma("score Int"),
    "x.ts": `import pg from "pg"; ${handler("score: 1")}`,
  };
  const { dialects, notes } = read(texts);
  assert.equal(dialects, undefined);
  assert.match(
    notes.map(({ message }) => message).join(),
    /prisma\/postgresql\/schema.prisma says the same/u,
  );
});

const ddl = (name: string, text: string) => ({ file: name as FileId, text });

/** Of files that all create the same table, those that count. */
function checkKept(files: readonly string[], dialect: Dialect, expected: readonly string[]): void {
  test(`${dialect}: ${files.join(", ")}`, () => {
    const { kept } = withoutVariants(
      files.map((file) => ddl(file, "CREATE TABLE t (id int);")),
      dialect,
    );
    assert.deepEqual(
      kept.map(({ file }) => file),
      expected,
    );
  });
}

checkKept(["ddl-mysql.sql", "ddl-postgres.sql", "x.sql"], "postgres", [
  "ddl-postgres.sql",
  "x.sql",
]);
checkKept(["ddl-mysql.sql", "ddl-postgres.sql"], "mariadb", ["ddl-mysql.sql"]);
checkKept(["ddl-generic.sql", "ddl-oracle.sql"], "mysql", ["ddl-generic.sql"]);
checkKept(["ddl-db2.sql", "ddl-oracle.sql"], "mysql", ["ddl-db2.sql", "ddl-oracle.sql"]);
checkKept(["db/h2/V1__a.sql", "db/postgresql/V1__a.sql"], "postgres", ["db/postgresql/V1__a.sql"]);
checkKept(["schema.mysql.sql", "schema.sqlite3.sql"], "sqlite", ["schema.sqlite3.sql"]);
checkKept(["a/mysql.sql", "b/pg.sql"], "postgres", ["a/mysql.sql", "b/pg.sql"]);

test("variants declare the same: else both count", () => {
  const files = [
    ddl("pg/a.sql", "CREATE TABLE a (id int);"),
    ddl("mysql/b.sql", "CREATE TABLE b (id int);"),
  ];
  assert.equal(withoutVariants(files, "postgres").left.length, 0);
});

test("what a name says of the product", () => {
  assert.equal(variantOf("a/ddl-mysql.sql" as FileId)?.dialect, "mysql");
  assert.equal(variantOf("a/mysql/x.sql" as FileId)?.set, "a/*");
  assert.equal(variantOf("mysql-to-postgres.sql" as FileId), undefined);
  assert.equal(variantOf("mysqlish.sql" as FileId), undefined);
  const { dialects, notes } = read({ "ddl-mysql.sql": SHOP, "ddl-oracle.sql": SHOP });
  assert.deepEqual(dialects, ["mysql"]);
  assert.match(
    notes.map(({ message }) => message).join(),
    /Not read: this file says for other products/u,
  );
});
