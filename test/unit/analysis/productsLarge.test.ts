// Anomalies of three and four transactions at products' levels, and programs that have none however many take part.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "../truth/analyse";

const TABLE = "CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);\n";

function scripts(transactions: Readonly<Record<string, string>>): string {
  return Object.entries(transactions)
    .map(([id, body]) => `-- @transaction ${id}\nBEGIN;\n${body}\nCOMMIT;\n`)
    .join("\n");
}

/** The transactions of each anomaly with its severity, by how many take part at the most. */
function check(
  name: string,
  text: string,
  level: string,
  expected: Readonly<Record<number, readonly string[]>>,
): void {
  for (const [most, anomalies] of Object.entries(expected))
    test(`${name}: up to ${most} at ${level}`, async () => {
      const report = await analyse([sql(TABLE + text)], level, Number(most));
      assert.deepEqual(verdicts(report), anomalies);
      for (const each of report.anomalies) assert.equal(each.status, "confirmed");
      assert.equal(report.verdict, anomalies.length > 0 ? "anomaly" : "safe");
      assert.deepEqual(report.rests, { bound: Number(most) });
    });
}

// look sees what copy did but not what sum did, copy saw what change did, and sum did not.
const RING = scripts({
  change: "UPDATE t SET v = v + 1 WHERE id = 1;",
  copy: "SELECT v AS a FROM t WHERE id = 1 \\gset\nUPDATE t SET v = :a WHERE id = 2;",
  look: "SELECT v FROM t WHERE id = 2;\nSELECT v FROM t WHERE id = 3;",
  sum: "SELECT v AS a FROM t WHERE id = 1 \\gset\nUPDATE t SET v = v + :a WHERE id = 3;",
});
check("a reader behind two writers", RING, "pg:rr", {
  3: [],
  4: ["change+copy+look+sum value"],
});
check("a reader behind two writers", RING, "pg:ser", { 4: [] });

// The version check of the other one fails: it takes itself back.
const VERSIONED = `
CREATE FUNCTION change(item integer, seen integer) RETURNS void AS $$
BEGIN
  UPDATE t SET v = seen + 1 WHERE id = item AND v = seen;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'changed meanwhile';
  END IF;
END $$ LANGUAGE plpgsql;
`;
for (const level of ["pg:rc", "pg:rr", "mysql:rr"])
  check("a version check", VERSIONED, level, { 4: [] });

const COUNTERS = scripts({ up: "UPDATE t SET v = v + 1 WHERE id = :item;" });
for (const level of ["pg:rc", "pg:rr", "mysql:rr", "mysql:rc"])
  check("additions", COUNTERS, level, { 4: [] });

// One writer adds, one sets what it has read: of pairs the second loses the first's; nothing larger is told beside that.
const MIXED = scripts({
  add: "UPDATE t SET v = v + 1 WHERE id = 1;",
  set: "SELECT v AS a FROM t WHERE id = 1 \\gset\nUPDATE t SET v = :a + 1 WHERE id = 1;",
});
check("additions and a change of what was read", MIXED, "pg:rc", {
  2: ["add+set state", "set+set state"],
  4: ["add+set state", "set+set state"],
});

// set waits for the row that swap holds since before change committed, and has read the other one before that.
const HELD = scripts({
  change: "UPDATE t SET v = v + 1 WHERE id = 2;",
  swap: `SELECT v FROM t WHERE id = 1 FOR UPDATE;
SELECT v AS b FROM t WHERE id = 2 \\gset
UPDATE t SET v = :b WHERE id = 1;`,
  set: "UPDATE t SET v = (SELECT v FROM t WHERE id = 2) WHERE id = 1;",
});
check("a row held since before another commit", HELD, "pg:rc", {
  2: [],
  3: ["change+set+swap value"],
});
