// A transaction that ends without COMMIT or ROLLBACK: its writes may never take place, so that nothing of it is confirmed or safe.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { Dialect } from "../../../../server/src/program/dialect";
import type { FileId } from "../../../../server/src/protocol/source";

const TABLE = "CREATE TABLE acc (id int PRIMARY KEY, v int NOT NULL);\n";
const LOSS =
  "approx: the transaction ends without COMMIT or ROLLBACK, so that the session keeps it or undoes it";

async function losses(text: string, dialect: Dialect): Promise<readonly string[]> {
  const files = [{ file: "a.sql" as FileId, text: TABLE + text }];
  const { transactions } = readProgram(files, { pg: await loadPgParser() }, { dialect });
  assert.equal(transactions.length, 1);
  return transactions.flatMap(({ taint }) => taint.map((each) => `${each.effect}: ${each.reason}`));
}

test("a script or a procedure that begins a transaction and does not end it is not followed", async () => {
  const update = "UPDATE acc SET v = v + 1 WHERE id = 1;";
  const procedure = (body: string): string =>
    `DELIMITER //\nCREATE PROCEDURE p() BEGIN START TRANSACTION; ${body} END //\nDELIMITER ;\n`;
  assert.deepEqual(await losses(`BEGIN;\n${update}\n`, "postgres"), [LOSS]);
  assert.deepEqual(await losses(`START TRANSACTION;\n${update}\n`, "mariadb"), [LOSS]);
  assert.deepEqual(await losses(procedure(update), "mariadb"), [LOSS]);
  for (const end of ["COMMIT;", "ROLLBACK;"])
    assert.deepEqual(await losses(`BEGIN;\n${update}\n${end}\n`, "postgres"), []);
  assert.deepEqual(await losses(procedure(`${update} COMMIT;`), "mariadb"), []);
});
