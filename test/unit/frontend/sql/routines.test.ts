// Routines beside scripts: order, names, comments and definitions over several files. What a body means is
// tested in test/unit/frontend/pg.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import type { SqlParsers } from "../../../../server/src/frontend/sql/parsers";
import type { Program } from "../../../../server/src/program/program";
import { statementsOf } from "../../../../server/src/service/statements";
import { describeNotes, describeTransactions, programOf } from "./program";
import { render } from "./render";

let parsers: SqlParsers = {};

before(async () => {
  parsers = { pg: await loadPgParser() };
});

const T = "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\n";

function routine(name: string, body: string, parameters = "k int"): string {
  const text = `LANGUAGE plpgsql AS $$\nBEGIN\n  ${body}\nEND $$;\n`;
  return `CREATE FUNCTION ${name}(${parameters}) RETURNS void ${text}`;
}

const ADD = "UPDATE t SET v = v + 1 WHERE id = k;";

function read(files: Readonly<Record<string, string>>): Program {
  return programOf(files, parsers);
}

function ids(program: Program): readonly string[] {
  return program.transactions.map((transaction) => transaction.id);
}

test("routines and scripts stand in the order of the text", () => {
  const program = read({
    "s.sql": T,
    "a.sql": `BEGIN; DELETE FROM t; COMMIT;\n${routine("f", ADD)}\n-- @transaction last\nBEGIN; DELETE FROM t; COMMIT;`,
  });
  assert.deepEqual(ids(program), ["a", "f", "last"]);
  assert.deepEqual(describeTransactions(program).slice(2, 4), [
    "f (k int)",
    "  update t set v = (t.v + 1) where (t.id = :k)",
  ]);
  assert.deepEqual(describeNotes(program), []);
});

test("comments name a routine, give it a level and keep its parameters apart", () => {
  const body = routine(
    "f",
    "-- @isolens level pg:rr\n  UPDATE t SET v = a WHERE id = b;",
    "a int, b int",
  );
  const program = read({
    "a.sql": `${T}-- @transaction renamed\n-- @isolens distinct a, b\n${body}`,
  });
  const [transaction] = program.transactions;
  assert.equal(transaction?.id, "renamed");
  assert.equal(transaction?.level?.name, "postgres:repeatable-read");
  assert.deepEqual(transaction?.preconditions.map(render), ["(:a <> :b)"]);
  assert.deepEqual(describeNotes(program), []);
});

test("one name twice", () => {
  const f = routine("f", ADD);
  assert.deepEqual(ids(read({ "s.sql": T, "a.sql": f, "b.sql": f })), ["f (a.sql)", "f (b.sql)"]);
  const overload = routine("f", ADD, "k int, x int");
  assert.deepEqual(ids(read({ "a.sql": T + f + overload })), ["f (a.sql) #1", "f (a.sql) #2"]);
  const again = f.replace("CREATE", "CREATE OR REPLACE").replace("+ 1", "+ 2");
  const replaced = read({ "a.sql": T + f.replace("CREATE", "CREATE OR REPLACE") + again });
  assert.deepEqual(describeTransactions(replaced), [
    "f (k int)",
    "  update t set v = (t.v + 2) where (t.id = :k)",
  ]);
});

const losses = ({ transactions }: Program): readonly string[] =>
  transactions.flatMap(({ body }) =>
    statementsOf(body).flatMap(({ taint }) => taint.map(({ reason }) => reason)),
  );

const lastLines = (files: Readonly<Record<string, string>>): readonly string[] =>
  describeTransactions(read(files)).slice(-2);

test("a call means the routine of its schema", () => {
  const one = (schema: string, value: number): string =>
    `CREATE FUNCTION ${schema}.step() RETURNS int LANGUAGE sql AS 'SELECT ${String(value)} FROM t WHERE id = ${String(value)}';\n`;
  const files = { "a.sql": T + one("a", 1) + one("b", 2) };
  const script = "BEGIN; UPDATE t SET v = 0 WHERE id = 9; SELECT b.step(); COMMIT;";
  const program = read({ ...files, "z.sql": script });
  const last = program.transactions.find(({ name }) => name === "z");
  assert.match(
    describeTransactions({ ...program, transactions: last ? [last] : [] }).join("\n"),
    /t\.id = 2/,
  );
  const shadowed =
    "CREATE FUNCTION own.length(x text) RETURNS int LANGUAGE sql AS 'SELECT count(*) FROM t';\n";
  const reading = "BEGIN; UPDATE t SET v = own.length('a') WHERE id = 1; COMMIT;";
  const lost = losses(read({ "a.sql": T + shadowed, "z.sql": reading }));
  assert.deepEqual(lost, ["the function length()"]);
});

test("of definitions in migrations the last one counts, elsewhere only equal ones are one", () => {
  const f = routine("f", ADD);
  const again = f.replace("CREATE", "CREATE OR REPLACE").replace("+ 1", "+ 2");
  const caller = "BEGIN; SELECT f(3); COMMIT;";
  const changed = (first: string, second: string, definition: string): readonly string[] =>
    lastLines({ "s.sql": T, [first]: f, [second]: definition, "z.sql": caller });
  assert.match(changed("migrations/2_b.sql", "migrations/10_a.sql", again).join(), /t\.v \+ 2/);
  assert.match(changed("migrations/10_b.sql", "migrations/2_a.sql", again).join(), /t\.v \+ 1/);
  assert.match(
    changed("x.sql", "y.sql", f.replace("CREATE", "create or  replace")).join(),
    /t\.v \+ 1/,
  );
  assert.doesNotMatch(changed("x.sql", "y.sql", again).join(), /update t/);
});

test("a broken routine costs only itself", () => {
  const cut =
    "CREATE FUNCTION cut(k int) RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n  UPDATE t SET\n";
  const program = read({ "s.sql": T, "a.sql": `${routine("f", ADD)}${cut}${routine("g", ADD)}` });
  assert.ok(ids(program).includes("f"));
  assert.ok(ids(program).includes("g"));
  assert.ok(describeNotes(program).length > 0);
  const bad = read({ "s.sql": T, "a.sql": `CREATE FUNCTION (;\n${routine("g", ADD)}` });
  assert.deepEqual(ids(bad), ["g"]);
  assert.ok(describeNotes(bad).includes("1:syntax"));
});

test("without PostgreSQL's parser each routine is noted as left out", () => {
  const program = programOf({ "s.sql": T, "a.sql": routine("f", ADD) });
  assert.deepEqual(ids(program), []);
  assert.deepEqual(describeNotes(program), ["1:routine-unread"]);
});

test("a statement that PostgreSQL refuses is guessed at", () => {
  const program = read({ "a.sql": `${T}BEGIN;\nUPDATE t SET v = 1 WHERE id = 1 LIMIT;\nCOMMIT;` });
  assert.deepEqual(describeTransactions(program), ["a ()", "  opaque writes t"]);
  assert.deepEqual(describeNotes(program), ["3:syntax"]);
});

test("of what later migrations replace or drop only the last stands", () => {
  const put = (value: string): string => `UPDATE t SET v = ${value} WHERE id = k;`;
  const replacing = (name: string, value: string, parameters?: string): string =>
    routine(name, put(value), parameters).replace("CREATE", "CREATE OR REPLACE");
  const program = read({
    "db/migrations/001_base.sql": `${T}${routine("debit", put("v - 1"))}${routine("gone", put("0"))}${routine("renewed", put("1"))}${routine("kept", put("2"), "k int, by text")}CREATE VIEW positive AS SELECT id, v FROM t WHERE v > 0;`,
    "db/migrations/002_debit.sql": `${replacing("public.debit", "v - 2", "k integer")}${replacing("kept", "3", "k int")}DROP VIEW positive; CREATE VIEW positive AS SELECT id, v FROM t WHERE v > 10;`,
    "db/migrations/010_drops.sql": `DROP FUNCTION IF EXISTS gone(int); DROP FUNCTION renewed; DROP FUNCTION kept(k int, other int);\n${routine("renewed", put("4"), "k int, more int")}`,
    "app.sql": "-- @transaction look\nBEGIN; SELECT v FROM positive; COMMIT;",
  });
  const told = describeTransactions(program).join("\n");
  assert.match(told, /t\.v > 10/);
  assert.deepEqual(ids(program), [
    "kept (db/migrations/001_base.sql)",
    "debit",
    "kept (db/migrations/002_debit.sql)",
    "renewed",
    "look",
  ]);
  for (const stands of ["(t.v - 2)", "v = 2", "v = 3", "v = 4"]) assert.ok(told.includes(stands), stands); // prettier-ignore
  for (const gone of ["(t.v - 1)", "v = 0", "v = 1", "t.v > 0)"]) assert.ok(!told.includes(gone), gone); // prettier-ignore
});

test("a trigger fires the function and the definition that stand last", () => {
  const fired = (value: string, name = "stamp"): string =>
    `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$\nBEGIN\n  UPDATE log SET n = ${value}; RETURN NEW;\nEND $$;\n`;
  const program = read({
    "migrations/1_a.sql": `${T}CREATE TABLE log (n int);\n${fired("1")}CREATE TRIGGER tr AFTER UPDATE ON t FOR EACH ROW EXECUTE FUNCTION stamp();`,
    "migrations/2_b.sql": `${fired("2")}${fired("3", "other")}`,
    "migrations/3_c.sql": `DROP TRIGGER tr ON t; CREATE TRIGGER tr AFTER UPDATE ON t FOR EACH ROW EXECUTE FUNCTION other();`,
    "migrations/4_d.sql": fired("4", "other"),
    "app.sql": "BEGIN; UPDATE t SET v = 1 WHERE id = 1; COMMIT;",
  });
  const told = describeTransactions(program).join("\n");
  assert.match(told, /set n = 4/);
  assert.doesNotMatch(told, /set n = [123]/);
});

test("of MySQL's procedures that later migrations create again only the last stands", () => {
  const made = (value: string): string =>
    `DELIMITER //\nDROP PROCEDURE IF EXISTS pay//\nCREATE PROCEDURE pay(k int) BEGIN START TRANSACTION; UPDATE t SET v = ${value} WHERE id = k; COMMIT; END//\nDELIMITER ;\n`;
  const program = read({
    "migrations/V1__a.sql": `CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL) ENGINE=InnoDB;\n${made("10")}`,
    "migrations/V2__b.sql": made("20"),
  });
  assert.deepEqual(ids(program), ["pay"]);
  assert.match(describeTransactions(program).join("\n"), /v = 20/);
});

test("of MySQL's procedures those that are dropped last are no more", () => {
  const made = (name: string): string =>
    `DELIMITER //\nCREATE PROCEDURE ${name}(k int) BEGIN START TRANSACTION; UPDATE t SET v = 1 WHERE id = k; COMMIT; END//\nDELIMITER ;\n`;
  const program = read({
    "migrations/V1__a.sql": `CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL) ENGINE=InnoDB;\nDROP PROCEDURE IF EXISTS kept;\n${made("kept")}${made("gone")}${made("Renewed")}${made("here")}DROP PROCEDURE here;`,
    "migrations/V2__b.sql":
      "DROP PROCEDURE IF EXISTS `shop`.`gone`;\nDROP PROCEDURE renewed;\nDROP FUNCTION never;\n",
    "migrations/V3__c.sql": made("renewed"),
  });
  assert.deepEqual(ids(program), ["kept", "renewed"]);
});
