// The same programs in PostgreSQL's words and in those of other dialects have the same verdicts at the papers' levels.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "./analyse";

const SMALLBANK = `
CREATE TABLE savings (custid integer PRIMARY KEY, bal integer NOT NULL);
CREATE TABLE checking (custid integer PRIMARY KEY, bal integer NOT NULL);

-- @transaction Balance
BEGIN;
SELECT bal FROM savings WHERE custid = :c;
SELECT bal FROM checking WHERE custid = :c;
COMMIT;

-- @transaction DepositChecking
BEGIN;
UPDATE checking SET bal = bal + :amount WHERE custid = :c;
COMMIT;

-- @transaction TransactSavings
BEGIN;
SELECT bal FROM savings WHERE custid = :c \\gset own_
UPDATE savings SET bal = :own_bal - :amount WHERE custid = :c AND :own_bal >= :amount;
COMMIT;

-- @transaction Amalgamate
-- @isolens distinct c0, c1
BEGIN;
SELECT bal FROM savings WHERE custid = :c0 \\gset savings_
SELECT bal FROM checking WHERE custid = :c1 \\gset checking_
UPDATE checking SET bal = 0 WHERE custid = :c0;
UPDATE savings SET bal = bal - (:savings_bal + :checking_bal) WHERE custid = :c1;
COMMIT;

-- @transaction WriteCheck
BEGIN;
SELECT bal FROM savings WHERE custid = :c \\gset savings_
SELECT bal FROM checking WHERE custid = :c \\gset checking_
UPDATE checking SET bal = CASE WHEN :savings_bal + :checking_bal < :amount
  THEN bal - (:amount + 1) ELSE bal - :amount END WHERE custid = :c;
COMMIT;
`;

const BANK = `
CREATE TABLE account (id integer PRIMARY KEY, owner text UNIQUE, balance integer NOT NULL);
CREATE TABLE visits (day text PRIMARY KEY, n integer NOT NULL);

-- @transaction Withdraw
BEGIN;
SELECT balance FROM account WHERE id = :a \\gset my_
UPDATE account SET balance = :my_balance - :amount WHERE id = :a;
COMMIT;

-- @transaction Close
BEGIN;
SELECT count(*) AS n FROM account WHERE balance > 0 \\gset all_
DELETE FROM account WHERE id = :a AND :all_n > 1;
COMMIT;

-- @transaction Visit
BEGIN;
INSERT INTO visits (day, n) VALUES (:day, 1) ON CONFLICT (day) DO UPDATE SET n = visits.n + excluded.n;
COMMIT;

-- @transaction Rename
BEGIN;
SELECT owner FROM account WHERE id = :a \\gset my_
UPDATE account SET owner = coalesce(:new, :my_owner) WHERE id = :a;
COMMIT;

-- @transaction Report
BEGIN;
SELECT n FROM visits WHERE day = :day;
SELECT sum(balance) FROM account;
COMMIT;
`;

interface Translation {
  readonly name: string;
  readonly translate: (text: string) => string;
}

/** `\gset prefix_` becomes variables of the session. */
function withVariables(
  text: string,
  select: (column: string, rest: string, name: string) => string,
): string {
  const names = new Set<string>();
  const replaced = text.replace(
    /SELECT (\S+|count\(\*\) AS n) FROM ([^;\\]*) \\gset (\w+)/g,
    (_, column: string, rest: string, prefix: string) => {
      const name = `${prefix}${column.split(" ").at(-1) ?? ""}`;
      names.add(name);
      return select(column.replace(/ AS n$/, ""), rest, name);
    },
  );
  return [...names].reduce((all, name) => all.replaceAll(`:${name}`, `@${name}`), replaced);
}

const MYSQL: readonly Translation[] = [
  {
    name: "MySQL with SELECT ... INTO",
    translate: (text) =>
      withVariables(
        text.replaceAll(/PRIMARY KEY, (.*)\);/g, "PRIMARY KEY, $1) ENGINE=InnoDB;"),
        (column, rest, name) => `SELECT ${column} INTO @${name} FROM ${rest};`,
      )
        .replaceAll("BEGIN;", "START TRANSACTION;")
        .replaceAll(" text", " VARCHAR(40)")
        .replaceAll(
          /ON CONFLICT \(day\) DO UPDATE SET n = .*;/g,
          "ON DUPLICATE KEY UPDATE n = n + VALUES(n);",
        ),
  },
  {
    name: "MySQL with SET @x = (SELECT ...) and backticks",
    translate: (text) =>
      withVariables(text, (column, rest, name) => `SET @${name} = (SELECT ${column} FROM ${rest});`)
        .replaceAll(/\b(savings|checking|account|visits)\b/g, "`$1`")
        .replaceAll("coalesce(", "IFNULL(")
        .replaceAll(" text", " VARCHAR(40)")
        .replaceAll(
          /VALUES \(:day, 1\) ON CONFLICT .*;/g,
          "VALUES (:day, 1) AS new ON DUPLICATE KEY UPDATE n = `visits`.n + new.n;",
        ),
  },
  {
    name: "MySQL without autocommit",
    translate: (text) =>
      "SET autocommit = 0;\n" +
      withVariables(text, (column, rest, name) => `SELECT @${name} := ${column} FROM ${rest};`)
        .replaceAll("BEGIN;\n", "")
        .replaceAll(" text", " VARCHAR(40)")
        .replaceAll(
          /ON CONFLICT \(day\) DO UPDATE SET n = .*;/g,
          "ON DUPLICATE KEY UPDATE n = n + VALUES(n);",
        ),
  },
];

const OTHERS: readonly Translation[] = [
  {
    name: "SQL Server",
    translate: (text) =>
      `DECLARE @unused INT;\nGO\n` +
      withVariables(text, (column, rest, name) => `SELECT @${name} = ${column} FROM ${rest};`)
        .replaceAll("BEGIN;", "BEGIN TRANSACTION;")
        .replaceAll(" text", " NVARCHAR(40)")
        .replaceAll(":", "@")
        .replaceAll("coalesce(", "ISNULL(")
        .replaceAll(/\b(savings|checking|account)\b/g, "[$1]"),
  },
];

const LEVELS = ["read-committed", "parallel-snapshot-isolation"];

for (const [program, text, translations] of [
  ["SmallBank", SMALLBANK, [...MYSQL.slice(0, 1), ...OTHERS]],
  ["bank", BANK, MYSQL],
] as const) {
  const expected = LEVELS.map((level) => analyse([sql(text)], level, 2));
  for (const { name, translate } of translations) {
    test(`${program} in ${name} has the verdicts of PostgreSQL`, async () => {
      for (const [at, level] of LEVELS.entries()) {
        const original = await expected[at];
        assert.ok(original);
        const found = await analyse([sql(translate(text))], level, 2);
        assert.deepEqual(found.unknown, [], level);
        assert.deepEqual(verdicts(found), verdicts(original), level);
        assert.ok(found.anomalies.length > 0, level);
        for (const anomaly of found.anomalies) assert.equal(anomaly.status, "confirmed", level);
      }
    });
  }
}

test("count(*) ... FOR UPDATE keeps two of the last from leaving, in MySQL's dialect", async () => {
  const leave = (lock: string): string => `
-- @isolens dialect mysql
CREATE TABLE doctor (id INT PRIMARY KEY, shift INT NOT NULL, oncall INT NOT NULL);
-- @transaction Leave
START TRANSACTION;
SELECT COUNT(*) INTO @n FROM doctor WHERE shift = :s AND oncall = 1${lock};
UPDATE doctor SET oncall = 0 WHERE id = :d AND @n >= 2;
COMMIT;
`;
  for (const level of ["mariadb:read-committed", "mariadb:repeatable-read"]) {
    const locked = await analyse([sql(leave(" FOR UPDATE"))], level);
    assert.deepEqual([locked.anomalies, locked.unknown], [[], []], level);
    const plain = await analyse([sql(leave(""))], level);
    assert.deepEqual(
      plain.anomalies.map(({ kind, status }) => [kind, status]),
      [["write-skew", "confirmed"]],
      level,
    );
  }
});

test("texts that are compared by their bytes are searched and executed", async () => {
  const text = `-- @isolens dialect mysql
CREATE TABLE stock (name varchar(9) PRIMARY KEY, n int NOT NULL);
-- @transaction Take
START TRANSACTION;
SELECT n INTO @n FROM stock WHERE BINARY name = :name;
UPDATE stock SET n = @n - :amount WHERE CAST(name AS BINARY) = :name;
COMMIT;`;
  const report = await analyse([sql(text)], "mysql:repeatable-read", 2);
  assert.deepEqual(verdicts(report), ["Take+Take state"]);
  assert.equal(report.anomalies[0]?.status, "confirmed", report.anomalies[0]?.reason);
});
