// LOAD DATA LOCAL of MySQL: the client sends the file, in the form that the statement says.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import mysql from "mysql2/promise";
import { openStore } from "../../../server/src/mock/openStore";

/** Rows of the table when a file was loaded, and what the client was told. */
async function loaded(form: string, pieces: readonly string[]): Promise<readonly unknown[]> {
  const store = await openStore({
    protocol: "mysql",
    level: "mysql:repeatable-read",
    schema:
      "CREATE TABLE t (id int PRIMARY KEY, s varchar(20), n int); INSERT INTO t VALUES (9, 'old', 9)",
  });
  const client = await mysql.createConnection(store.url);
  try {
    const [told] = await client.query({
      sql: `LOAD DATA LOCAL INFILE 'rows' ${form}`,
      infileStreamFactory: () => Readable.from(pieces.map((each) => Buffer.from(each))),
    });
    const [rows] = await client.query({ sql: "SELECT * FROM t ORDER BY id", rowsAsArray: true });
    return ["affectedRows" in told && told.affectedRows, rows];
  } finally {
    await client.end();
    await store.close();
  }
}

test("fields end with tabs and lines with line feeds; \\N is NULL", async () => {
  const told = await loaded("INTO TABLE t", ["1\ta\\tb\t\\N\n2", "\tc\\\\\t5\n"]);
  const rows = [
    [1, "a\tb", null],
    [2, "c\\", 5],
    [9, "old", 9],
  ];
  assert.deepEqual(told, [2, rows]);
});

test("quoted fields, other ends, lines at the start and columns of one's own", async () => {
  const form = `INTO TABLE t FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' LINES TERMINATED BY '\\r\\n' IGNORE 1 LINES (n, id, s)`;
  const told = await loaded(form, ['n,id,s\r\n5,1,"a ""b"", c"\r\nNULL,2,d']);
  const rows = [
    [1, 'a "b", c', 5],
    [2, "d", null],
    [9, "old", 9],
  ];
  assert.deepEqual(told, [2, rows]);
});

for (const [word, affected, kept] of [
  ["", 0, "old"],
  ["REPLACE", 2, "new"],
] as const)
  test(`a row that repeats a key is ${word === "" ? "left out" : "put in its place"}`, async () => {
    const told = await loaded(`${word} INTO TABLE t`, ["9\tnew\t9\n"]);
    assert.deepEqual(told, [affected, [[9, kept, 9]]]);
  });

test("what is not followed is refused by name, and asks the client for nothing", async () => {
  await assert.rejects(loaded("INTO TABLE t (id, @s) SET s = @s", ["1\t2\n"]), { errno: 1235 });
  await assert.rejects(loaded("INTO TABLE nowhere", ["1\t2\n"]), { errno: 1146 });
});
