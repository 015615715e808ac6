import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Anomaly } from "../../server/src/protocol/report";
import { isolens, makeFolder, reportsOf } from "./cli";
import type { Folder } from "./cli";
import { matchSnapshot } from "./snapshot";

const SCHEMA = "CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL);\n";

const WITHDRAW = `${SCHEMA}
-- @transaction withdraw
BEGIN;
SELECT balance FROM account WHERE id = :acc \\gset
\\if :balance >= :amount and :amount > 0
UPDATE account SET balance = :balance - :amount WHERE id = :acc;
\\endif
COMMIT;
`;

/** The same as a function, as far as a report shows. */
const WITHDRAW_FUNCTION = `${SCHEMA}
CREATE FUNCTION withdraw(acc integer, amount integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  bal integer;
BEGIN
  IF amount <= 0 THEN
    RAISE EXCEPTION 'the amount must be positive';
  END IF;
  SELECT balance INTO bal FROM account WHERE id = acc;
  IF bal < amount THEN
    RAISE EXCEPTION 'insufficient funds';
  END IF;
  UPDATE account SET balance = bal - amount WHERE id = acc;
  RETURN bal - amount;
END $$;
`;

const OWN_LEVEL = "-- @isolens level postgres:serializable\nBEGIN;";

const DEPOSIT = `${SCHEMA}
-- @transaction deposit
BEGIN;
UPDATE account SET balance = balance + :amount WHERE id = :acc;
COMMIT;
`;

let folder: Folder;

before(() => {
  folder = makeFolder({
    "withdraw.sql": WITHDRAW,
    "function.sql": WITHDRAW_FUNCTION,
    "deposit.sql": DEPOSIT,
    "wrong/isolens.json": '{\n  "levle": "si"\n}',
    "wrong/a.sql": DEPOSIT,
    "typed/isolens.json": '{ "budget": 10 }',
    "typed/a.sql": DEPOSIT,
    "bank/isolens.json": '{ "level": "postgres:repeatable-read" }',
    "bank/sql/schema.sql": SCHEMA,
    "bank/sql/withdraw.sql": WITHDRAW.slice(SCHEMA.length),
    "none/readme.txt": "nothing",
  });
});

after(() => {
  folder.remove();
});

const run = (line: string) => isolens(line.split(" "), { cwd: folder.path });

function only(anomalies: readonly Anomaly[]): Anomaly {
  assert.equal(anomalies.length, 1, JSON.stringify(anomalies.map(({ kind }) => kind)));
  const [anomaly] = anomalies;
  assert.ok(anomaly);
  return anomaly;
}

describe("isolens check", () => {
  it("finds the lost update and leaves with 1", async () => {
    const result = await run("check withdraw.sql");
    assert.equal(result.error, "");
    matchSnapshot("check.txt", result.out);
    assert.equal(result.code, 1);
  });

  it("prints the same as JSON, the same bytes every time", async () => {
    const first = await run("check withdraw.sql --format json");
    assert.equal(first.code, 1);
    matchSnapshot("check.json", first.out.replace(/"isolens [\d.]+"/u, '"isolens"'));
    const second = await run("check withdraw.sql --format json");
    assert.equal(second.out, first.out);
  });

  it("reads functions in PL/pgSQL", async () => {
    const [report] = reportsOf(await run("check function.sql --format json"));
    const anomaly = only(report?.anomalies ?? []);
    assert.equal(anomaly.kind, "lost-update");
    assert.equal(anomaly.severity, "state");
    assert.deepEqual(anomaly.transactions, ["withdraw", "withdraw"]);
  });

  it("leaves with 0 when there is nothing to find", async () => {
    const result = await run("check deposit.sql");
    assert.equal(result.code, 0);
    assert.match(
      result.out,
      /^Nothing found at postgres:read-committed among 1 transaction, up to 3 at a time\.\n/u,
    );
    const serializable = await run(
      "check withdraw.sql --level postgres:serializable --format json",
    );
    assert.equal(serializable.code, 0);
    const [report] = reportsOf(serializable);
    assert.equal(report?.verdict, "safe");
    assert.deepEqual(report.anomalies, []);
  });

  it("checks several levels, one object each, in the order asked", async () => {
    const result = await run(
      "check withdraw.sql --format json --level pg:rr --level eventual --level si --level pg:rc",
    );
    const reports = reportsOf(result);
    assert.deepEqual(
      reports.map(({ level, verdict, rests }) => [level, verdict, rests]),
      [
        ["postgres:repeatable-read", "safe", { bound: 3 }],
        ["eventual", "anomaly", { bound: 3 }],
        ["snapshot-isolation", "safe", { bound: 3 }],
        ["postgres:read-committed", "anomaly", { bound: 3 }],
      ],
    );
    assert.equal(result.code, 1);
    const eventual = only(reports[1]?.anomalies ?? []);
    assert.equal(eventual.kind, "lost-update");
    assert.deepEqual(eventual.preventedBy, [
      "parallel-snapshot-isolation",
      "snapshot-isolation",
      "serializable",
    ]);
    const product = only(reports[3]?.anomalies ?? []);
    assert.deepEqual(product.preventedBy, ["postgres:repeatable-read", "postgres:serializable"]);
    assert.deepEqual(product.allowedAt, ["postgres:read-committed"]);
  });

  it("searches as many at a time as it is told", async () => {
    const [report] = reportsOf(await run("check deposit.sql --max-transactions 2 --format json"));
    assert.deepEqual(report?.rests, { bound: 2 });
  });

  it("takes the level and the names of files from the configuration", async () => {
    const [report] = reportsOf(await run("check bank/sql --format json"));
    assert.equal(report?.level, "postgres:repeatable-read");
    assert.deepEqual(
      report.transactions.map(({ name, file }) => [name, file]),
      [["withdraw", "sql/withdraw.sql"]],
    );
    const [single] = reportsOf(
      await run("check bank/sql/withdraw.sql --level pg:rc --format json"),
    );
    assert.equal(only(single?.anomalies ?? []).kind, "lost-update");
  });

  it("keeps to a level that a transaction has itself", async () => {
    folder.write("own.sql", WITHDRAW.replace("BEGIN;", OWN_LEVEL));
    const [report] = reportsOf(await run("check own.sql --level pg:rc --format json"));
    assert.deepEqual(report?.levels, {
      default: "postgres:read-committed",
      perTransaction: { withdraw: "postgres:serializable" },
    });
    assert.equal(report.verdict, "safe");
  });

  it("checks transactions at different levels together", async () => {
    const own = WITHDRAW.replace("BEGIN;", OWN_LEVEL);
    folder.write("mixed.sql", own + WITHDRAW.slice(SCHEMA.length).replace("withdraw", "take"));
    const result = await run("check mixed.sql --level pg:rc --format json");
    const [report] = reportsOf(result);
    assert.deepEqual(report?.unknown, []);
    assert.deepEqual(
      report.anomalies.map(({ transactions }) => transactions.toSorted()),
      [
        ["take", "take"],
        ["take", "withdraw"],
      ],
    );
  });

  it("gives timings only on request", async () => {
    const result = await run("check withdraw.sql --timings");
    assert.match(result.out, /\nTime: first anomaly after \d+ ms, all after \d+ ms; \d+ units, /u);
  });

  it("leaves with 2 when the budget ends before the search", async () => {
    const result = await run("check withdraw.sql --budget 1ms --level snapshot-isolation");
    assert.equal(result.code, 2);
    assert.match(result.out, /Undecided: .*\(time budget of 1 ms; --budget 60s tries longer\)/u);
  });
});

describe("isolens show", () => {
  it("tells one anomaly by the start of its id", async () => {
    const [report] = reportsOf(await run("check withdraw.sql --format json"));
    const { id } = only(report?.anomalies ?? []);
    const shown = await run(`show withdraw.sql --anomaly ${id.slice(0, 4)}`);
    assert.equal(shown.code, 0);
    matchSnapshot("show-withdraw.txt", shown.out);
    const json = await run(`show withdraw.sql --anomaly ${id} --format json`);
    assert.deepEqual(JSON.parse(json.out), only(report?.anomalies ?? []));
  });

  it("lists the ids when there is no such anomaly", async () => {
    const result = await run("show withdraw.sql --anomaly ffff");
    assert.equal(result.code, 3);
    assert.match(
      result.error,
      /there is no anomaly "ffff" at postgres:read-committed; there are:\n {2}[0-9a-f]{8} {2}lost-update/u,
    );
  });
});

describe("wrong usage", () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["check", /"check" needs a file or a folder/u],
    ["check nothing.sql", /^isolens: nothing\.sql: no such file or folder\n/u],
    ["check none", /^isolens: no SQL files and no code that uses a database in none; /u],
    [
      "check deposit.sql --level snapshot",
      /did you mean "snapshot-isolation", "parallel-snapshot-isolation"\?/u,
    ],
    [
      "check wrong",
      /^isolens: wrong\/isolens\.json:2:3: there is no key "levle"; did you mean "level", "levels"\?\n/u,
    ],
    ["check typed", /^isolens: typed\/isolens\.json:1:13: "budget" must be a duration/u],
    ["check deposit.sql --config none.json", /^isolens: none\.json: not read: no such file/u],
    ["chekc deposit.sql", /did you mean "check"/u],
  ];
  for (const [line, message] of cases) {
    it(`leaves with 3 for ${line}`, async () => {
      const result = await run(line);
      assert.match(result.error, message);
      assert.equal(result.code, 3);
      assert.equal(result.out, "");
    });
  }

  it("prints help and version", async () => {
    const help = await run("--help");
    assert.equal(help.code, 0);
    for (const word of ["check", "show", "lsp --stdio", "postgres:read-committed", "Exit codes"]) {
      assert.ok(help.out.includes(word), word);
    }
    assert.match((await run("--version")).out, /^\d+\.\d+\.\d+\n$/u);
  });
});
