// Verdicts that theory, exhaustive enumeration or a real server settled, row by row (sources: Rahmani et al. OOPSLA 2019,
// Nagar and Jagannathan CONCUR 2018, Fekete et al. TODS 2005, Alomari et al. ICDE 2008, and runs on PostgreSQL 15).
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceFile } from "../../../server/src/frontend/sql/readProgram";
import { PAPER_LEVELS } from "../../../server/src/isolation/levels";
import { analyse, app, sql, tuples, verdicts } from "./analyse";

const WITHDRAW = `
CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL);
CREATE FUNCTION withdraw(acc integer, amount integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE bal integer;
BEGIN
  SELECT balance INTO bal FROM account WHERE id = acc;
  IF bal > amount THEN
    UPDATE account SET balance = bal - amount WHERE id = acc;
  END IF;
END $$;`;

async function checkTuples(
  files: readonly SourceFile[],
  level: string,
  most: number,
  expected: readonly string[],
): Promise<void> {
  const report = await analyse(files, level, most);
  assert.deepEqual(report.unknown, [], `${level}: undecided`);
  assert.deepEqual(tuples(report), [...expected].sort(), level);
}

test("row 1: two withdrawals lose an update at eventual consistency and read committed", async () => {
  for (const level of ["eventual", "read-committed"]) {
    const report = await analyse([sql(WITHDRAW)], level, 2);
    assert.deepEqual(tuples(report), ["withdraw+withdraw"], level);
    assert.ok(
      report.anomalies.some((anomaly) => anomaly.kind === "lost-update"),
      level,
    );
  }
});

test("row 2: two withdrawals lose nothing at parallel snapshot isolation and snapshot isolation", async () => {
  await checkTuples([sql(WITHDRAW)], "parallel-snapshot-isolation", 2, []);
  await checkTuples([sql(WITHDRAW)], "snapshot-isolation", 3, []);
});

test("row 3: classic SmallBank has exactly one dangerous structure at snapshot isolation", async () => {
  for (const level of ["snapshot-isolation", "postgres:repeatable-read"]) {
    await checkTuples(app("smallbank-classic"), level, 3, ["balance+transact_savings+write_check"]);
  }
});

const SMALLBANK_SNAPSHOT = [
  "Amalgamate+Amalgamate",
  "Amalgamate+WriteCheck",
  "Amalgamate+Balance+DepositChecking",
  "Amalgamate+Balance+TransactSavings",
  "Amalgamate+Balance+SendPayment",
  "Balance+TransactSavings+WriteCheck",
];

test("row 4: SmallBank in its benchmark form at snapshot isolation", async () => {
  for (const level of ["snapshot-isolation", "postgres:repeatable-read"]) {
    await checkTuples(app("smallbank"), level, 3, SMALLBANK_SNAPSHOT);
  }
});

test("row 4b: SmallBank at PostgreSQL READ COMMITTED, with balance guards", async () => {
  const report = await analyse(app("smallbank"), "postgres:read-committed", 2);
  assert.deepEqual(report.unknown, []);
  assert.deepEqual(verdicts(report), [
    "Amalgamate+Amalgamate state",
    "Amalgamate+SendPayment state",
    "Amalgamate+WriteCheck state",
    "SendPayment+SendPayment state",
    "SendPayment+WriteCheck state",
    "TransactSavings+TransactSavings state",
    "WriteCheck+WriteCheck state",
  ]);
});

test("row 4b: without the guards three of the pairs differ only in returned values", async () => {
  const unguarded = app("smallbank").map((file) => ({
    ...file,
    text: file.text.replaceAll(/\\if :bal >= :amount\n((?:UPDATE.*\n)+)\\endif\n/g, "$1"),
  }));
  const report = await analyse(unguarded, "postgres:read-committed", 2);
  assert.deepEqual(report.unknown, []);
  assert.deepEqual(verdicts(report), [
    "Amalgamate+Amalgamate state",
    "Amalgamate+SendPayment state",
    "Amalgamate+WriteCheck state",
    "SendPayment+SendPayment value",
    "SendPayment+WriteCheck value",
    "TransactSavings+TransactSavings value",
    "WriteCheck+WriteCheck state",
  ]);
});

test("row 5: SmallBank at eventual consistency: twelve pairs, none with Balance", async () => {
  await checkTuples(app("smallbank"), "eventual", 2, [
    "Amalgamate+Amalgamate",
    "Amalgamate+DepositChecking",
    "Amalgamate+SendPayment",
    "Amalgamate+TransactSavings",
    "Amalgamate+WriteCheck",
    "DepositChecking+DepositChecking",
    "DepositChecking+SendPayment",
    "DepositChecking+WriteCheck",
    "SendPayment+SendPayment",
    "SendPayment+WriteCheck",
    "TransactSavings+TransactSavings",
    "WriteCheck+WriteCheck",
  ]);
});

// Nothing is planned there; that the encoding itself has no cycle is asked of the solver in relational.test.ts.
test("row 6: nothing at serializability", async () => {
  for (const name of ["bank", "smallbank", "smallbank-classic", "micro", "inventory", "oncall"]) {
    await checkTuples(app(name), "serializable", 2, []);
    await checkTuples(app(name), "postgres:serializable", 3, []);
  }
});

/** The micro programs and the weakest and strongest facts about them. */
const MICRO: Readonly<Record<string, readonly string[]>> = {
  "add_in_application+add_in_application": [
    "eventual",
    "read-committed",
    "read-atomic",
    "causal",
    "prefix",
  ],
  "take+take": [
    "eventual",
    "read-committed",
    "read-atomic",
    "causal",
    "prefix",
    "parallel-snapshot-isolation",
    "snapshot-isolation",
  ],
  "read_twice+set_once": ["eventual", "read-committed"],
  "read_once+write_twice": ["eventual"],
};

test("row 14: each micro program is an anomaly exactly up to its level", async () => {
  for (const level of PAPER_LEVELS) {
    const found = tuples(await analyse(app("micro"), level.name, 2));
    for (const [pair, allowed] of Object.entries(MICRO)) {
      assert.equal(found.includes(pair), allowed.includes(level.name), `${pair} at ${level.name}`);
    }
  }
});

for (const level of ["postgres:read-committed", "mysql:read-committed", "mysql:repeatable-read"]) {
  test(`row 15: an atomic increment loses nothing at ${level}`, async () => {
    const report = await analyse(app("micro"), level, 3);
    assert.deepEqual(
      tuples(report).filter((name) => name.includes("add_in_database")),
      [],
    );
    assert.ok(tuples(report).includes("add_in_application+add_in_application"));
  });
}

test("SmallBank at InnoDB REPEATABLE READ: stale reads and fresh writes, but no reader alone", async () => {
  const report = await analyse(app("smallbank"), "mysql:repeatable-read", 3);
  assert.deepEqual(report.unknown, []);
  assert.deepEqual(tuples(report), [
    "Amalgamate+Amalgamate",
    "Amalgamate+Balance+DepositChecking",
    "Amalgamate+Balance+TransactSavings",
    "Amalgamate+SendPayment",
    "Amalgamate+WriteCheck",
    "Balance+TransactSavings+WriteCheck",
    "SendPayment+SendPayment",
    "SendPayment+WriteCheck",
    "TransactSavings+TransactSavings",
    "WriteCheck+WriteCheck",
  ]);
});

test("READ UNCOMMITTED is searched like other levels: what READ COMMITTED lets through, and more", async () => {
  const report = await analyse(app("bank-mysql"), "mysql:read-uncommitted", 2);
  assert.deepEqual(report.unknown, []);
  assert.deepEqual(tuples(report), [
    "Deposit+Statement",
    "Deposit+Withdraw",
    "Transfer+Transfer",
    "Transfer+Withdraw",
    "Withdraw+Withdraw",
  ]);
});

test("row 16: no cycle uses both branches of one IF in one run", async () => {
  const program = (branches: string): string => `
    CREATE TABLE x (id integer PRIMARY KEY, v integer NOT NULL);
    CREATE TABLE y (id integer PRIMARY KEY, v integer NOT NULL);
    CREATE FUNCTION branch(k integer, which integer) RETURNS integer LANGUAGE plpgsql AS $$
    DECLARE seen integer;
    BEGIN
      ${branches}
      RETURN seen;
    END $$;
    CREATE FUNCTION mirror(k integer) RETURNS integer LANGUAGE plpgsql AS $$
    DECLARE seen integer;
    BEGIN
      SELECT v INTO seen FROM y WHERE id = k;
      UPDATE x SET v = v + 1 WHERE id = k;
      RETURN seen;
    END $$;`;
  const read = "SELECT v INTO seen FROM x WHERE id = k;";
  const write = "UPDATE y SET v = v + 1 WHERE id = k;";
  for (const level of ["snapshot-isolation", "postgres:repeatable-read"]) {
    const either = program(`IF which > 0 THEN ${read} ELSE ${write} END IF;`);
    assert.deepEqual(tuples(await analyse([sql(either)], level, 2)), [], level);
    // One after the other the same two statements are a write skew with their mirror image.
    const both = program(`${read} ${write}`);
    assert.deepEqual(tuples(await analyse([sql(both)], level, 2)), ["branch+mirror"], level);
  }
});

test("a level prevents an anomaly only if the same transactions have none there, of any kind", async () => {
  const report = await analyse(app("micro"), "postgres:read-committed", 2);
  const take = report.anomalies.find((anomaly) => anomaly.transactions.includes("take"));
  assert.deepEqual(take?.preventedBy, ["postgres:serializable"]);
  assert.deepEqual(take.allowedAt, ["postgres:read-committed", "postgres:repeatable-read"]);
});

test("a CHECK that is weakened takes no other of its table out of the search", async () => {
  const text = `CREATE TABLE team (id int PRIMARY KEY, name text NOT NULL, seats int NOT NULL, agent int, human int,
  CHECK ((agent IS NOT NULL) <> (human IS NOT NULL)), CHECK (length(name) <= 40));
-- @transaction Take
BEGIN;
SELECT seats, agent, human FROM team WHERE id = :id \\gset
UPDATE team SET seats = :seats - 1, agent = :agent, human = :human WHERE id = :id;
COMMIT;`;
  const report = await analyse([sql(text)], "postgres:read-committed", 2);
  assert.deepEqual(verdicts(report), ["Take+Take state"]);
  assert.equal(report.anomalies[0]?.status, "confirmed", report.anomalies[0]?.reason);
});

test("texts that a CHECK asks to be of a format are, also those of parents that nothing mentions", async () => {
  const text = `CREATE TABLE policy (hash text PRIMARY KEY CHECK (hash ~ '^sha256:[0-9a-f]{8}$'), kind text NOT NULL CHECK (kind ~ '^[a-z]+$'));
CREATE TABLE seat (id int PRIMARY KEY, policy text NOT NULL REFERENCES policy, slug text NOT NULL CHECK (slug ~ '^[a-z]{2,9}$'), taken int NOT NULL);
-- @transaction Take
BEGIN;
SELECT taken FROM seat WHERE id = :id AND slug = :slug \\gset
UPDATE seat SET taken = :taken + 1 WHERE id = :id AND slug = :slug;
COMMIT;`;
  const report = await analyse([sql(text)], "postgres:read-committed", 2);
  assert.deepEqual(verdicts(report), ["Take+Take state"]);
  const [anomaly] = report.anomalies;
  assert.equal(anomaly?.status, "confirmed", anomaly?.reason);
  const [seat] = anomaly.witness.initial["seat"] ?? [];
  const [policy] = anomaly.witness.initial["policy"] ?? [];
  assert.match(String(seat?.["slug"]), /^[a-z]{2,9}$/u);
  assert.match(String(policy?.["hash"]), /^sha256:[0-9a-f]{8}$/u);
  assert.equal(seat?.["policy"], policy?.["hash"]);
});
