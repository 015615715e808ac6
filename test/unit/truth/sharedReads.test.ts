// The reads of a change of MySQL and MariaDB beside the rows that it changes: measured on MariaDB 10.11 for each row of
// this table, by a reader of that kind beside a writer of the row that it reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql } from "./analyse";

const TABLES = `-- @isolens dialect mariadb
create table acc (id int primary key, v int not null) engine=innodb;
create table tot (id int primary key, v int not null) engine=innodb;
create table oth (id int primary key, s int not null) engine=innodb;
create table kin (id int primary key, s int not null) engine=innodb;
`;

type Told = "anomaly" | "safe" | "unknown";
/** A statement that reads the row 1 of a table, and what two of them let through, each before a change of the other's. */
interface Kind {
  readonly name: string;
  readonly read: (row: string) => string;
  readonly told: { readonly "read-committed": Told; readonly "repeatable-read": Told };
}

const LOCKED = { "read-committed": "safe", "repeatable-read": "safe" } as const;
const FROM_REPEATABLE = { "read-committed": "anomaly", "repeatable-read": "safe" } as const;

const OWN = (from: string): string => `EXISTS (SELECT 1 FROM ${from} o WHERE o.id = :k)`;
const JOINED = "oth JOIN kin ON kin.id = oth.id";

const KINDS: readonly Kind[] = [
  ...[
    (row: string) => `INSERT INTO oth VALUES (:k, (SELECT v FROM ${row}))`,
    (row: string) => `INSERT INTO oth SET id = :k, s = 1 + COALESCE((SELECT v FROM ${row}), 0)`,
    (row: string) => `INSERT INTO oth VALUES (:k, (SELECT d.v FROM (SELECT v FROM ${row}) d))`,
    (row: string) =>
      `INSERT INTO oth VALUES (:k, 1) ON DUPLICATE KEY UPDATE s = (SELECT v FROM ${row})`,
    (row: string) => `REPLACE INTO oth VALUES (:k, (SELECT v FROM ${row}))`,
    (row: string) => `DELETE FROM oth WHERE id = :k AND s < (SELECT v FROM ${row})`,
    (row: string) =>
      `DELETE oth FROM ${JOINED} WHERE oth.id = :k AND oth.s < (SELECT v FROM ${row})`,
    (row: string) => `UPDATE ${JOINED} SET oth.s = (SELECT v FROM ${row}) WHERE oth.id = :k`,
    (row: string) => `UPDATE oth JOIN (SELECT v FROM ${row}) d SET oth.s = d.v WHERE oth.id = :k`,
    // An UPDATE that asks about its own table is one of several tables.
    (row: string) => `UPDATE oth SET s = (SELECT v FROM ${row}) WHERE id = :k AND ${OWN("oth")}`,
    (row: string) =>
      `UPDATE oth SET s = (SELECT v FROM ${row}) WHERE id = :k AND ${OWN("(SELECT id FROM oth)")}`,
  ].map((read): Kind => ({ name: `${read("acc")} locks`, read, told: LOCKED })),
  ...[
    (row: string) => `INSERT INTO oth SELECT :k, v FROM ${row}`,
    (row: string) => `UPDATE oth SET s = (SELECT v FROM ${row}) WHERE id = :k`,
    (row: string) =>
      `UPDATE oth SET s = (SELECT v FROM ${row}) WHERE id = :k AND ${OWN("(SELECT DISTINCT id FROM oth)")}`,
  ].map((read): Kind => ({
    name: `${read("acc")} locks from REPEATABLE READ on`,
    read,
    told: FROM_REPEATABLE,
  })),
];

/** Each reads the row that the other one changes behind it. */
function crossed(read: Kind["read"]): string {
  const half = (name: string, from: string, to: string): string =>
    `-- @transaction ${name}\nBEGIN;\n${read(`${from} WHERE ${from}.id = 1`)};\n` +
    `UPDATE ${to} SET v = v + 1 WHERE id = 1;\nCOMMIT;\n`;
  return `${TABLES}${half("a", "acc", "tot")}${half("b", "tot", "acc")}`;
}

/** The same in procedures. */
function inProcedures(read: Kind["read"]): string {
  const half = (name: string, from: string, to: string): string =>
    `create procedure ${name}(in k int)\nbegin\n  start transaction;\n` +
    `  ${read(`${from} WHERE ${from}.id = 1`).replaceAll(":k", "k")};\n` +
    `  update ${to} set v = v + 1 where id = 1;\n  commit;\nend //\n`;
  return `${TABLES}DELIMITER //\n${half("a", "acc", "tot")}${half("b", "tot", "acc")}DELIMITER ;\n`;
}

/** The same, where a change of two tables reads the row of the one to change the other. */
function joined(change: (from: string) => string): string {
  const half = (name: string, from: string, to: string): string =>
    `-- @transaction ${name}\nBEGIN;\n${change(from)};\n` +
    `UPDATE ${to} SET v = v + 1 WHERE id = 1;\nCOMMIT;\n`;
  return `${TABLES}${half("a", "acc", "tot")}${half("b", "tot", "acc")}`;
}

/** Each asks for a row that is not there, and the other one inserts it. */
function absent(read: Kind["read"]): string {
  const half = (name: string, from: string, to: string): string =>
    `-- @transaction ${name}\nBEGIN;\n${read(`${from} WHERE ${from}.id = 5`)};\n` +
    `INSERT INTO ${to} VALUES (5, 1);\nCOMMIT;\n`;
  return `${TABLES}${half("a", "acc", "tot")}${half("b", "tot", "acc")}`;
}

async function checked(text: string, level: string, expected: Told): Promise<void> {
  const report = await analyse([sql(text)], `mariadb:${level}`, 2);
  const told = [
    ...report.anomalies.map(({ kind }) => kind),
    ...report.unknown.map(({ reason }) => reason),
  ];
  assert.equal(report.verdict, expected, told.join("\n"));
}

for (const { name, read, told } of KINDS)
  for (const level of ["read-committed", "repeatable-read"] as const)
    test(`${name}, at ${level}`, async () => {
      await checked(crossed(read), level, told[level]);
    });

for (const [at, told] of [
  [0, LOCKED],
  [5, LOCKED],
  [7, LOCKED],
  [12, FROM_REPEATABLE],
] as const) {
  const kind = KINDS[at];
  assert(kind);
  for (const level of ["read-committed", "repeatable-read"] as const)
    test(`in procedures: ${kind.name}, at ${level}`, async () => {
      await checked(inProcedures(kind.read), level, told[level]);
    });
}

const COUNTED: Kind["read"] = (row) => `INSERT INTO oth VALUES (:k, (SELECT COUNT(*) FROM ${row}))`;

for (const [name, change] of [
  ["UPDATE", (from) => `UPDATE oth JOIN ${from} f ON f.id = 1 SET oth.s = f.v WHERE oth.id = :k`],
  [
    "DELETE",
    (from) => `DELETE oth FROM oth JOIN ${from} f ON f.id = 1 WHERE oth.id = :k AND f.v > 5`,
  ],
] as const satisfies readonly (readonly [string, (from: string) => string])[])
  test(`joined tables: ${name}`, async () => {
    await checked(joined(change), "read-committed", "safe");
    await checked(joined(change), "repeatable-read", "safe");
  });

test("a row that is found by its key stays locked, whatever the rest of the condition says of it", async () => {
  const read: Kind["read"] = (row) =>
    `DELETE FROM oth WHERE id = :k AND EXISTS (SELECT 1 FROM ${row} AND v > 5)`;
  await checked(crossed(read), "read-committed", "safe");
});

test("a row that is not there is not locked at READ COMMITTED", async () => {
  await checked(absent(COUNTED), "read-committed", "anomaly");
});

test("where it would be is locked at REPEATABLE READ", async () => {
  await checked(absent(COUNTED), "repeatable-read", "safe");
});

test("of a query that asks about the row at hand no anomaly is confirmed that its locks exclude", async () => {
  const read: Kind["read"] = (row) =>
    `DELETE FROM oth WHERE id = :k AND (SELECT v - oth.s FROM ${row}) > 0`;
  await checked(crossed(read), "read-committed", "unknown");
  await checked(crossed(read), "repeatable-read", "safe");
});

test("what is read in a case that does not hold is not locked for certain", async () => {
  const text = `${TABLES}-- @transaction a
BEGIN;
INSERT INTO oth VALUES (:k, CASE WHEN :k > 0 THEN 1 ELSE (SELECT SUM(v) FROM acc) END);
SELECT v INTO @v FROM acc WHERE id = 1;
UPDATE acc SET v = @v + 1 WHERE id = 1;
COMMIT;
`;
  await checked(text, "read-committed", "anomaly");
});
