// Files of several dialects in one workspace: databases of their own, whose tables may share names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { FileId } from "../../../../server/src/protocol/source";
import { renderCommand } from "../sql/render";

const file = (name: string, text: string) => ({ file: name as FileId, text });

const POSTGRES = file(
  "a.sql",
  "CREATE TABLE t (id serial PRIMARY KEY, v int);\n-- @transaction One\nBEGIN;\nUPDATE t SET v = 1 WHERE id = :id;\nCOMMIT;",
);
const MYSQL = file(
  "b.sql",
  "CREATE TABLE `t` (id INT PRIMARY KEY AUTO_INCREMENT, v INT CHECK (v > 0), u INT);\nCREATE TABLE `own` (id INT PRIMARY KEY, t INT REFERENCES t (id));\n" +
    "-- @transaction Two\nSTART TRANSACTION;\nINSERT INTO t (v) VALUES (@v) ON DUPLICATE KEY UPDATE v = t.v + 1;\n" +
    "UPDATE own SET t = (SELECT MAX(id) FROM t WHERE u > 3);\nCOMMIT;",
);
const PLAIN = file("c.sql", "-- @transaction Three\nBEGIN;\nDELETE FROM t WHERE id = 4;\nCOMMIT;");

test("tables of one name are told apart", () => {
  const { transactions, schema, dialects, notes } = readProgram([POSTGRES, MYSQL], {});
  assert.deepEqual(dialects, ["postgres", "mysql"]);
  assert.deepEqual(
    schema.tables.map(({ name }) => name),
    ["t", "t (MySQL)", "own"],
  );
  assert.equal(schema.tables[2]?.foreignKeys[0]?.table, "t (MySQL)");
  const lines = transactions.flatMap(({ name, body }) => [name, ...renderCommand(body)]);
  assert.deepEqual(lines, [
    "One",
    "update t set v = 1 where (t.id = :id)",
    "Two",
    "insert t (MySQL) {id = fresh sequence, v = :v, u = null} on conflict () update v = (t (MySQL).v + 1)",
    "update own set t = (select max(t.id) as max(id) from t (MySQL) t where (t.u > 3))",
  ]);
  assert.deepEqual(
    notes.map(({ code }) => code),
    ["dialect"],
  );
});

test("a file that tells nothing belongs to the others", () => {
  assert.deepEqual(readProgram([MYSQL, PLAIN], {}).dialects, ["mysql"]);
  assert.deepEqual(readProgram([PLAIN], {}).dialects, undefined);
  assert.deepEqual(readProgram([PLAIN], {}, { dialect: "sqlite" }).dialects, ["sqlite"]);
});
