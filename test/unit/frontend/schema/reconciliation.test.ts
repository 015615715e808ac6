// Where migrations and a schema.prisma declare the same tables.
import assert from "node:assert/strict";
import test from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import {
  reconcile,
  type Reconciliation,
} from "../../../../server/src/frontend/schema/reconciliation";
import { readPrismaSchema } from "../../../../server/src/frontend/schema/prisma/readSchema";
import type { FileId } from "../../../../server/src/protocol/source";
import { programOf } from "../sql/program";

async function agreement(
  migrations: Readonly<Record<string, string>>,
  model: string,
): Promise<Reconciliation> {
  const { schema } = programOf(migrations, { pg: await loadPgParser() });
  const text = `datasource db {\n provider = "postgresql"\n}\nmodel T {\n${model}\n}\n`;
  // A file id of the test.
  const prisma = readPrismaSchema([{ file: "schema.prisma" as FileId, text }]);
  assert.deepEqual(prisma.notes, []);
  return reconcile(schema.tables, prisma.tables, "postgres");
}

const FIRST = {
  "migrations/1_a/migration.sql": 'CREATE TABLE "T" (id int PRIMARY KEY, a int NOT NULL, b int);',
};

test("what both say is said once, and conditions of keys come from the migrations", async () => {
  const later = {
    "migrations/2_b/migration.sql":
      'CREATE UNIQUE INDEX u ON "T"(a); CREATE UNIQUE INDEX p ON "T"(b) WHERE a > 0;',
  };
  const { tables, notes } = await agreement(
    { ...later, ...FIRST },
    " id Int @id\n a Int @unique\n b Int?",
  );
  assert.deepEqual(notes, []);
  assert.deepEqual(
    tables.map(({ name, uniqueKeys }) => [
      name,
      uniqueKeys.map((key) => [key.name, key.where !== undefined]),
    ]),
    [
      [
        "T",
        [
          ["u", false],
          ["p", true],
        ],
      ],
    ],
  );
});

test("differences are noted, and the migrations count", async () => {
  const { tables, notes } = await agreement(
    FIRST,
    " id Int\n a Int @id\n b Int? @unique\n c Int @default(3)",
  );
  assert.deepEqual(
    notes.map(({ message, source }) => `${String(source.range.start.line + 1)} ${message}`),
    [
      "4 T: the primary key is (a) here and (id) in the migrations, which count.",
      "4 T: (b) is unique here, but no migration makes it so; it is taken not to be.",
      "4 T: no migration adds the column c, which is taken from here.",
    ],
  );
  const [table] = tables;
  assert.deepEqual(table?.primaryKey, ["id"]);
  assert.deepEqual(table.uniqueKeys, []);
  assert.deepEqual(
    table.columns.map(({ name }) => name),
    ["id", "a", "b", "c"],
  );
});

test("tables that only one of them has stay", async () => {
  const { tables, notes } = await agreement(
    { "migrations/1_x/migration.sql": "CREATE TABLE x (id int PRIMARY KEY);" },
    " id Int @id",
  );
  assert.deepEqual(notes, []);
  assert.deepEqual(
    tables.map(({ name }) => name),
    ["x", "T"],
  );
});

test("a table of a schema is that of the migrations in this schema", async () => {
  const migrations = {
    "migrations/1_a/migration.sql": `CREATE TABLE "auth"."T" (id int PRIMARY KEY, a int NOT NULL); CREATE TABLE "public"."T" (id int PRIMARY KEY, b int NOT NULL);`,
  };
  for (const schema of ["auth", "public"]) {
    const column = schema === "auth" ? "a" : "b";
    const fields = ` id Int @id\n ${column} Int\n @@schema("${schema}")`;
    const { tables, notes } = await agreement(migrations, fields);
    assert.deepEqual(notes, []);
    assert.deepEqual(tables.map(({ name }) => name), ["auth.T", "T"]); // prettier-ignore
  }
});
