// Behaviour of tables that nothing follows weakens the statements that it matters to, and no others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { statementsOf } from "../../../../server/src/service/statements";
import { describeTransactions, programOf } from "./program";

async function losses(definitions: string, body: string): Promise<readonly string[]> {
  const sql = `${definitions}; CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN ${body}; END $$;`;
  const program = programOf({ "a.sql": sql }, { pg: await loadPgParser() });
  return program.transactions
    .flatMap((each) => statementsOf(each.body))
    .flatMap(({ taint }) => taint.map(({ reason }) => reason));
}

test("generated columns are what they are computed from", async () => {
  const loans =
    "CREATE TABLE loans (id int PRIMARY KEY, due int GENERATED ALWAYS AS (lent - paid) STORED, lent int, paid int)";
  const sql = `${loans}; CREATE FUNCTION f(p int) RETURNS int LANGUAGE sql AS $$ SELECT l.due FROM loans l WHERE due > 0 AND id = p $$;`;
  const program = programOf({ "a.sql": sql }, { pg: await loadPgParser() });
  assert.match(
    describeTransactions(program).join("\n"),
    /select \(l\.lent - l\.paid\) as due from loans l where \(\(\(l\.lent - l\.paid\) > 0\)/,
  );
  assert.deepEqual(await losses(loans, "UPDATE loans SET paid = 1 WHERE due = 0"), []);
  const opaque =
    "CREATE TABLE t (id int PRIMARY KEY, a int, g int GENERATED ALWAYS AS (own_function(a)) STORED)";
  assert.deepEqual(await losses(opaque, "PERFORM g FROM t"), ["the generated column g of t"]);
  assert.deepEqual(await losses(opaque, "PERFORM a FROM t"), []);
});

test("rows of partitions and of children belong to two tables", async () => {
  const parts =
    "CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (9); CREATE TABLE c (x int) INHERITS (p)";
  assert.deepEqual(await losses(parts, "PERFORM 1 FROM p"), []);
  assert.deepEqual(await losses(parts, "PERFORM 1 FROM p1"), ["rows of p1 are rows of p as well"]);
  assert.deepEqual(await losses(parts, "DELETE FROM c"), ["rows of c are rows of p as well"]);
});

test("exclusion constraints may refuse what they compare", async () => {
  const table =
    "CREATE TABLE b (id serial PRIMARY KEY, room int, s int, e int, note text, CONSTRAINT apart EXCLUDE USING gist (room WITH =, int4range(s, e) WITH &&))";
  const reason = "the exclusion constraint apart on b, which may refuse the row";
  assert.deepEqual(await losses(table, "INSERT INTO b (room, s, e) VALUES (1, 2, 3)"), [reason]);
  assert.deepEqual(await losses(table, "UPDATE b SET e = 4"), [reason]);
  assert.deepEqual(await losses(table, "UPDATE b SET note = 'x'"), []);
});

test("foreign and primary keys that are checked at the end of the transaction", async () => {
  const tables =
    "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE r (id int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, pos int UNIQUE DEFERRABLE INITIALLY DEFERRED, a int, note text, FOREIGN KEY (a) REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED)";
  const end = "which is checked at the end of the transaction";
  const key = `the key (id) of r, ${end}`;
  const reference = `the foreign key (a) of r, ${end}`;
  assert.deepEqual(await losses(tables, "UPDATE r SET pos = 1"), []);
  assert.deepEqual(await losses(tables, "UPDATE r SET note = ''"), []);
  assert.deepEqual(await losses(tables, "INSERT INTO r (id) VALUES (1)"), [key, reference]);
  assert.deepEqual(await losses(tables, "DELETE FROM a"), [reference]);
  for (const moment of ["DEFERRED", "IMMEDIATE"])
    assert.deepEqual(await losses(tables, `SET CONSTRAINTS ALL ${moment}`), [
      `SET CONSTRAINTS ${moment} is not followed`,
    ]);
});

test("when unique keys are checked, however they are declared", async () => {
  const sql = `CREATE TABLE t (id int PRIMARY KEY, a int UNIQUE DEFERRABLE, b int UNIQUE DEFERRABLE INITIALLY DEFERRED, c int, d int, UNIQUE (c) DEFERRABLE INITIALLY IMMEDIATE);
    CREATE UNIQUE INDEX by_d ON t (d); ALTER TABLE t ADD CONSTRAINT one_d UNIQUE USING INDEX by_d DEFERRABLE INITIALLY DEFERRED`;
  const { schema } = programOf({ "a.sql": sql }, { pg: await loadPgParser() });
  assert.deepEqual(
    schema.tables.flatMap(({ uniqueKeys }) => uniqueKeys),
    [
      { columns: ["a"], deferrable: "immediate" },
      { columns: ["b"], deferrable: "deferred" },
      { columns: ["c"], deferrable: "immediate" },
      { columns: ["d"], name: "one_d", deferrable: "deferred" },
    ],
  );
});

test("no key that may be checked later decides an ON CONFLICT", async () => {
  const table = "CREATE TABLE t (id int PRIMARY KEY, pos int UNIQUE DEFERRABLE)";
  const reason =
    "ON CONFLICT on t, which the server refuses: a key that is DEFERRABLE cannot decide it";
  const insert = "INSERT INTO t (id, pos) VALUES (1, 1) ON CONFLICT";
  assert.deepEqual(await losses(table, `${insert} (pos) DO NOTHING`), [reason]);
  assert.deepEqual(await losses(table, `${insert} DO NOTHING`), [reason]);
  assert.deepEqual(await losses(table, `${insert} (id) DO NOTHING`), []);
});
