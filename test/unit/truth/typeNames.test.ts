// A table, domain or enumeration that has the name of a built-in type hides nothing: pg_catalog's types come first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "./analyse";

const WATCHES = `
CREATE TABLE watch (holder int, title text, PRIMARY KEY (holder, title));
CREATE TABLE holder (id int PRIMARY KEY, touched int NOT NULL);
CREATE FUNCTION add_watch(u int, title text, at int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE wanted text := title; "name" varchar; day date;
BEGIN
  INSERT INTO watch VALUES (u, wanted);
  UPDATE holder SET touched = at WHERE id = u;
END $$;
CREATE FUNCTION remove_watch(u int, title text, at int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM watch WHERE watch.holder = u AND watch.title = remove_watch.title;
  UPDATE holder SET touched = at WHERE id = u;
END $$;`;

async function found(text: string): Promise<readonly string[]> {
  const report = await analyse([sql(text)], "postgres:read-committed", 2);
  assert.deepEqual(report.unknown, [], text);
  return verdicts(report);
}

const BUILT_IN = ["text", "date", "varchar", "int4", "name", "point", "record", "money"];
const WORDS = ["integer", "real", "boolean", "double", "character", "bigint"];

test("a table with the name of a type changes no verdict", async () => {
  const expected = await found(WATCHES);
  assert.deepEqual(expected, ["add_watch+remove_watch state"]);
  for (const name of [...BUILT_IN, ...WORDS])
    assert.deepEqual(
      await found(`CREATE TABLE "${name}" (id int PRIMARY KEY, old text);${WATCHES}`),
      expected,
      name,
    );
});

test("a domain or enumeration with the name of a type of pg_catalog is not what that name stands for", async () => {
  const expected = await found(WATCHES);
  for (const name of BUILT_IN) {
    const domain = `CREATE DOMAIN public."${name}" AS int CHECK (VALUE > 5);`;
    assert.deepEqual(await found(domain + WATCHES), expected, domain);
    const labels = `CREATE TYPE public."${name}" AS ENUM ('a');`;
    assert.deepEqual(await found(labels + WATCHES), expected, labels);
  }
});

const counting = (table: string, type: string): string => `
CREATE TABLE ${table} (id int PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION add(k int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE r ${type};
BEGIN
  SELECT * INTO r FROM ${table} WHERE id = k;
  UPDATE ${table} SET n = r.n + 1 WHERE id = k;
END $$;`;

test("a row type is a table's where nothing built in has its name, where its schema is written, and with %ROWTYPE", async () => {
  const pairs = [
    ["counter", "counter"],
    ["counter", "public.counter"],
    ['"Counter"', '"Counter"'],
    ["public.text", "public.text"],
    ["public.text", "public.text%ROWTYPE"],
    ['public."date"', '"date"%ROWTYPE'],
    ['"integer"', '"integer"'],
    ['"int[]"', '"int[]"'],
  ] as const;
  for (const [table, type] of pairs)
    assert.deepEqual(await found(counting(table, type)), ["add+add state"], `${table} ${type}`);
});

test("types that differ in case are two", async () => {
  const text = `CREATE TYPE "Mood" AS ENUM ('calm', 'wild', 'odd');
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE TABLE person (id int PRIMARY KEY, feels "Mood" NOT NULL);
CREATE FUNCTION feel(k int, v "Mood") RETURNS void LANGUAGE plpgsql AS $$
DECLARE was "Mood";
BEGIN
  SELECT feels INTO was FROM person WHERE id = k;
  IF was <> v THEN UPDATE person SET feels = v WHERE id = k; END IF;
END $$;`;
  const report = await analyse([sql(text)], "postgres:read-committed", 2);
  for (const anomaly of report.anomalies)
    for (const row of anomaly.witness.initial["person"] ?? [])
      assert.ok(["calm", "wild", "odd"].includes(String(row["feels"])), JSON.stringify(row));
});
