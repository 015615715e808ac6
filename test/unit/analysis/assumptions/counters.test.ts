// Which counters are seen in the text of a program, before anyone asks whether they are kept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { counterCandidates } from "../../../../server/src/analysis/assumptions/counters";
import { flattenProgram } from "../../../../server/src/analysis/operations/flatten";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { FileId } from "../../../../server/src/protocol/source";

const parsers = loadPgParser().then((pg) => ({ pg }));

/** The strongest candidate of each group, for a routine `f(d int, c int)` with variables n and m. */
async function check(body: string, ...expected: readonly string[]): Promise<void> {
  const text = `
CREATE TABLE district (d_id int PRIMARY KEY, next int NOT NULL, tax int NOT NULL);
CREATE TABLE orders (d_id int, o_id int, c_id int, PRIMARY KEY (d_id, o_id));
CREATE FUNCTION f(d int, c int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int; m int;
BEGIN ${body} END $$;`;
  const program = readProgram([{ file: "a.sql" as FileId, text }], await parsers);
  const flat = flattenProgram(program, { unroll: 1 });
  const texts = counterCandidates(flat).map(([first]) => first?.text);
  assert.deepEqual(texts, expected, body);
}

const BELOW = "orders.o_id < district.next where orders.d_id = district.d_id";

test("an id that is read from a row which is moved up", async () => {
  await check(
    `SELECT next INTO n FROM district WHERE d_id = d;
     UPDATE district SET next = n + 1 WHERE d_id = d; INSERT INTO orders VALUES (d, n, c);`,
    BELOW,
  );
  await check(
    `SELECT next INTO n FROM district WHERE d_id = d FOR UPDATE;
     UPDATE district SET next = next + 1 WHERE d_id = d; INSERT INTO orders VALUES (d, n + 1, c);`,
    BELOW,
  );
});

test("an id that RETURNING gives", async () => {
  await check(
    `UPDATE district SET next = next + 1 WHERE d_id = d RETURNING next INTO n;
     INSERT INTO orders VALUES (d, n, c);`,
    BELOW,
  );
  await check(
    `UPDATE district SET next = next + 2 WHERE d_id = d RETURNING next - 2 INTO n;
     INSERT INTO orders VALUES (d, n - 1, c);`,
    BELOW,
  );
});

test("a counter in a row of its own", async () => {
  await check(
    `UPDATE district SET next = next + 1 WHERE d_id = 1 RETURNING next INTO n;
     INSERT INTO orders VALUES (d, n, c);`,
    "orders.o_id < district.next where 1 = district.d_id",
  );
});

test("no counter", async () => {
  // Moved down, set, not moved, another column, another row, rows that nothing joins.
  await check(
    `UPDATE district SET next = next - 1 WHERE d_id = d RETURNING next INTO n;
     INSERT INTO orders VALUES (d, n, c);`,
  );
  await check(
    `SELECT next INTO n FROM district WHERE d_id = d;
     UPDATE district SET next = c WHERE d_id = d; INSERT INTO orders VALUES (d, n, c);`,
  );
  await check(
    "SELECT next INTO n FROM district WHERE d_id = d; INSERT INTO orders VALUES (d, n, c);",
  );
  await check(
    `SELECT tax INTO n FROM district WHERE d_id = d;
     UPDATE district SET next = next + 1 WHERE d_id = d; INSERT INTO orders VALUES (d, n, c);`,
  );
  await check(
    `SELECT next INTO n FROM district WHERE d_id = c;
     UPDATE district SET next = next + 1 WHERE d_id = d; INSERT INTO orders VALUES (d, n, c);`,
  );
  await check(
    `UPDATE district SET next = next + 1 WHERE d_id = d RETURNING next INTO n;
     INSERT INTO orders VALUES (7, n, 8);`,
  );
});
