// Definitions in DO blocks: which of them run, told by what the definitions before them have left.
import assert from "node:assert/strict";
import { test } from "node:test";
import { schemaOf } from "./programs";

const BASE =
  "CREATE TABLE t (id int PRIMARY KEY, a int, b int); CREATE TABLE p (id int PRIMARY KEY); ";

/** Columns, keys and what is said of table t behind the block. */
async function check(block: string, expected: string, ...notes: readonly RegExp[]): Promise<void> {
  const read = await schemaOf(`${BASE}${block}`);
  const t = read.tables.find(({ name }) => name === "t");
  const said = [
    t?.columns.map(({ name }) => name).join(" "),
    ...(t?.uniqueKeys ?? []).map(({ columns }) => `unique ${columns.join(" ")}`),
    ...(t?.foreignKeys ?? []).map(({ columns, table }) => `${columns.join(" ")} -> ${table}`),
    ...(t?.checks.length ? ["check"] : []),
  ].join("; ");
  assert.equal(said, expected, block);
  assert.equal(read.notes.length, notes.length, JSON.stringify(read.notes));
  for (const [at, each] of notes.entries()) assert.match(read.notes[at]?.message ?? "", each);
}

test("definitions run, and what a handler catches leaves them", async () => {
  await check(
    "DO $$ BEGIN ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id); EXCEPTION WHEN duplicate_object THEN NULL; END $$",
    "id a b; a -> p",
  );
  await check(
    "-- once\nDO $$ DECLARE n int; BEGIN n := 1; BEGIN ALTER TABLE t RENAME b TO c; END; EXECUTE 'CREATE UNIQUE INDEX u ON t (c)'; END $$",
    "id a c; unique c",
  );
});

test("a key that a block drops is not relied on", async () => {
  await check(
    "ALTER TABLE t ADD CONSTRAINT k UNIQUE (a); DO $$ BEGIN ALTER TABLE t DROP CONSTRAINT k; END $$",
    "id a b",
  );
  await check(
    "ALTER TABLE t ADD CONSTRAINT k UNIQUE (a); DO $$ BEGIN IF EXISTS (SELECT 1 FROM pg_constraint WHERE conname = 'k') THEN ALTER TABLE t DROP CONSTRAINT k; END IF; END $$",
    "id a b",
  );
});

test("conditions on the catalogues are told by what is defined", async () => {
  const add = "ALTER TABLE t ADD c int";
  const guarded = (condition: string, then: string, otherwise = ""): string =>
    `DO $$ BEGIN IF ${condition} THEN ${then}; ${otherwise} END IF; END $$`;
  const column = (name: string): string =>
    `EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 't' AND column_name = '${name}')`;
  await check(guarded(`NOT ${column("c")}`, add), "id a b c");
  await check(guarded(`NOT ${column("b")}`, "ALTER TABLE t RENAME a TO b"), "id a b");
  await check(guarded(column("z"), add, "ELSE ALTER TABLE t ADD d int;"), "id a b d");
  await check(
    guarded(column("z"), add, `ELSIF ${column("a")} THEN ALTER TABLE t ADD e int;`),
    "id a b e",
  );
  await check(
    guarded(
      "NOT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint WHERE conrelid = 'public.t'::regclass AND conname = 'positive')",
      "ALTER TABLE t ADD CONSTRAINT positive CHECK (a > 0)",
    ),
    "id a b; check",
  );
  await check(guarded("to_regclass('public.t') IS NOT NULL", add), "id a b c");
  await check(
    guarded("to_regclass('other') IS NOT NULL OR to_regclass('p') IS NULL", add),
    "id a b",
  );
  await check(
    guarded("EXISTS (SELECT 1 FROM information_schema.tables WHERE table_name = 'p')", add),
    "id a b c",
  );
  await check(
    guarded(
      "NOT EXISTS (SELECT FROM pg_type WHERE typname = 'mood')",
      "CREATE TYPE mood AS ENUM ('x')",
    ),
    "id a b",
  );
});

test("what is not decided is not taken, and said", async () => {
  await check(
    "DO $$ BEGIN IF current_setting('my.flag')::bool THEN ALTER TABLE t ADD c int; END IF; END $$",
    "id a b",
    /depends on a condition/,
  );
  await check(
    "DO $$ BEGIN IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'x') THEN ALTER TABLE t ADD c int; END IF; END $$",
    "id a b",
    /depends on a condition/,
  );
  await check(
    "DO $$ DECLARE r record; BEGIN FOR r IN SELECT 1 LOOP ALTER TABLE t ADD c int; END LOOP; END $$",
    "id a b",
    /depends on a loop/,
  );
  await check(
    "DO $$ BEGIN EXECUTE 'ALTER TABLE ' || current_schema() || '.t ADD c int'; END $$",
    "id a b",
    /depends on a text that is put together/,
  );
  await check("DO $$ BEGIN RETURN; ALTER TABLE t ADD c int; END $$", "id a b");
  await check(
    "DO $$ BEGIN PERFORM 1; EXCEPTION WHEN OTHERS THEN ALTER TABLE t ADD c int; END $$",
    "id a b",
    /depends on an error/,
  );
});
