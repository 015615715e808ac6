// Arrays among the arguments: elements, lengths, FOREACH; what a loop over them does is found and executed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "./analyse";

const SCHEMA = "CREATE TABLE stock (id int PRIMARY KEY, quantity int NOT NULL);\n";

const routine = (name: string, body: string): string => `${SCHEMA}
CREATE FUNCTION ${name}(ids int[], amounts int[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE q int; i int;
BEGIN
${body}
END $$;`;

async function check(text: string, level: string, expected: readonly string[]): Promise<void> {
  const report = await analyse([sql(text)], level, 2);
  assert.deepEqual(verdicts(report), expected);
  for (const anomaly of report.anomalies) assert.equal(anomaly.status, "confirmed", anomaly.reason);
}

const ORDER = `FOR n IN 1 .. array_length(ids, 1) LOOP
  SELECT quantity INTO q FROM stock WHERE id = ids[n];
  UPDATE stock SET quantity = q - amounts[n] WHERE id = ids[n];
END LOOP;`;

test("a loop over the indexes of an array", async () => {
  await check(routine("buy", ORDER), "postgres:read-committed", ["buy+buy state"]);
  await check(routine("buy", ORDER), "postgres:repeatable-read", []);
  await check(routine("buy", ORDER), "read-atomic", ["buy+buy state"]);
});

test("FOREACH over an array", async () => {
  const body = `FOREACH i IN ARRAY ids LOOP
    SELECT quantity INTO q FROM stock WHERE id = i;
    UPDATE stock SET quantity = q + 1 WHERE id = i;
  END LOOP;`;
  await check(routine("add", body), "postgres:read-committed", ["add+add state"]);
});

test("updates in place of elements lose nothing", async () => {
  const body = "UPDATE stock SET quantity = quantity - amounts[1] WHERE id = ids[1];";
  await check(routine("take", body), "postgres:read-committed", []);
});

test("a witness names elements and lengths", async () => {
  const report = await analyse([sql(routine("buy", ORDER))], "postgres:read-committed", 2);
  const [first] = report.anomalies[0]?.witness.instances ?? [];
  assert.deepEqual(Object.keys(first?.arguments ?? {}).sort(), [
    "amounts.length",
    "amounts[1]",
    "ids.length",
    "ids[1]",
  ]);
});

const LISTS = (second: string): string => `${SCHEMA}
-- @transaction Take
BEGIN;
SELECT quantity FROM stock WHERE id = ANY(@ids::int[]) \\gset
UPDATE stock SET quantity = :quantity - 1 WHERE ${second};
COMMIT;`;

test("an argument of a script that is nothing but a list has two items", async () => {
  await check(LISTS("id = ANY(@ids::int[])"), "postgres:read-committed", ["Take+Take state"]);
  await check(LISTS("id <> ALL(@others)"), "postgres:read-committed", ["Take+Take state"]);
});

test("a list that is asked as a whole as well stays one", async () => {
  const whole = LISTS("@ids IS NULL OR id = ANY(@ids)");
  const report = await analyse([sql(whole)], "postgres:read-committed", 2);
  assert.notDeepEqual(report.unknown, []);
});
