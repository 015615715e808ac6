// Subqueries read the statement's snapshot once, whatever the statement around them waits for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "./analyse";

test("one of several rows, chosen by a subquery, is taken twice", async () => {
  for (const key of ["", " PRIMARY KEY"]) {
    const text = `
CREATE TABLE jobs (id integer${key}, kind integer NOT NULL);
CREATE FUNCTION take(k integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE taken integer;
BEGIN
  DELETE FROM jobs WHERE id = (SELECT id FROM jobs WHERE kind = k LIMIT 1) RETURNING id INTO taken;
  RETURN taken;
END $$;`;
    const report = await analyse([sql(text)], "postgres:read-committed", 2);
    assert.deepEqual(verdicts(report), ["take+take state"]);
    assert.deepEqual(report.unknown, []);
  }
});

test("equal texts give equal answers", async () => {
  const text = `
CREATE TABLE person (id integer PRIMARY KEY, name text NOT NULL, n integer NOT NULL);
CREATE FUNCTION add(k integer, pattern text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x integer; own text;
BEGIN
  SELECT n, name INTO x, own FROM person WHERE id = k;
  IF lower(own) = lower(pattern) AND NOT own LIKE pattern || '%' THEN
    UPDATE person SET n = x + 1 WHERE id = k;
  END IF;
END $$;
CREATE FUNCTION never(k integer, pattern text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x integer; own text;
BEGIN
  SELECT n, name INTO x, own FROM person WHERE id = k;
  IF own LIKE pattern AND NOT own LIKE pattern THEN
    UPDATE person SET n = x + 1 WHERE id = k;
  END IF;
END $$;`;
  const report = await analyse([sql(text)], "postgres:read-committed", 2);
  assert.ok(verdicts(report).every((each) => !each.includes("never")));
  const safe = await analyse([sql(text)], "postgres:repeatable-read", 2);
  assert.equal(safe.verdict, "safe");
});
