// ON DELETE CASCADE and SET NULL are statements of their own where a DELETE chooses its row by a key, and a reason why nothing is
// said elsewhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { Dialect } from "../../../../server/src/program/dialect";
import type { Statement } from "../../../../server/src/program/statement";
import type { FileId } from "../../../../server/src/protocol/source";
import { statementsOf } from "../../../../server/src/service/statements";

const TABLES = `CREATE TABLE a (id int PRIMARY KEY, n int);
CREATE TABLE b (id int PRIMARY KEY, a_id int, FOREIGN KEY (a_id) REFERENCES a (id) ON DELETE CASCADE);
CREATE TABLE c (id int PRIMARY KEY, b_id int, FOREIGN KEY (b_id) REFERENCES b (id) ON DELETE SET NULL);
CREATE TABLE node (id int PRIMARY KEY, up int, FOREIGN KEY (up) REFERENCES node (id) ON DELETE CASCADE);
CREATE TABLE log (id int);
`;

const PG_TRIGGER = `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (1); RETURN OLD; END $$;
CREATE TRIGGER g BEFORE DELETE ON b FOR EACH ROW EXECUTE FUNCTION note();
`;
const MYSQL_TRIGGER = `DELIMITER //
CREATE TRIGGER g BEFORE DELETE ON b FOR EACH ROW INSERT INTO log VALUES (1) //
DELIMITER ;
`;

async function read(dml: string, dialect: Dialect = "postgres", more = ""): Promise<string[]> {
  const text = `${TABLES}${more}-- @transaction t\nBEGIN;\n${dml};\nCOMMIT;\n`;
  const files = [{ file: "a.sql" as FileId, text }];
  const program = readProgram(files, { pg: await loadPgParser() }, { dialect });
  return program.transactions.flatMap(({ body }) => statementsOf(body)).map(shapeOf);
}

function shapeOf(statement: Statement): string {
  switch (statement.kind) {
    case "select":
      return `lock ${statement.query.relations.map(({ table }) => table).join()}`;
    case "update":
      return `update ${statement.relation.table}`;
    case "delete":
      return `delete ${statement.relation.table}${statement.leavesNoChildren ? ", behind its children" : ""}`;
    default:
      return statement.kind === "insert" ? `insert ${statement.table}` : statement.kind;
  }
}

test("a row that is chosen by its key is locked, then what refers to it changes, then it goes", async () => {
  for (const dialect of ["postgres", "mariadb"] as const) {
    assert.deepEqual(await read("DELETE FROM b WHERE id = 1", dialect), [
      ...["lock b", "update c", "delete b, behind its children"],
    ]);
    assert.deepEqual(await read("DELETE FROM a WHERE id = 1", dialect), [
      ...["lock a", "lock b", "update c"],
      ...["delete b, behind its children", "delete a, behind its children"],
    ]);
  }
});

test("rows that no key chooses, and tables that refer to themselves, are not followed", async () => {
  assert.deepEqual(await read("DELETE FROM b WHERE a_id = 1"), ["delete b"]);
  assert.deepEqual(await read("DELETE FROM node WHERE id = 1"), ["delete node"]);
  assert.deepEqual(await read("DELETE FROM c WHERE id = 1"), ["delete c"]);
});

test("what a foreign key deletes fires the triggers of PostgreSQL, and none of MySQL", async () => {
  const dml = "DELETE FROM a WHERE id = 1";
  assert.ok((await read(dml, "postgres", PG_TRIGGER)).includes("insert log"));
  assert.ok(!(await read(dml, "mariadb", MYSQL_TRIGGER)).includes("insert log"));
  assert.ok(
    (await read("DELETE FROM b WHERE id = 1", "mariadb", MYSQL_TRIGGER)).includes("insert log"),
  );
});
