// Numbers of sequences are new, in no order: a verdict about a program that orders by them says that it rests on this.
import assert from "node:assert/strict";
import { it } from "node:test";
import { analyse, sql } from "./analyse";

const TABLES = `
CREATE TABLE a (id serial PRIMARY KEY, q int NOT NULL UNIQUE);
CREATE TABLE b (id serial PRIMARY KEY, q int NOT NULL UNIQUE);
CREATE TABLE c (id int PRIMARY KEY, n int NOT NULL);`;

const LEVEL = "postgres:serializable";

const BEGINS = `
-- @transaction f
BEGIN;
INSERT INTO a (q) VALUES (:q);
INSERT INTO b (q) VALUES (:q);
`;

async function assumed(rest: string): Promise<readonly string[]> {
  const report = await analyse([sql(`${TABLES}${BEGINS}${rest}\nCOMMIT;`)], LEVEL, 2);
  assert.equal(report.verdict, "safe");
  return report.assumptions.map(({ kind, text }) => `${kind}: ${text}`);
}

const SAID = [
  "sequences: f may meet numbers of sequences in any order, whichever row commits first",
];

// PostgreSQL 15 and 18 let the numbers of two tables cross at SERIALIZABLE, so that the condition holds.
for (const rest of [
  "UPDATE c SET n = n + 1 WHERE id = 1 AND (SELECT a.id FROM a WHERE a.q = :q) < (SELECT b.id FROM b WHERE b.q = :q);",
  "UPDATE c SET n = (SELECT max(id) FROM a) WHERE id = 1;",
  "UPDATE c SET n = (SELECT q FROM a ORDER BY id LIMIT 1) WHERE id = 1;",
  "DELETE FROM c USING a WHERE a.id > c.n;",
])
  it(`is said of ${rest}`, async () => {
    assert.deepEqual(await assumed(rest), SAID);
  });

it("is not said where nothing asks for their order", async () => {
  assert.deepEqual(await assumed(""), []);
  assert.deepEqual(await assumed("UPDATE c SET n = 1 WHERE id = (SELECT id FROM a WHERE q = :q);"), []); // prettier-ignore
  assert.deepEqual(await assumed("UPDATE c SET n = (SELECT max(n) FROM c) WHERE id = 1;"), []);
});
