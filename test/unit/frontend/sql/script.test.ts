import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "./render";
import { describeNotes, describeTransactions, programOf } from "./program";

/** The transactions of a script, and its notes except the one that says that tables are guessed. */
function check(text: string, expected: readonly string[], notes: readonly string[] = []): void {
  const program = programOf({ "f.sql": text });
  assert.deepEqual(describeTransactions(program), expected);
  const others = describeNotes(program).filter((note) => !note.endsWith(":unknown-table"));
  assert.deepEqual(others, notes);
}

const READ = "SELECT v FROM t WHERE id = :id";

test("BEGIN ... COMMIT is a transaction", () => {
  check(`BEGIN; ${READ}; COMMIT;`, [
    "f (id int)",
    "  r1 = select t.v as v from t where (t.id = :id)",
  ]);
  check(`BEGIN; UPDATE t SET v = 1; END; START TRANSACTION; DELETE FROM t; COMMIT;`, [
    "f-1 ()",
    "  update t set v = 1",
    "f-2 ()",
    "  delete t",
  ]);
  check("BEGIN; UPDATE t SET v = 1; ROLLBACK;", ["f ()", "  update t set v = 1", "  rollback"]);
  check("BEGIN; COMMIT;", []);
  check("BEGIN; UPDATE t SET v = 1; COMMIT AND CHAIN; UPDATE t SET v = 2; COMMIT;", [
    "f-1 ()",
    "  update t set v = 1",
    "f-2 ()",
    "  update t set v = 2",
  ]);
  check("BEGIN; SAVEPOINT a; UPDATE t SET v = 1; ROLLBACK TO a; RELEASE a; COMMIT", [
    "f ()",
    "  savepoint a",
    "  update t set v = 1",
    "  rollbackTo a",
    "  release a",
  ]);
});

test("a query of a file of queries is a transaction of its name", () => {
  const queries = `CREATE TABLE t (id int PRIMARY KEY, v int);
-- name: Get :one
-- It gives one row.
SELECT sqlc.embed(t) FROM t WHERE id = @id -- name: Inner
;
-- name: Broken :one
SELEC 1;
-- name: SetAll :exec
UPDATE t SET v = sqlc.narg(v) WHERE id IN (sqlc.slice('ids'));
-- name: Clear :exec
DELETE FROM t;
`;
  const read = [
    "Get (id int)",
    "  r1 = select t.id as id, t.v as v from t where (t.id = :id)",
    "SetAll (v int, ids[1] int, ids[2] int)",
    "  update t set v = :v where (t.id in [:ids[1], :ids[2]])",
    "Clear ()",
    "  delete t",
  ];
  check(queries, read, ["7:syntax"]);
  const mysql = `-- @isolens dialect mysql\n${queries.replace("@id", "sqlc.arg('id')")}`;
  check(mysql, read, ["1:dialect", "8:syntax"]);
  check("BEGIN; -- name: Inner :exec\nUPDATE t SET v = 1; COMMIT;", [
    "f ()",
    "  update t set v = 1",
  ]);
});

test("names", () => {
  check("-- @transaction a\nBEGIN; UPDATE t SET v = 1; COMMIT; BEGIN; DELETE FROM t; COMMIT", [
    "a ()",
    "  update t set v = 1",
    "f ()",
    "  delete t",
  ]);
  check("BEGIN; -- @isolens transaction inner\nUPDATE t SET v = 1; COMMIT;", [
    "inner ()",
    "  update t set v = 1",
  ]);
  check(
    "-- @transaction g\nUPDATE t SET v = 1;\nUPDATE t SET v = 2;\n-- @transaction h\nDELETE FROM t;",
    ["g ()", "  update t set v = 1", "  update t set v = 2", "h ()", "  delete t"],
  );
});

test("levels", () => {
  check("BEGIN ISOLATION LEVEL SERIALIZABLE; DELETE FROM t; COMMIT;", [
    "f () @ postgres:serializable",
    "  delete t",
  ]);
  check("BEGIN; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; DELETE FROM t; COMMIT;", [
    "f () @ postgres:repeatable-read",
    "  delete t",
  ]);
  check("SET default_transaction_isolation = 'serializable'; BEGIN; DELETE FROM t; COMMIT;", [
    "f () @ postgres:serializable",
    "  delete t",
  ]);
  check("-- @isolens level si\nBEGIN ISOLATION LEVEL SERIALIZABLE; DELETE FROM t; COMMIT;", [
    "f () @ snapshot-isolation",
    "  delete t",
  ]);
  check(
    "-- @isolens level best\nBEGIN; DELETE FROM t; COMMIT;",
    ["f () @ best", "  delete t"],
    ["1:unknown-level"],
  );
});

test("\\gset binds the columns of the last result", () => {
  check(`BEGIN; ${READ} \\gset\nUPDATE t SET v = :v + 1 WHERE id = :id; COMMIT;`, [
    "f (id int)",
    "  r1 = select t.v as v from t where (t.id = :id)",
    "  @v := r1.v",
    "  update t set v = (@v + 1) where (t.id = :id)",
  ]);
  check(
    `BEGIN; SELECT v AS a, id FROM t LIMIT 1 \\gset p_\nUPDATE t SET v = :p_a WHERE id = :p_id; COMMIT;`,
    [
      "f ()",
      "  r1 = select t.v as a, t.id as id from t limit 1",
      "  @p_a := r1.a",
      "  @p_id := r1.id",
      "  update t set v = @p_a where (t.id = @p_id)",
    ],
  );
  check(
    "BEGIN; UPDATE t SET v = v + 1 WHERE id = 1 RETURNING v AS w \\gset\nUPDATE u SET x = :w; COMMIT;",
    [
      "f ()",
      "  update t set v = (t.v + 1) where (t.id = 1) returning r1: t.v as w",
      "  @w := r1.w",
      "  update u set x = @w",
    ],
  );
  check("BEGIN; DELETE FROM t \\gset\nCOMMIT;", ["f ()", "  delete t"], ["1:gset"]);
});

test("\\set assigns, before a transaction and in it", () => {
  check("\\set d 5\nBEGIN; UPDATE t SET v = v - :d; COMMIT;", [
    "f ()",
    "  update t set v = (t.v - 5)",
  ]);
  check("\\set d :x * 2\nBEGIN; UPDATE t SET v = v - :d; COMMIT;", [
    "f (x int)",
    "  update t set v = (t.v - (:x * 2))",
  ]);
  check("\\set d 1\n\\set d :d + 1\nBEGIN; UPDATE t SET v = :d; COMMIT;", [
    "f ()",
    "  update t set v = (1 + 1)",
  ]);
  check(`BEGIN; ${READ} \\gset\n\\set n :v + 1\nUPDATE t SET v = :n WHERE id = :id; COMMIT;`, [
    "f (id int)",
    "  r1 = select t.v as v from t where (t.id = :id)",
    "  @v := r1.v",
    "  @n := (@v + 1)",
    "  update t set v = @n where (t.id = :id)",
  ]);
  check("\\set s hello\nBEGIN; UPDATE t SET v = :'s'; COMMIT;", [
    "f ()",
    '  update t set v = "hello"',
  ]);
});

test("random numbers are arguments within their bounds", () => {
  const program = programOf({
    "f.sql":
      "\\set aid random(1, 100 * :scale)\nBEGIN; UPDATE t SET v = 0 WHERE id = :aid; COMMIT;",
  });
  assert.deepEqual(describeTransactions(program), [
    "f (aid int)",
    "  update t set v = 0 where (t.id = :aid)",
  ]);
  const [first] = programOf({
    "g.sql": "\\set aid random(1, 10)\nBEGIN; UPDATE t SET v = 0 WHERE id = :aid; COMMIT;",
  }).transactions;
  assert.deepEqual(first?.preconditions.map(render), ["(:aid >= 1)", "(:aid <= 10)"]);
});

test("\\if", () => {
  check(
    `BEGIN; ${READ} \\gset\n\\if :v >= :n\nUPDATE t SET v = :v - :n WHERE id = :id;\n\\endif\nCOMMIT;`,
    [
      "f (id int, n int)",
      "  r1 = select t.v as v from t where (t.id = :id)",
      "  @v := r1.v",
      "  if (@v >= :n)",
      "    update t set v = (@v - :n) where (t.id = :id)",
    ],
  );
  check(
    "BEGIN;\n\\if :a = 1\nDELETE FROM t;\n\\elif :a = 2\nDELETE FROM u;\n\\else\nDELETE FROM w;\n\\endif\nCOMMIT;",
    [
      "f (a int)",
      "  if (:a = 1)",
      "    delete t",
      "  else",
      "    if (:a = 2)",
      "      delete u",
      "    else",
      "      delete w",
    ],
  );
  check(
    "BEGIN; SELECT v >= 10 AS ok FROM t WHERE id = 1 \\gset\n\\if :ok\nDELETE FROM t;\n\\endif\nCOMMIT;",
    [
      "f ()",
      "  r1 = select (t.v >= 10) as ok from t where (t.id = 1)",
      "  @ok := r1.ok",
      "  if @ok",
      "    delete t",
    ],
  );
  check("BEGIN; SELECT count(*) AS n FROM t \\gset\n\\if :n\nDELETE FROM t;\n\\endif\nCOMMIT;", [
    "f ()",
    "  r1 = select count(*) as n from t",
    "  @n := r1.n",
    "  if (@n <> 0)",
    "    delete t",
  ]);
});

test("a transaction may end in the branches of \\if", () => {
  check(
    "BEGIN; SELECT v FROM t \\gset\n\\if :v < 0\nROLLBACK;\n\\else\nDELETE FROM t;\nCOMMIT;\n\\endif\nBEGIN; DELETE FROM u; COMMIT;",
    [
      "f-1 ()",
      "  r1 = select t.v as v from t",
      "  @v := r1.v",
      "  if (@v < 0)",
      "    rollback",
      "  else",
      "    delete t",
      "    return",
      "f-2 ()",
      "  delete u",
    ],
  );
  check("BEGIN;\n\\if :a\nROLLBACK;\n\\endif\nDELETE FROM t;\nCOMMIT;", [
    "f (a bool)",
    "  if :a",
    "    rollback",
    "  delete t",
  ]);
  check(
    "\\if :a\nBEGIN; DELETE FROM t;\nCOMMIT;\n\\else\nBEGIN; DELETE FROM u;\n\\endif",
    ["f-1 ()", "  delete t", "f-2 ()", "  delete u"],
    ["5:no-commit"],
  );
});

test("a variable that only one branch sets keeps its value from outside in the other", () => {
  check("BEGIN;\n\\if :c = 1\n\\set x 5\n\\endif\nUPDATE t SET v = :x; COMMIT;", [
    "f (c int, x int)",
    "  @x := :x",
    "  if (:c = 1)",
    "    @x := 5",
    "  update t set v = @x",
  ]);
  check(
    "BEGIN;\n\\if :c = 1\n\\set x 5\n\\else\n\\set x 6\n\\endif\nUPDATE t SET v = :x; COMMIT;",
    ["f (c int)", "  if (:c = 1)", "    @x := 5", "  else", "    @x := 6", "  update t set v = @x"],
  );
});

test("placeholders become parameters with the type of their column", () => {
  const schema = "BEGIN; UPDATE t SET name = 'a', n = n + 1, ok = true WHERE id = 1; COMMIT;";
  const program = programOf({
    "f.sql": `${schema} BEGIN; UPDATE t SET name = ?, n = ? WHERE id = ? AND ok = ?; COMMIT;`,
  });
  assert.deepEqual(
    program.transactions[1]?.parameters.map(({ name, type }) => `${name} ${type}`),
    ["?1 text", "?2 int", "?3 int", "?4 bool"],
  );
  check("BEGIN; DELETE FROM t WHERE id = ?; DELETE FROM u WHERE id = ? ; COMMIT;", [
    "f (?1 int, ?2 int)",
    "  delete t where (t.id = :?1)",
    "  delete u where (u.id = :?2)",
  ]);
  check("BEGIN; DELETE FROM t WHERE id = $1; DELETE FROM u WHERE id = $1; COMMIT;", [
    "f ($1 int)",
    "  delete t where (t.id = :$1)",
    "  delete u where (u.id = :$1)",
  ]);
});

test("distinct parameters", () => {
  const [first] = programOf({
    "f.sql": "-- @isolens distinct a, b\nBEGIN; UPDATE t SET v = :a WHERE id = :b; COMMIT;",
  }).transactions;
  assert.deepEqual(first?.preconditions.map(render), ["(:a <> :b)"]);
  check(
    "-- @isolens distinct a, c\nBEGIN; UPDATE t SET v = :a; COMMIT;",
    ["f (a int)", "  update t set v = :a"],
    ["1:annotation-parameter"],
  );
});

test("statements outside of transactions", () => {
  check("UPDATE t SET v = v + 1 WHERE id = :id;", [
    "f (id int)",
    "  update t set v = (t.v + 1) where (t.id = :id)",
  ]);
  check(
    "CREATE TABLE t (id int); INSERT INTO t VALUES (1); UPDATE t SET id = 2;",
    [],
    ["1:set-up"],
  );
  check("CREATE TABLE t (id int, v int); UPDATE t SET v = v + 1 WHERE id = :id;", [
    "f (id int)",
    "  update t set v = (t.v + 1) where (t.id = :id)",
  ]);
  check("INSERT INTO t VALUES (1); INSERT INTO t VALUES (2);", [], ["1:set-up"]);
  check("BEGIN; ALTER TABLE t ADD x int; UPDATE t SET x = 1; COMMIT;", [], ["1:set-up"]);
  check(`BEGIN; ${"INSERT INTO t (a) VALUES (1);".repeat(50)} COMMIT;`, [], ["1:set-up"]);
  check("CREATE TABLE t (id int);\n-- @transaction seed\nINSERT INTO t (id) VALUES (1);", [
    "seed ()",
    "  insert t {id = 1}",
  ]);
  const long = (list: string): string => list.repeat(20_000);
  const kept = (text: string): void => {
    assert.equal(programOf({ "f.sql": text }).transactions.length, 1);
  };
  kept(`UPDATE t SET v = v + 1 WHERE id NOT IN (${long("1000, ")}1) AND id = :id;`);
  kept(`BEGIN; UPDATE t SET v = v + 1 WHERE id NOT IN (${long("1000, ")}1); COMMIT;`);
  check(`BEGIN; INSERT INTO t (a) VALUES ${long("(1000), ")} (1); COMMIT;`, [], ["1:set-up"]);
  check("SET search_path = a; SHOW x; ANALYZE t;", []);
  check("SELECT transfer(:a, :b); CALL p();", [], ["1:set-up"]);
});

test("what is cut or out of place", () => {
  check("BEGIN; UPDATE t SET v = 1;", ["f ()", "  update t set v = 1"], ["1:no-commit"]);
  check(
    "BEGIN; UPDATE t SET v = 1;\nBEGIN; UPDATE t SET v = 2; COMMIT;",
    ["f-1 ()", "  update t set v = 1", "f-2 ()", "  update t set v = 2"],
    ["2:nested-begin"],
  );
  check("COMMIT;", [], ["1:no-transaction"]);
  check("SELEC 1;", [], ["1:syntax"]);
  check("BEGIN; UPDAT t SET v = 1; COMMIT;", ["f ()", "  opaque writes "], ["1:syntax"]);
  check("BEGIN; DELETE FROM t WHERE; COMMIT;", ["f ()", "  opaque writes t"], ["1:syntax"]);
  check('BEGIN; DELETE FROM :"name"; COMMIT;', ["f ()", "  delete name"]);
  check("", []);
});
