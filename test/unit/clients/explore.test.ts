// Client programs from their files to reports, at several levels.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { checkHistory } from "../../../server/src/history/check";
import { readHistory } from "../../../server/src/service/history/readHistory";
import { runExploreJob, type ExploreOutcome } from "../../../server/src/service/exploration/job";
import type { ExplorationReport } from "../../../server/src/protocol/exploration";

const APPS = path.join(__dirname, "..", "..", "clients");
const BANK = `
CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL);
CREATE FUNCTION withdraw(acc integer, amount integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE bal integer;
BEGIN
  SELECT balance INTO bal FROM account WHERE id = acc;
  IF bal < amount THEN RAISE EXCEPTION 'insufficient funds'; END IF;
  UPDATE account SET balance = bal - amount WHERE id = acc;
  RETURN bal - amount;
END $$;
CREATE FUNCTION drain(low integer, high integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE total integer;
BEGIN
  SELECT sum(balance) INTO total FROM account;
  IF total >= 100 THEN UPDATE account SET balance = balance - 100 WHERE id = low; END IF;
  RETURN total;
END $$;
`;

let folder = "";
let files = 0;

before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "isolens-clients-"));
  writeFileSync(path.join(folder, "bank.sql"), BANK);
});

after(() => {
  rmSync(folder, { recursive: true });
});

interface Asked {
  readonly levels?: readonly string[];
  readonly random?: number;
  readonly cancel?: boolean;
}

async function exploreText(
  text: string,
  extension: string,
  { levels = ["causal"], random, cancel = false }: Asked = {},
): Promise<ExploreOutcome> {
  files += 1;
  const name = `client${String(files)}.${extension}`;
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return exploreFile(file, { levels, ...(random !== undefined && { random }), cancel });
}

function exploreFile(
  file: string,
  { levels = ["causal"], random, cancel = false }: Asked,
): Promise<ExploreOutcome> {
  const driver =
    random === undefined
      ? ({ kind: "exhaustive" } as const)
      : ({ kind: "random", runs: random, seed: 1 } as const);
  const job = { file, name: path.basename(file), levels, driver, budget: 60_000, tool: "test" };
  let clock = 0;
  return runExploreJob(job, {
    cancelled: () => cancel,
    progress: () => undefined,
    now: () => (clock += 0.01),
  });
}

function reportOf({ reports, problems }: ExploreOutcome): ExplorationReport {
  assert.deepEqual(
    problems.filter(({ severity }) => severity === "error"),
    [],
  );
  const [report] = reports;
  assert.ok(report);
  return report;
}

const TWO = (assertion: string): string => `{
  "program": "bank.sql",
  "initial": { "account": [{ "id": 1, "balance": 100 }] },
  "sessions": [[["withdraw", 1, 60], ["withdraw", 1, 1]], [["withdraw", 1, 70]], [["withdraw", 1, 2]]],
  "assert": [${JSON.stringify(assertion)}]
}`;

const SKEW = `{
  "program": "bank.sql",
  "initial": { "account": [{ "id": 1, "balance": 50 }, { "id": 2, "balance": 50 }] },
  "sessions": [[["drain", 1, 2]], [["drain", 2, 1]]],
  "assert": ["select sum(balance) >= 0 from account"]
}`;

describe("client programs in JSON", () => {
  it("break an assertion at the levels that let them, and are shown without what is not needed", async () => {
    const both = "not (committed(s1[0]) and committed(s2[0]))";
    const report = reportOf(await exploreText(TWO(both), "json"));
    const [violation] = report.violations;
    assert.ok(violation);
    assert.equal(report.verdict, "anomaly");
    assert.ok(report.exhausted);
    assert.equal(violation.cause, "isolation");
    assert.equal(violation.anomaly.kind, "lost-update");
    assert.deepEqual(violation.leftOut, ["s1[1]", "s3[0]"]);
    assert.deepEqual(violation.steps.map(({ instance }) => instance).sort(), [
      "s1[0]",
      "s1[0]",
      "s2[0]",
      "s2[0]",
    ]);
    assert.deepEqual(violation.anomaly.preventedBy, [
      "parallel-snapshot-isolation",
      "snapshot-isolation",
      "serializable",
    ]);
    assert.equal(violation.range.start.line, 4);
    const strong = await exploreText(TWO(both), "json", {
      levels: ["snapshot-isolation", "serializable"],
    });
    assert.deepEqual(
      strong.reports.map(({ verdict }) => verdict),
      ["safe", "safe"],
    );
  });

  it("give histories that the history checker finds possible at the level, and not serializable", async () => {
    const report = reportOf(await exploreText(SKEW, "json", { levels: ["snapshot-isolation"] }));
    const [violation] = report.violations;
    assert.equal(violation?.anomaly.kind, "write-skew");
    const file = path.join(folder, "found.json");
    const text = JSON.stringify(violation.history);
    writeFileSync(file, text);
    const read = readHistory(
      { name: "found.json", files: [file], format: "json", bytes: text.length },
      { progress: () => undefined, stopped: () => false },
    );
    assert.ok(read?.ok);
    const { verdicts } = checkHistory(read.history);
    assert.equal(verdicts.get("snapshot-isolation"), "ok");
    assert.equal(verdicts.get("serializable"), "violated");
  });

  it("whose assertions fail without concurrency are said to be wrong themselves", async () => {
    const report = reportOf(await exploreText(TWO("select balance > 50 from account"), "json"));
    const [violation] = report.violations;
    assert.equal(violation?.cause, "serial");
    assert.deepEqual(violation.order, { transactions: ["s1[0]"], every: true });
    assert.match(violation.message, /not of isolation/u);
  });

  it("that break what only all of them reach are shown as a whole", async () => {
    const all = TWO("select balance = 0 from account");
    const [violation] = reportOf(await exploreText(all, "json")).violations;
    assert.deepEqual([violation?.cause, violation?.leftOut], ["serial", []]);
    const never = TWO("select balance >= 50 from account");
    const [kept] = reportOf(await exploreText(never, "json")).violations;
    assert.equal(kept?.leftOut.length, 3, "one of them alone breaks what held at the start");
  });

  it("hold, or have no answer, and say which", async () => {
    const safe = reportOf(await exploreText(TWO("select balance >= 0 from account"), "json"));
    assert.deepEqual([safe.verdict, safe.holding.length, safe.unknown.length], ["safe", 1, 0]);
    const none = reportOf(await exploreText(TWO("select balance from account"), "json"));
    assert.equal(none.verdict, "unknown");
    assert.match(none.unknown[0]?.reason ?? "", /has no answer/u);
    assert.deepEqual(none.holding, []);
    const cancelled = reportOf(await exploreText(TWO("true"), "json", { cancel: true }));
    assert.equal(cancelled.verdict, "cancelled");
    assert.ok(!cancelled.exhausted);
  });

  it("can be run at random, the same for the same seed", async () => {
    const text = TWO("not (committed(s1[0]) and committed(s2[0]))");
    const [one, two] = [
      reportOf(await exploreText(text, "json", { random: 40 })),
      reportOf(await exploreText(text, "json", { random: 40 })),
    ];
    assert.equal(one.violations[0]?.first, two.violations[0]?.first);
    assert.equal(one.histories, 40);
    assert.ok(!one.exhausted);
    const safe = reportOf(await exploreText(TWO("true"), "json", { random: 5 }));
    assert.equal(safe.verdict, "unknown");
  });

  it("are held against the transactions that they call", async () => {
    const { problems } = await exploreText(
      `{ "program": "bank.sql", "initial": { "acount": [], "account": [{ "balance": "x" }] },
         "sessions": [[["withdrew", 1]], [["withdraw", 1], ["drain", 1, 2.5], ["drain", { "lo": 1, "high": 2 }]]],
         "assert": ["select 1 from acount", "result(s3[0]) = 1"] }`,
      "json",
    );
    const said = problems.map(({ message }) => message).join("\n");
    for (const wanted of [
      /no table "acount"; did you mean "account"/u,
      /balance of account is a whole number, and is "x"/u,
      /has no id/u,
      /no transaction "withdrew"; did you mean "withdraw"/u,
      /withdraw takes 2 arguments \(acc, amount\), and 1 are given/u,
      /high is a whole number, and is 2\.5/u,
      /no parameter "lo"; did you mean "low"/u,
      /there is no s3\[0\]/u,
    ])
      assert.match(said, wanted);
  });
});

describe("the ten client programs", () => {
  for (const app of readdirSync(APPS))
    for (const name of readdirSync(path.join(APPS, app)).filter((each) =>
      each.endsWith(".client.json"),
    ))
      it(`${app}/${name} is exhausted at causal consistency and at serializability`, async () => {
        const file = path.join(APPS, app, name);
        const { reports, problems } = await exploreFile(file, {
          levels: ["causal", "serializable"],
        });
        assert.deepEqual(problems, []);
        assert.deepEqual(
          reports.map(({ exhausted }) => exhausted),
          [true, true],
        );
        // The outcomes that the strongest level allows are those of serial orders.
        assert.deepEqual(
          reports[1]?.violations.filter(({ cause }) => cause !== "serial"),
          [],
        );
        assert.equal(reports[1]?.statesSeen, reports[1]?.serial.states);
      });
});

const CODE = (body: string, assertion = '"select balance >= 0 from account"'): string => `
export const schema = "create table account (id int primary key, balance int not null)";
export const initial = { account: [{ id: 1, balance: 100 }] };
${body}
export const assert = [${assertion}];
`;

const SUM = '"select balance = 102 from account"';

const WITHDRAW = `
async function withdraw(db: any, amount: number): Promise<number> {
  await db.query("begin");
  const { rows } = await db.query("select balance from account where id = $1", [1]);
  if (rows[0].balance < amount) { await db.query("rollback"); throw new Error("insufficient funds"); }
  await db.query("update account set balance = $1 where id = 1", [rows[0].balance - amount]);
  await db.query("commit");
  return amount;
}
export const sessions = [[(db: any) => withdraw(db, 60)], [(db: any) => withdraw(db, 70)]];
`;

describe("client programs that are code", () => {
  it("run as they are written, in TypeScript", async () => {
    const text = CODE(
      WITHDRAW,
      '"result(s1[0]) + result(s2[0]) <= 100", (end: any) => end.rows("account")[0].balance >= 30',
    );
    const report = reportOf(await exploreText(text, "ts"));
    assert.deepEqual(
      report.violations.map(({ assertion }) => assertion),
      ["result(s1[0]) + result(s2[0]) <= 100"],
    );
    assert.equal(report.violations[0]?.anomaly.kind, "lost-update");
    assert.equal(report.violations[0].steps[0]?.range.start.line, 6);
    const strong = reportOf(await exploreText(text, "ts", { levels: ["snapshot-isolation"] }));
    assert.deepEqual([strong.verdict, strong.unknown], ["safe", []]);
  });

  it("have clocks, numbers and timers that are the same in each run", async () => {
    const text = `
      const node = require("node:crypto");
      const { randomUUID } = node;
      const put = async (db) => {
        await db.query("insert into t values ($1, $2, $3)", [randomUUID(), Math.random(), new Date()]);
        await new Promise((resolve) => setTimeout(resolve, 5000));
        await require("node:timers/promises").setTimeout(60_000);
        const bytes = [crypto.getRandomValues(new Uint8Array(2)), node.randomFillSync(Buffer.alloc(2))];
        await db.query("select $1::text", [[...bytes.flatMap((each) => [...each]), node.randomInt(9), process.hrtime.bigint()].join()]);
        return Date.now();
      };
      module.exports = {
        schema: "create table t (id text primary key, v numeric, at timestamp)",
        sessions: [[put, put], [put]],
        assert: ["select count(*) = 3 from t", "result(s1[1]) - result(s1[0]) >= 65000"],
      };`;
    const report = reportOf(await exploreText(text, "cjs"));
    assert.deepEqual([report.verdict, report.unknown], ["safe", []]);
  });

  it("speak MySQL as well", async () => {
    const text = `
      export const dialect = "mysql";
      export const schema = "CREATE TABLE \`account\` (id INT PRIMARY KEY, balance INT NOT NULL)";
      export const initial = ["INSERT INTO account VALUES (1, 100)"];
      const add = async (db) => {
        await db.beginTransaction();
        const [rows] = await db.query("SELECT balance FROM account WHERE id = ?", [1]);
        const [done] = await db.execute("UPDATE account SET balance = ? WHERE id = 1", [rows[0].balance + 10]);
        await db.commit();
        return done.affectedRows;
      };
      export const sessions = [[add], [add]];
      export const assert = ["select balance = 120 from account", "result(s1[0]) = 1"];`;
    const report = reportOf(await exploreText(text, "mjs"));
    assert.deepEqual(
      report.violations.map(({ assertion }) => assertion),
      ["select balance = 120 from account"],
    );
  });

  it("that do not do the same again are no evidence", async () => {
    const body = `
      globalThis.isolensTest = 0;
      const work = async (db) => {
        const { rows } = await db.query("select balance from account where id = 1");
        globalThis.isolensTest += 1;
        await db.query("update account set balance = $1 where id = 1", [-globalThis.isolensTest]);
        return rows[0].balance;
      };
      export const sessions = [[work], [work]];`;
    const report = reportOf(await exploreText(CODE(body), "js"));
    assert.equal(report.verdict, "unknown");
    assert.deepEqual(report.violations, []);
    assert.match(report.unknown[0]?.reason ?? "", /did something else the second time/u);
  });

  it("that wait for ever or are wrong are told", async () => {
    const stuck = `export const sessions = [[async (db) => { await db.query("select 1 from account"); await new Promise(() => {}); }]];`;
    const waits = reportOf(await exploreText(CODE(stuck), "js"));
    assert.equal(waits.verdict, "unknown");
    assert.match(waits.unknown[0]?.reason ?? "", /waits for something that is not the store/u);
    const wrong = `export const sessions = [[async (db) => { await db.query("insert into account values (2, 1)"); undefined.x; }], [async (db) => db.query("selec 1")]];`;
    const fails = reportOf(await exploreText(CODE(wrong), "js"));
    const said = fails.unknown.map(({ reason }) => reason).join("\n");
    assert.match(said, /s1\[0\] fails: TypeError/u);
    assert.match(said, /s2\[0\]: .*syntax error.*42601/u);
  });

  it("that stop half-way are no evidence, neither side by side nor in order", async () => {
    const waits = `const add = async (db) => { await db.query("begin"); const { rows } = await db.query("select balance from account where id = 1"); if (rows[0].balance === 101) await new Promise(() => {}); await db.query("update account set balance = balance + 1 where id = 1"); await db.query("commit"); };
export const sessions = [[add], [add]];`;
    const report = reportOf(
      await exploreText(CODE(waits, SUM), "js", { levels: ["serializable"] }),
    );
    assert.deepEqual([report.verdict, report.violations, report.serial.states], ["unknown", [], 0]);
  });

  it("are compared at other levels with their timers", async () => {
    const slow = `const add = async (db) => { await db.query("begin"); const { rows } = await db.query("select balance from account where id = 1"); await new Promise((go) => setTimeout(go, 5000)); await db.query("update account set balance = $1 where id = 1", [rows[0].balance + 1]); await db.query("commit"); };
export const sessions = [[add], [add]];`;
    const [violation] = reportOf(await exploreText(CODE(slow, SUM), "js")).violations;
    assert.ok(violation);
    assert.ok(violation.anomaly.preventedBy.includes("snapshot-isolation"));
    assert.ok(violation.anomaly.allowedAt.includes("causal"));
  });

  it("assert with functions, which are told by their text and place", async () => {
    const sessions = `const one = async (db) => db.query("update account set balance = 1 where id = 1");
export const sessions = [[one]];`;
    const asserts = `
  (end) => end.aborted("s1[0]"),
  (end) => { if (end.committed("s1[0]")) throw Object.assign(new Error("1 !== 2"), { code: "ERR_ASSERTION" }); },
  function holds(end) { return end.rows("account").length === 1 && !end.aborted("s1[0]"); },
`;
    const text = CODE(sessions, asserts);
    const report = reportOf(await exploreText(text, "js"));
    const lines = text.split("\n");
    const found = report.violations.map(({ assertion, range }) => [
      assertion,
      lines[range.start.line]?.slice(range.start.character),
    ]);
    assert.deepEqual(
      found.map(([told]) => told?.slice(0, 12)),
      ["(end) => end", "(end) => { i"],
    );
    for (const [text = "", place = ""] of found)
      assert.equal(place.slice(0, 12), text.slice(0, 12));
    assert.deepEqual(report.holding, ["holds"]);
  });

  it("that cannot be loaded say why, and where", async () => {
    const cases: readonly (readonly [string, RegExp, number | undefined])[] = [
      ["export const sessions = [[async (db) => {\n await db.query( ]];", /Unexpected token/u, 1],
      ["export const x = 1;\n\nthrow new Error('boom');", /fails when it is loaded: boom/u, 2],
      [
        "export const schema = 'create table';\nexport const sessions = [[async () => 1]];",
        /the schema: /u,
        0,
      ],
      ["export const sessions = [3];", /item 0 of session 1 is no function/u, 0],
      ["export const dialect = 'oracle';\nexport const sessions = [];", /no dialect "oracle"/u, 0],
      ["import './nothing';\nexport const sessions = [];", /no file "\.\/nothing"/u, undefined],
    ];
    for (const [text, message, line] of cases) {
      const { reports, problems } = await exploreText(text, "js");
      assert.deepEqual(reports, [], text);
      assert.match(problems[0]?.message ?? "", message);
      if (line !== undefined) assert.equal(problems[0]?.range?.start.line, line, text);
    }
  });
});
