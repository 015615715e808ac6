// The form in which a statement is kept: its text without what may be secret, and its kind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingFrom } from "../../../server/src/record/catalog/schemaText";
import { wireSchema } from "../../../server/src/record/catalog/wire";
import type { Protocol } from "../../../server/src/record/events";
import { literalValue, piecesOf, statementsOf } from "../../../server/src/record/pieces";
import { commandText } from "../../../server/src/record/secrets";
import {
  newGlossary,
  recordedStatement,
  type RecordedStatement,
} from "../../../server/src/record/statements";

function kept(sql: string, protocol: Protocol = "postgres"): RecordedStatement {
  const event = { connection: 1, order: 1, at: 0, sql, arguments: [], columns: [], rows: [] };
  return recordedStatement({ ...event, count: 0, status: "idle" }, protocol, newGlossary());
}

test("of DDL only what defines tables and routines keeps its literals", () => {
  for (const sql of [
    "CREATE USER ann PASSWORD 'hunter2'",
    "ALTER ROLE ann WITH LOGIN PASSWORD 'hunter2'",
    "CREATE TABLE copy AS SELECT 'hunter2' AS word",
    "CREATE TABLE copy (word text) SELECT 'hunter2' AS word",
    "CREATE SUBSCRIPTION s CONNECTION 'password=hunter2' PUBLICATION p",
    "CREATE USER MAPPING FOR ann SERVER s OPTIONS (password 'hunter2')",
    "COMMENT ON TABLE t IS 'hunter2'",
    "GRANT ALL ON *.* TO ann IDENTIFIED BY 'hunter2'",
  ]) {
    const statement = kept(sql);
    assert.equal(statement.kind, "ddl", sql);
    assert.doesNotMatch(JSON.stringify(statement), /hunter2/, sql);
    assert.deepEqual(wireSchema([statement]), [], sql);
  }
  for (const sql of [
    "CREATE TABLE t (state varchar(9) DEFAULT 'select')",
    "ALTER TABLE t ADD COLUMN kind text DEFAULT 'as'",
    "CREATE TYPE mood AS ENUM ('good', 'bad')",
    "CREATE OR REPLACE FUNCTION f() RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$",
  ])
    assert.deepEqual(wireSchema([kept(`${sql}; -- made`)]), [sql]);
});

test("what the server tells is not told again", () => {
  const told = ["CREATE TYPE mood AS ENUM ('a')", "CREATE TABLE public.t (m mood)"];
  const wire = [
    "CREATE TYPE \"mood\" AS ENUM ('a')",
    "CREATE TABLE IF NOT EXISTS t (m mood)",
    "CREATE UNIQUE INDEX i ON t (m)",
    "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
  ];
  assert.deepEqual(missingFrom(told, wire), wire.slice(3));
});

test("what a statement does, whatever stands before its verb", () => {
  const kinds = (texts: readonly string[]): readonly string[] => texts.map((sql) => kept(sql).kind);
  assert.deepEqual(
    kinds([
      "(SELECT a FROM t) UNION (SELECT a FROM u)",
      "WITH x AS (SELECT 1) SELECT * FROM x",
      "SELECT pg_advisory_xact_lock(7)",
      "SELECT pg_catalog.pg_try_advisory_lock(7)",
    ]),
    ["read", "read", "read", "read"],
  );
  assert.deepEqual(
    kinds([
      "WITH x AS (SELECT 1) UPDATE t SET a = 1",
      "WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x",
      "INSERT INTO t SELECT * FROM u",
    ]),
    ["write", "write", "write"],
  );
  assert.equal(kept("SELECT pg_backend_pid()").kind, "session");
});

test("levels stay readable, as long numbers do not", () => {
  assert.deepEqual(kept("SET default_transaction_isolation TO 'repeatable read'").arguments, [
    "repeatable read",
  ]);
  assert.match(String(kept("SELECT 4111111111111111").arguments[0]), /^number:/);
});

test("literals of megabytes, and texts of many literals", () => {
  const quotes = `SELECT '${"''".repeat(4_000_000)}'`;
  const [, literal] = piecesOf(quotes, "mysql");
  assert.equal(literal && literalValue(literal, "mysql").length, 4_000_000);
  const started = performance.now();
  kept(`INSERT INTO t VALUES ${"(1, 'a'), ".repeat(20_000)}(2, 'b')`);
  assert.ok(performance.now() - started < 5000);
});

test("the body of a routine is one statement with it", () => {
  const routine =
    "CREATE PROCEDURE p() BEGIN IF a THEN SELECT CASE WHEN b THEN 1 END; END IF; BEGIN SELECT 2; END; END";
  assert.deepEqual(statementsOf(`${routine}; SELECT 3`, "mysql"), [routine, " SELECT 3"]);
});

test("a command is told in one line, without what it says in secret", () => {
  assert.equal(
    commandText(["run", "a\nb", "--password", "x1", "TOKEN=x2", "postgres://ann:x@3@db/shop"]),
    "run a b --password ... TOKEN=... postgres://ann:...@db/shop",
  );
  for (const [word, shown] of [
    ["cd api && PGPASSWORD=s3cret npm test", "cd api && PGPASSWORD=... npm test"],
    ["psql --password s3cret -c 'SELECT 1'", "psql --password ... -c 'SELECT 1'"],
    [
      "jdbc:postgresql://db/shop?user=a&password=s3cret",
      "jdbc:postgresql://db/shop?user=a&password=...",
    ],
    ["host=db password='s3 cret' dbname=shop", "host=db password=... dbname=shop"],
    ["ann:s3cret@tcp(db:3306)/shop", "ann:...@tcp(db:3306)/shop"],
    ["postgres://ann:s3/cret@db/shop", "postgres://ann:...@db/shop"],
    ["mysql -uann -ps3cret shop", "mysql -uann -p... shop"],
    ['{"id": 1, "password": "s3cret"}', '{"id": 1, "password": ...}'],
    ['{"password": "s3cret"}', '{"password":...'],
    [
      "curl -H 'Authorization: Bearer s3cret' http://db/a",
      "curl -H 'Authorization: ...' http://db/a",
    ],
    ["curl -H Authorization: Bearer s3cret -v", "curl -H Authorization: ... -v"],
    ["env AUTH_COOKIE=s3cret go test", "env AUTH_COOKIE=... go test"],
    ["go test -p 4 ./... http://db:80/a", "go test -p 4 ./... http://db:80/a"],
  ] as const)
    assert.equal(commandText(["sh", "-c", word]), `sh -c ${shown}`);
  assert.equal(
    commandText(["curl", "-H", "Authorization: Bearer s3cret", "Bearer", "s3cret"]),
    "curl -H Authorization:... Bearer ...",
  );
});
