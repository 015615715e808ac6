// Names decide nothing: a column, a table, a variable may have any name that the language allows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "./analyse";

/** Names that every object of JavaScript has, that some answer to, and of which names are seldom made. */
const NAMES = [
  ...Object.getOwnPropertyNames(Object.prototype),
  ...["then", "prototype", "length", "toJSON", "name"],
  ...["1", "0", "a.b", "a b", "it's", 'say ""so""', "a/b", "%2F", "a[1]", "m.length", "-- x"],
  ...["größe", "数量", "😀", "x".repeat(63)],
];

const withdraw = (table: string, column: string, variable: string): string => `
CREATE TABLE "${table}" (id int PRIMARY KEY, "${column}" int NOT NULL);
CREATE FUNCTION w(a int, m int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE "${variable}" int;
BEGIN
  SELECT t."${column}" INTO "${variable}" FROM "${table}" t WHERE t.id = a;
  IF "${variable}" >= m THEN UPDATE "${table}" SET "${column}" = "${variable}" - m WHERE id = a; END IF;
END $$;`;

async function found(text: string): Promise<readonly string[]> {
  const report = await analyse([sql(text)], "postgres:read-committed", 2);
  for (const anomaly of report.anomalies) assert.equal(anomaly.status, "confirmed", anomaly.reason);
  return verdicts(report);
}

for (const [what, program] of [
  ["column", (name: string) => withdraw("t", name, "b")],
  ["table", (name: string) => withdraw(name, "balance", "b")],
  ["variable", (name: string) => withdraw("t", "balance", name)],
] as const)
  test(`a lost update is found whatever its ${what} is called`, async () => {
    for (const name of NAMES) assert.deepEqual(await found(program(name)), ["w+w state"], name);
  });
