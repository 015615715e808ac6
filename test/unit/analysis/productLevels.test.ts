// Small programs whose verdicts at the levels of InnoDB, SQL Server and others are known from measured outcomes or from
// published tests (Hermitage).
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql } from "../truth/analyse";

const TABLE = "CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);\n";

/** Levels at which the program has an anomaly; `no` those at which it has none. */
function check(
  name: string,
  transactions: Readonly<Record<string, string>>,
  yes: readonly string[],
  no: readonly string[],
): void {
  const scripts = Object.entries(transactions).map(
    ([id, body]) => `-- @transaction ${id}\nBEGIN;\n${body}\nCOMMIT;\n`,
  );
  const files = [sql(TABLE + scripts.join("\n"))];
  for (const [levels, expected] of [
    [yes, "anomaly"],
    [no, "safe"],
  ] as const)
    for (const level of levels)
      test(`${name}: ${expected} at ${level}`, async () => {
        const report = await analyse(files, level, 2);
        assert.equal(report.verdict, expected);
        for (const each of report.anomalies) assert.equal(each.status, "confirmed");
      });
}

const SNAPSHOTS = ["postgres:repeatable-read", "oracle:serializable", "sqlserver:snapshot"];
const SERIALIZABLE = ["mysql:serializable", "sqlserver:serializable", "sqlite:serializable"];
const REFUSING = "mariadb:repeatable-read(snapshot-isolation=on)";

check(
  "read, then write what was read",
  { change: "SELECT v FROM t WHERE id = 1 \\gset\nUPDATE t SET v = :v + 1 WHERE id = 1;" },
  [
    "mysql:read-committed",
    "mysql:repeatable-read",
    "tidb:repeatable-read",
    "oracle:read-committed",
    "sqlserver:read-committed",
  ],
  [REFUSING, "sqlserver:repeatable-read", ...SNAPSHOTS, ...SERIALIZABLE],
);

check(
  "read with a lock, then write",
  {
    change: "SELECT v FROM t WHERE id = 1 FOR UPDATE \\gset\nUPDATE t SET v = :v + 1 WHERE id = 1;",
  },
  [],
  ["mysql:read-committed", "mysql:repeatable-read", "sqlserver:read-committed-snapshot", REFUSING],
);

check(
  "two reads of one row",
  {
    read: "SELECT v FROM t WHERE id = 1;\nSELECT v FROM t WHERE id = 1;",
    write: "UPDATE t SET v = v + 1 WHERE id = 1;",
  },
  ["mysql:read-committed", "sqlserver:read-committed", "cockroach:read-committed"],
  ["mysql:repeatable-read", "tidb:repeatable-read", "sqlserver:repeatable-read", REFUSING],
);

check(
  "a read of the snapshot beside a read of the newest row",
  {
    read: "SELECT v FROM t WHERE id = 1;\nSELECT v FROM t WHERE id = 2 FOR UPDATE;",
    write: "UPDATE t SET v = 7 WHERE id = 1;\nUPDATE t SET v = 7 WHERE id = 2;",
  },
  ["mysql:repeatable-read", "tidb:repeatable-read"],
  [REFUSING, "postgres:repeatable-read", ...SERIALIZABLE],
);

check(
  "an update by a condition against a swap",
  {
    range: "UPDATE t SET v = v + 10 WHERE v >= 5;",
    swap: "UPDATE t SET v = 6 - v WHERE id = 1;\nUPDATE t SET v = 6 - v WHERE id = 2;",
  },
  ["postgres:read-committed", "mysql:read-committed"],
  ["mysql:repeatable-read", "postgres:repeatable-read", ...SERIALIZABLE],
);

check(
  "write skew",
  {
    first: "SELECT v FROM t WHERE id = 1 \\gset\nUPDATE t SET v = :v WHERE id = 2;",
    second: "SELECT v FROM t WHERE id = 2 \\gset\nUPDATE t SET v = :v WHERE id = 1;",
  },
  ["mysql:repeatable-read", REFUSING, ...SNAPSHOTS],
  ["sqlserver:repeatable-read", ...SERIALIZABLE],
);
