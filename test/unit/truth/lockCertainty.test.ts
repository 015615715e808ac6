// Which queries of a change lock what they read at InnoDB's REPEATABLE READ: those that are asked for certain. Measured
// on MariaDB 10.11 for each row of this table: after the statement, a second connection asks for the rows of `acc`.
import { strict as assert } from "node:assert";
import { test } from "node:test";
import { analyse, sql } from "./analyse";

const TABLES = `-- @isolens dialect mariadb
create table acc (id int primary key, v int not null) engine=innodb;
create table oth (id int primary key, s int) engine=innodb;
create table kin (id int primary key, s int not null) engine=innodb;
`;

/** All rows of `acc`, whose sum is asked for. */
const SUM = "(SELECT SUM(v) FROM acc)";
/** One row by its key. */
const ROW = "(SELECT v FROM acc WHERE id = 1)";

/** The rows of `acc` are locked when this has run. */
const LOCKED: readonly string[] = [
  `INSERT INTO oth VALUES (:k, ${SUM})`,
  `INSERT INTO oth SELECT :k, SUM(v) FROM acc`,
  `INSERT INTO oth SELECT :k, ${SUM}`,
  // A row by its key is locked in advance.
  `INSERT INTO oth VALUES (:k, CASE WHEN :a > 0 THEN 1 ELSE ${ROW} END)`,
  `INSERT INTO oth SELECT :k, ${ROW} FROM kin WHERE id = 77`,
  `UPDATE oth SET s = ${ROW} WHERE id = :k`,
  `DELETE FROM oth WHERE id = :k AND ${ROW} > 0`,
];

/** They are not where it is not asked: for what arguments hold, or for what there is in other tables. */
const OPEN: readonly string[] = [
  ...[
    (query: string) => `CASE WHEN :a > 0 THEN 1 ELSE ${query} END`,
    (query: string) => `CASE WHEN (SELECT s FROM kin WHERE id = 1) > 0 THEN 1 ELSE ${query} END`,
    (query: string) => `COALESCE((SELECT s FROM kin WHERE id = 1), ${query})`,
    (query: string) => `:a > 0 OR ${query} > 0`,
    (query: string) => `LEAST((SELECT s FROM kin WHERE id = 1), ${query})`,
  ].map((value) => `INSERT INTO oth VALUES (:k, ${value(SUM)})`),
  `INSERT INTO oth SELECT :k, ${SUM} FROM kin WHERE id = 77`,
  `INSERT INTO oth SELECT :k, 1 FROM kin WHERE id = 1 AND s < 0 AND ${SUM} > 0`,
  `INSERT INTO oth SELECT :k, 1 FROM kin WHERE :a < 0 AND ${SUM} > 0`,
  `INSERT INTO oth SELECT :k, 1 FROM dual WHERE :a < 0 AND ${SUM} > 0`,
  `INSERT INTO oth SELECT :k, v FROM acc WHERE :a < 0`,
  `INSERT INTO oth SELECT :k, v FROM acc WHERE :a < 0 AND id = 1`,
  `INSERT INTO oth SELECT :k, SUM(v) FROM acc WHERE :a < 0`,
  `UPDATE oth SET s = 5 WHERE id = :k AND EXISTS (SELECT 1 FROM acc WHERE acc.id = oth.id)`,
  `UPDATE oth SET s = CASE WHEN s > 0 THEN 1 ELSE ${SUM} END WHERE id = :k`,
  `UPDATE oth JOIN kin ON kin.id = oth.id SET oth.s = ${SUM} WHERE oth.id = :k`,
  `UPDATE oth JOIN (SELECT SUM(v) AS t FROM acc) d SET oth.s = d.t WHERE oth.id = :k`,
  `DELETE FROM oth WHERE id = :k AND ${SUM} > 0`,
  `DELETE FROM oth WHERE :a < 0 AND ${SUM} > 0`,
  // A change of `acc` itself whose condition fails without a row.
  `UPDATE acc SET v = 0 WHERE :a < 0 AND id = 1`,
  `DELETE FROM acc WHERE :a < 0`,
];

/** They may not be, of which the executed runs show none. */
const DOUBTFUL: readonly string[] = [
  `INSERT INTO oth VALUES (:k, 1 IN (:a, ${SUM}))`,
  `INSERT INTO oth VALUES (:k, (SELECT s FROM kin WHERE id = 1) > ${SUM})`,
  `INSERT INTO oth VALUES (:k, 1) ON DUPLICATE KEY UPDATE s = ${SUM}`,
  `INSERT INTO oth SELECT :k, d.t FROM (SELECT SUM(v) AS t FROM acc) d JOIN kin ON kin.id = 77`,
  `INSERT INTO oth SELECT :k, SUM(acc.v) FROM kin JOIN acc ON acc.id = kin.id WHERE kin.s = 77`,
  `INSERT INTO oth SELECT :k, acc.v FROM kin LEFT JOIN acc ON acc.id = kin.id WHERE kin.s = 77`,
  `UPDATE oth SET s = ${SUM} WHERE id = :k`,
  `UPDATE oth SET s = 5 WHERE id = :k AND s < 0 AND ${SUM} > 0`,
  `UPDATE oth SET s = 5 WHERE id = :k AND (s > 0 OR ${SUM} > 0)`,
  // One row answers: those behind it are not come to.
  `INSERT INTO oth VALUES (:k, EXISTS (SELECT 1 FROM acc WHERE v > 5))`,
  `INSERT INTO oth VALUES (:k, 20 IN (SELECT v FROM acc))`,
  `INSERT INTO oth VALUES (:k, (SELECT MAX(id) FROM acc))`,
  // An index of the columns that are read may be all that is locked.
  `INSERT INTO oth SELECT :k, COUNT(*) FROM acc`,
];

/** The statement, then a value that is read and written back. */
function beforeUpdate(statement: string): string {
  return `${TABLES}-- @transaction a
BEGIN;
${statement};
SELECT v INTO @v FROM acc WHERE id = 1;
UPDATE acc SET v = @v + 1 WHERE id = 1;
COMMIT;
`;
}

for (const [told, statements] of [
  ["safe", LOCKED],
  ["anomaly", OPEN],
  ["unknown", DOUBTFUL],
] as const)
  for (const statement of statements)
    test(`${told}: ${statement}`, async () => {
      const text = beforeUpdate(statement);
      const report = await analyse([sql(text)], "mariadb:repeatable-read", 2);
      const reasons = report.unknown.map(({ reason }) => reason);
      assert.equal(report.verdict, told, reasons.join("\n"));
    });
