// A function of the program that has the name of a built-in one is called where PostgreSQL calls it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "./analyse";

const program = (name: string, types: string, args: string): string => `
CREATE TABLE acc (id int PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION ${name}(${types}) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT acc.n INTO v FROM acc WHERE acc.id = k;
  RETURN v;
END $$;
CREATE FUNCTION take(key int, more int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  v := ${name}(${args});
  UPDATE acc SET n = v - 1 WHERE id = key;
END $$;`;

async function found(text: string): Promise<readonly string[]> {
  const report = await analyse([sql(text)], "postgres:read-committed", 2);
  return verdicts(report).filter((each) => each.startsWith("take+take"));
}

const MEANT = [
  ["lower", "k int", "key"],
  ["now", "k int", "key"],
  ["count", "k int, m int", "key, more"],
  ["random", "k int", "key"],
  ["md5", "k int", "key"],
  ["max", "k int, m int", "key, more"],
  ["generate_series", "k int", "key"],
  ["version", "k int", "key"],
  ["text", "k int", "key"],
  ["public.lower", "k int", "key"],
] as const;

for (const [name, types, args] of MEANT)
  test(`${name}(${types}) is the program's own`, async () => {
    assert.deepEqual(await found(program(name, types, args)), ["take+take state"]);
  });

test("a function that takes what a built-in one takes is not what the bare name stands for", async () => {
  const hidden = program("abs", "k int", "key");
  assert.deepEqual(await found(hidden), []);
  assert.deepEqual(await found(hidden.replace("v := abs", "v := public.abs")), ["take+take state"]);
  const inSchema = hidden.replaceAll("abs", "public.abs");
  assert.deepEqual(await found(inSchema), ["take+take state"]);
});

test("arguments of another type call the built-in one", async () => {
  const text = program("lower", "k int", "'TEXT'").replace(
    "v := lower('TEXT')",
    "v := length(lower('TEXT'))",
  );
  assert.deepEqual(await found(text), []);
});
