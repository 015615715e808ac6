// Migrations: which files run, in what order, and what a schema is after them.
import assert from "node:assert/strict";
import test from "node:test";
import type { FileId } from "../../../../server/src/protocol/source";
import {
  createdTables,
  inRunOrder,
  migrationOf,
  undoSpans,
} from "../../../../server/src/frontend/schema/migrations";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { programOf } from "../sql/program";

/** The names that run, in order, whatever the order in which they come. */
function check(names: readonly string[], expected: readonly string[]): void {
  const files = names.map((name) => ({
    file: name as FileId,
    text: `create table t${name.replaceAll(/\W/g, "")} (x int)`,
  }));
  for (const given of [files, files.toReversed()]) {
    assert.deepEqual(
      inRunOrder(given).map(({ file }) => file as string),
      expected,
    );
  }
}

test("the order of migrations by their names", () => {
  check(["m/2_b.sql", "m/10_c.sql", "m/1_a.sql"], ["m/1_a.sql", "m/2_b.sql", "m/10_c.sql"]);
  check(
    [
      "db/migration/V2__b.sql",
      "db/migration/V10__c.sql",
      "db/migration/sub/V1_1__a.sql",
      "db/migration/V1__x.sql",
    ],
    [
      "db/migration/V1__x.sql",
      "db/migration/sub/V1_1__a.sql",
      "db/migration/V2__b.sql",
      "db/migration/V10__c.sql",
    ],
  );
  check(
    ["p/migrations/20240102000000_b/migration.sql", "p/migrations/20240101000000_a/migration.sql"],
    ["p/migrations/20240101000000_a/migration.sql", "p/migrations/20240102000000_b/migration.sql"],
  );
  check(["m/R__views.sql", "m/V3__c.sql", "m/U3__c.sql"], ["m/V3__c.sql", "m/R__views.sql"]);
  check(
    ["m/V1__a.sql", "m/B2__base.sql", "m/V2__b.sql", "m/V3__c.sql"],
    ["m/B2__base.sql", "m/V3__c.sql"],
  );
  check(
    ["m/000002_b.up.sql", "m/000001_a.down.sql", "m/000001_a.up.sql", "m/000002_b.down.sql"],
    ["m/000001_a.up.sql", "m/000002_b.up.sql"],
  );
  check(
    [
      "d/2020-01-02-000000_b/up.sql",
      "d/2020-01-01-000000_a/up.sql",
      "d/2020-01-01-000000_a/down.sql",
    ],
    ["d/2020-01-01-000000_a/up.sql", "d/2020-01-02-000000_b/up.sql"],
  );
  check(
    ["m/002.do.b.sql", "m/001.do.a.sql", "m/001.undo.a.sql"],
    ["m/001.do.a.sql", "m/002.do.b.sql"],
  );
});

test("what is no migration keeps its place; dumps come last, what migrations build on first", () => {
  const files = [
    { file: "a/migrations/1.sql" as FileId, text: 'CREATE TABLE "public"."T" (x int)' },
    { file: "a/schema.sql" as FileId, text: "create table t (x int, y int)" },
    { file: "z/base.sql" as FileId, text: "create table if not exists base (x int)" },
  ];
  const order = inRunOrder(files).map(({ file }) => file as string);
  assert.deepEqual(order, ["z/base.sql", "a/migrations/1.sql", "a/schema.sql"]);
  const plain = [files[1], files[2]].flatMap((each) => each ?? []);
  assert.deepEqual(inRunOrder(plain), plain);
  assert.deepEqual(
    createdTables("CREATE TEMP TABLE a.b (x); create table `c d` (y); create index i on e(f)"),
    ["b", "c d"],
  );
});

test("which names are certain to be migrations", () => {
  const certain = (name: string) => migrationOf(name as FileId)?.isCertain;
  for (const name of [
    "migrations/1.sql",
    "drizzle/0001_x.sql",
    "V1__a.sql",
    "x/20240101_a/migration.sql",
    "1.up.sql",
  ]) {
    assert.equal(certain(name), true, name);
  }
  for (const name of ["queries/01_transfer.sql", "1.sql"]) assert.equal(certain(name), false, name);
  for (const name of ["transfer.sql", "V.sql", "V__a.sql", "migration.sql"]) {
    assert.equal(certain(name), undefined, name);
  }
});

test("parts that undo", () => {
  const cut = (text: string): string => {
    return undoSpans(text).reduceRight(
      (left, { start, end }) => left.slice(0, start) + left.slice(end),
      text,
    );
  };
  assert.equal(cut("-- +goose Up\nA;\n-- +goose Down\nB;\n"), "-- +goose Up\nA;\n");
  assert.equal(cut("-- migrate:down\nB;\n-- migrate:up\nA;"), "-- migrate:up\nA;");
  assert.equal(cut("# --- !Ups\nA;\n# --- !Downs\nB;"), "# --- !Ups\nA;\n");
  assert.equal(cut("-- Up Migration\nA;\n-- Down Migration\nB;"), "-- Up Migration\nA;\n");
  assert.equal(cut("A;\n--//@UNDO\nB;"), "A;\n");
  assert.equal(cut("A;\n---- create above / drop below ----\nB;"), "A;\n");
  assert.equal(cut("-- the table goes down\nA;"), "-- the table goes down\nA;");
});

const STEPS = [
  "CREATE TABLE a (id int PRIMARY KEY, old text, gone int UNIQUE);",
  "ALTER TABLE a RENAME COLUMN old TO name; ALTER TABLE a DROP COLUMN gone;",
  "ALTER TABLE a ADD CONSTRAINT u UNIQUE (name); CREATE UNIQUE INDEX p ON a (name) WHERE id > 0;",
  "ALTER TABLE a DROP CONSTRAINT u; ALTER TABLE a RENAME TO b;",
  "ALTER TABLE b ADD COLUMN n int NOT NULL DEFAULT 0;",
];

test("tables are what the migrations leave, in whatever order the files come", async () => {
  const parsers = { pg: await loadPgParser() };
  const names = STEPS.map((_, at) => `migrations/${String(at + 9)}_x.sql`);
  for (const turn of [0, 1, 2, 3, 4]) {
    const files = names.map((_, at) => {
      const place = (at + turn) % names.length;
      return [
        names[place] ?? "",
        `${STEPS[place] ?? ""}\nUPDATE a SET id = 1 WHERE id = 2;`,
      ] as const;
    });
    const program = programOf(Object.fromEntries(files), parsers);
    assert.equal(program.transactions.length, 0);
    const [table, ...more] = program.schema.tables;
    assert.equal(more.length, 0);
    assert.equal(table?.name, "b");
    assert.deepEqual(
      table.columns.map(({ name }) => name),
      ["id", "name", "n"],
    );
    assert.deepEqual(table.primaryKey, ["id"]);
    assert.deepEqual(
      table.uniqueKeys.map(({ name, where }) => `${name ?? ""} ${String(where !== undefined)}`),
      ["p true"],
    );
  }
});

test("migrations lend tables to transactions, which stay", () => {
  const program = programOf({
    "migrations/1_a.up.sql": "CREATE TABLE t (id int PRIMARY KEY, v int);",
    "migrations/1_a.down.sql": "DROP TABLE t;",
    "transfer.sql": "BEGIN; UPDATE t SET v = v + 1 WHERE id = :id; COMMIT;",
  });
  assert.deepEqual(
    program.transactions.map(({ name }) => name),
    ["transfer"],
  );
  assert.equal(program.schema.tables[0]?.inferred, false);
});
