// Statements that fire a trigger of MySQL are not exact, since triggers are not read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { FileId } from "../../../../server/src/protocol/source";
import { statementsOf } from "../../../../server/src/service/statements";

const statements = (
  dml: string,
): string => `CREATE TABLE acc (id int PRIMARY KEY, v int NOT NULL) ENGINE=InnoDB;
CREATE TABLE other (id int PRIMARY KEY, v int NOT NULL) ENGINE=InnoDB;
DELIMITER //
CREATE TRIGGER bounded BEFORE UPDATE ON acc FOR EACH ROW BEGIN SET NEW.v = 5; END //
CREATE TRIGGER noted AFTER INSERT ON \`acc\` FOR EACH ROW INSERT INTO other VALUES (1, 1) //
CREATE PROCEDURE p() BEGIN ${dml}; END //
DELIMITER ;
`;

async function losses(dml: string): Promise<readonly string[]> {
  const program = readProgram([{ file: "a.sql" as FileId, text: statements(dml) }], {
    pg: await loadPgParser(),
  });
  const all = program.transactions.flatMap(({ body }) => statementsOf(body));
  assert.ok(all.length > 0);
  return all.flatMap(({ taint }) => taint.map(({ effect, reason }) => `${effect}: ${reason}`));
}

test("a statement that fires a trigger which is not read has a loss that names it", async () => {
  const bounded = "approx: the trigger bounded, which is not analysed";
  const noted = "approx: the trigger noted, which is not analysed";
  assert.deepEqual(await losses("UPDATE acc SET v = 1 WHERE id = 1"), [bounded]);
  assert.deepEqual(await losses("INSERT INTO acc VALUES (1, 1)"), [noted]);
  assert.deepEqual(
    (await losses("INSERT INTO acc VALUES (1, 1) ON DUPLICATE KEY UPDATE v = v + 1")).toSorted(),
    [bounded, noted],
  );
});

test("other events, and statements on other tables, are as they were", async () => {
  for (const dml of [
    "DELETE FROM acc WHERE id = 1",
    "SELECT v FROM acc WHERE id = 1",
    "UPDATE other SET v = 1 WHERE id = 1",
    "INSERT INTO other VALUES (1, 1)",
  ])
    assert.deepEqual(await losses(dml), [], dml);
});
