// Numbers of sequences are new, in no order: a verdict about a program that orders by them says that it rests on this.
import assert from "node:assert/strict";
import { it } from "node:test";
import { analyse, sql } from "./analyse";

const TABLES = `
CREATE TABLE a (id serial PRIMARY KEY, q int NOT NULL UNIQUE);
CREATE TABLE b (id serial PRIMARY KEY, q int NOT NULL UNIQUE);
CREATE TABLE c (id int PRIMARY KEY, n int NOT NULL);`;

const LEVEL = "postgres:serializable";

const ONE = "INSERT INTO a (q) VALUES (:q);";
const TWO = `${ONE}\nINSERT INTO b (q) VALUES (:q);`;

async function assumed(rest: string, first = TWO): Promise<readonly string[]> {
  const text = `${TABLES}\n-- @transaction f\nBEGIN;\n${first}\n${rest}\nCOMMIT;`;
  const report = await analyse([sql(text)], LEVEL, 2);
  assert.equal(report.verdict, "safe");
  return report.assumptions.map(({ kind, text }) => `${kind}: ${text}`);
}

const ANY = "sequences: f may meet numbers of sequences in any order, whichever row commits first";
const SEVERAL =
  "sequences: f may get a smaller number of one sequence and a larger one of the next than who runs beside it";

// PostgreSQL 15 and 18 let the numbers of two tables cross at SERIALIZABLE, so that the condition holds.
for (const rest of [
  "UPDATE c SET n = n + 1 WHERE id = 1 AND (SELECT a.id FROM a WHERE a.q = :q) < (SELECT b.id FROM b WHERE b.q = :q);",
  "UPDATE c SET n = (SELECT max(id) FROM a) WHERE id = 1;",
  "UPDATE c SET n = (SELECT q FROM a ORDER BY id LIMIT 1) WHERE id = 1;",
  "DELETE FROM c USING a WHERE a.id > c.n;",
])
  it(`is said of ${rest}`, async () => {
    assert.deepEqual(await assumed(rest), [ANY, SEVERAL]);
  });

// PostgreSQL and MariaDB let the numbers of two tables, or two numbers of one, cross at every level.
for (const several of [
  TWO,
  `${ONE}\nINSERT INTO a (q) VALUES (:p);`,
  "INSERT INTO a (q) VALUES (:q), (:p);",
  "INSERT INTO a (q) SELECT n FROM c WHERE id = :q;",
])
  it(`several numbers are named: ${several}`, async () => {
    assert.deepEqual(await assumed("", several), [SEVERAL]);
  });

it("is not said where one number is asked for, and not for its order", async () => {
  assert.deepEqual(await assumed("", ONE), []);
  assert.deepEqual(await assumed("UPDATE c SET n = 1 WHERE id = (SELECT id FROM a WHERE q = :q);", ONE), []); // prettier-ignore
  assert.deepEqual(await assumed("UPDATE c SET n = (SELECT max(n) FROM c) WHERE id = 1;", ONE), []);
});
