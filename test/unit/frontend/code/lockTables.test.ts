// LOCK TABLES of MySQL in code, which keeps others out until UNLOCK TABLES and is not followed.
import assert from "node:assert/strict";
import { it } from "node:test";
import { statementsOf } from "../../../../server/src/service/statements";
import { transactionsOf } from "./codePrograms";

const DDL = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL) ENGINE=InnoDB;";

it("is a statement whose effect is not known, so that nothing behind it is confirmed", async () => {
  const text = `import mysql from "mysql2/promise";
const pool = mysql.createPool("mysql://localhost/db");
export async function add(id: number) {
  const connection = await pool.getConnection();
  await connection.query("LOCK TABLES account WRITE");
  await connection.query("UPDATE account SET balance = balance + 1 WHERE id = ?", [id]);
  await connection.query("UNLOCK TABLES");
  connection.release();
}`;
  const all = await transactionsOf(DDL, { "a.ts": text }, "mysql");
  assert.deepEqual(
    all.flatMap(({ body }) =>
      statementsOf(body).map(({ kind, taint }) => [kind, ...taint.map(({ reason }) => reason)]),
    ),
    [["opaque", "LOCK TABLES, which is not followed"], ["update"]],
  );
});
