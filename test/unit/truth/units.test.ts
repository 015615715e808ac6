// Units that commit before their end and are one thing to their user: verdicts that theory settles, at every level.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "./analyse";

const TABLES = `CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE claim (slot int PRIMARY KEY, owner int NOT NULL);
CREATE TABLE entry (id serial PRIMARY KEY, slot int NOT NULL);
`;

const LEVELS = [
  "postgres:read-committed",
  "postgres:serializable",
  "mysql:repeatable-read",
  "snapshot-isolation",
  "serializable",
];

interface Expected {
  /** At every level of `at`, which are all of them where it is absent. */
  readonly found: readonly string[];
  readonly verdict: "anomaly" | "safe";
  readonly kind?: string;
  readonly outside?: readonly string[];
  readonly at?: readonly string[];
}

function check(name: string, text: string, expected: Expected): void {
  test(name, async () => {
    for (const level of expected.at ?? LEVELS) {
      const report = await analyse([sql(TABLES + text)], level, 2);
      assert.deepEqual(verdicts(report), expected.found, level);
      assert.equal(report.verdict, expected.verdict, level);
      const [anomaly] = report.anomalies;
      if (expected.kind !== undefined) assert.equal(anomaly?.kind, expected.kind, level);
      if (expected.outside) {
        assert.deepEqual(anomaly?.outside, expected.outside, level);
        assert.deepEqual(anomaly?.preventedBy, [], level);
        assert.match(anomaly?.message ?? "", /not one transaction/, level);
      }
    }
  });
}

check(
  "read, then write what was read: the update of another one is lost at every level",
  `-- @isolens unit Deposit
SELECT balance AS bal FROM account WHERE id = :id \\gset
UPDATE account SET balance = :bal + :amount WHERE id = :id;`,
  {
    found: ["Deposit+Deposit state"],
    verdict: "anomaly",
    outside: ["Deposit"],
  },
);

check(
  "the same in one transaction is none where the first updater wins",
  `-- @isolens unit Deposit
BEGIN;
SELECT balance AS bal FROM account WHERE id = :id \\gset
UPDATE account SET balance = :bal + :amount WHERE id = :id;
COMMIT;`,
  {
    found: [],
    verdict: "safe",
    at: ["postgres:repeatable-read", "postgres:serializable", "snapshot-isolation"],
  },
);

check(
  "one atomic statement is safe",
  `-- @isolens unit Deposit
UPDATE account SET balance = balance + :amount WHERE id = :id;`,
  { found: [], verdict: "safe" },
);

check(
  "two atomic additions are none either: they commute",
  `-- @isolens unit Deposit
UPDATE account SET balance = balance + :amount WHERE id = :id;
UPDATE account SET balance = balance + :more WHERE id = :id;`,
  { found: [], verdict: "safe", at: ["postgres:read-committed", "postgres:serializable"] },
);

check(
  "two reads see two states",
  `-- @isolens unit Twice
SELECT balance FROM account WHERE id = :id;
SELECT balance FROM account WHERE id = :id;
-- @isolens unit Deposit
UPDATE account SET balance = balance + :amount WHERE id = :id;`,
  {
    found: ["Deposit+Twice value"],
    verdict: "anomaly",
    kind: "non-repeatable-read",
    outside: ["Twice"],
  },
);

check(
  "look whether there is one, then insert: two without a unique key",
  `-- @isolens unit Take
SELECT count(*) AS taken FROM entry WHERE slot = :slot \\gset
INSERT INTO entry (slot) SELECT :slot WHERE :taken = 0;`,
  { found: ["Take+Take state"], verdict: "anomaly", outside: ["Take"], at: LEVELS.slice(0, 2) },
);

check(
  "look whether there is one, then insert under a unique key: an error, not a second one",
  `-- @isolens unit Take
SELECT count(*) AS taken FROM claim WHERE slot = :slot \\gset
\\if :taken
\\else
INSERT INTO claim (slot, owner) VALUES (:slot, :me);
\\endif`,
  { found: [], verdict: "safe", at: LEVELS.slice(0, 2) },
);

check(
  "a read before a transaction flows into it",
  `-- @isolens unit Deposit
SELECT balance AS bal FROM account WHERE id = :id \\gset
BEGIN;
UPDATE account SET balance = :bal + :amount WHERE id = :id;
UPDATE account SET balance = balance - :amount WHERE id = :other;
COMMIT;`,
  {
    found: ["Deposit+Deposit state"],
    verdict: "anomaly",
    outside: ["Deposit"],
    at: LEVELS.slice(0, 2),
  },
);

check(
  "a transaction that is rolled back inside of it leaves nothing",
  `-- @isolens unit Try
BEGIN;
UPDATE account SET balance = 0 WHERE id = :id;
ROLLBACK;
-- @isolens unit Deposit
UPDATE account SET balance = balance + :amount WHERE id = :id;`,
  { found: [], verdict: "safe", at: ["postgres:read-committed", "serializable"] },
);

test("no level is named sufficient, and nothing proved, for what commits on its way", async () => {
  const text = `${TABLES}-- @isolens unit Add
UPDATE account SET balance = balance + :amount WHERE id = :id;
UPDATE account SET balance = balance + :more WHERE id = :id;`;
  const report = await analyse([sql(text)], "postgres:serializable", 2, 1, [], { prove: true });
  assert.equal(report.proof?.status, "blocked");
  assert.match(JSON.stringify(report.proof), /commits before its end/);
  for (const each of report.sufficient ?? []) assert.equal(each.level, undefined);
});

test("an error behind something that is committed is not followed, and nothing is safe then", async () => {
  const text = `${TABLES}-- @isolens unit Order
UPDATE account SET balance = balance + 1 WHERE id = :id;
INSERT INTO claim (slot, owner) VALUES (:slot, :id);`;
  const report = await analyse([sql(text)], "postgres:read-committed", 2);
  assert.equal(report.verdict, "unknown");
  assert.match(JSON.stringify(report.unknown), /behind something that it has committed/);
});

// A transaction inside that declares a level runs at it.
const TRANSFER = (begin: string): string => `-- @isolens unit Move
SELECT owner FROM claim WHERE slot = :slot;
${begin};
SELECT balance AS bal FROM account WHERE id = :id \\gset
UPDATE account SET balance = :bal + :amount WHERE id = :id;
COMMIT;`;

check(
  "a transaction inside at a level that forbids it keeps the update",
  TRANSFER("BEGIN ISOLATION LEVEL REPEATABLE READ"),
  { found: [], verdict: "safe", at: ["postgres:read-committed"] },
);

check(
  "and one inside at a weaker level than the others loses it",
  TRANSFER("BEGIN ISOLATION LEVEL READ COMMITTED"),
  {
    found: ["Move+Move state"],
    verdict: "anomaly",
    at: ["postgres:serializable", "postgres:repeatable-read"],
  },
);

check(
  "write skew inside at SERIALIZABLE is refused where the statements outside run at READ COMMITTED",
  `-- @isolens unit Off
SELECT owner FROM claim WHERE slot = :slot;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT sum(balance) AS total FROM account WHERE id IN (1, 2) \\gset
UPDATE account SET balance = balance - :amount WHERE id = :id AND :total > :amount;
COMMIT;`,
  { found: [], verdict: "safe", at: ["postgres:read-committed"] },
);

check(
  "and happens at REPEATABLE READ",
  `-- @isolens unit Off
SELECT owner FROM claim WHERE slot = :slot;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT sum(balance) AS total FROM account WHERE id IN (1, 2) \\gset
UPDATE account SET balance = balance - :amount WHERE id = :id AND :total > :amount;
COMMIT;`,
  {
    found: ["Off+Off state"],
    verdict: "anomaly",
    kind: "write-skew",
    at: ["postgres:read-committed"],
  },
);

test("that the server ends no unit half-way is an assumption where it may", async () => {
  const assumed = async (text: string, level: string): Promise<readonly string[]> => {
    const report = await analyse([sql(TABLES + text)], level, 2);
    return report.assumptions.flatMap((each) => (each.kind === "rollbacks" ? [each.text] : []));
  };
  const two = `-- @isolens unit Add
UPDATE account SET balance = balance + :amount WHERE id = :id;
UPDATE account SET balance = balance + :more WHERE id = :other;`;
  // A statement that waits for one row holds nothing that others wait for.
  assert.deepEqual(await assumed(two, "postgres:read-committed"), []);
  const [text, ...others] = await assumed(two, "postgres:repeatable-read");
  assert.match(
    text ?? "",
    /does not stop Add half-way, behind something that was committed \(for a deadlock/,
  );
  assert.deepEqual(others, []);
});

test("a CHECK that refuses what is left behind something that is committed leaves the answer open", async () => {
  const text = `CREATE TABLE stock (id int PRIMARY KEY, left_over int NOT NULL CHECK (left_over >= 0));
${TABLES}-- @isolens unit Sell
UPDATE account SET balance = balance + 1 WHERE id = :id;
UPDATE stock SET left_over = left_over - 1 WHERE id = :item;`;
  const report = await analyse([sql(text)], "postgres:read-committed", 2);
  assert.equal(report.verdict, "unknown");
  assert.match(JSON.stringify(report.unknown), /behind something that it has committed/);
});

check(
  "counts what it changed, then takes that from a sum that it read: the other's part is lost, and the search ends",
  `-- @isolens unit Expire
UPDATE entry SET slot = 0 WHERE slot = :slot;
\\set gone :ROW_COUNT
SELECT balance AS bal FROM account WHERE id = :slot \\gset
UPDATE account SET balance = :bal - :gone WHERE id = :slot;`,
  {
    found: ["Expire+Expire state"],
    verdict: "anomaly",
    outside: ["Expire"],
  },
);
