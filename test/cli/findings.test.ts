// The findings of `isolens check`: what it tells, fails on and writes, and the reports in SARIF and for GitHub.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { findingsExitCode } from "../../server/src/cli/checkCommand";
import type { FailOn } from "../../server/src/cli/findingArguments";
import { githubReport } from "../../server/src/cli/reporters/github";
import { sarifReport } from "../../server/src/cli/reporters/sarif";
import type { Anomaly, LevelReport } from "../../server/src/protocol/report";
import { isolens, makeFolder, reportsOf, type CliResult } from "./cli";
import { LOST_UPDATE, UNCONFIRMED, report } from "./reports";
import { matchSnapshot } from "./snapshot";
import { checkSarif } from "./sarifRules";

const SCHEMA = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n";

/** Reads a row and writes it from what was read, under a name of its own. */
function changes(name: string, sign = "-"): string {
  return `CREATE FUNCTION ${name}(acc int, amount int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE bal int;
BEGIN
  SELECT balance INTO bal FROM account WHERE id = acc;
  UPDATE account SET balance = bal ${sign} amount WHERE id = acc;
END $$;
`;
}

const PLACE = { file: "bank.sql", range: LOST_UPDATE.steps[0]?.range ?? assert.fail() };
const SUPPRESSED: Anomaly = {
  ...LOST_UPDATE,
  id: "1",
  suppressed: { by: "comment", reason: "a counter", ...PLACE },
};
const UNKNOWN = { reason: "the function f is not known", transactions: ["audit"], ...PLACE };
const told = (of: Partial<LevelReport>) => ({ report: report(of), folder: "db" });

describe("exit codes", () => {
  const always: FailOn = { anomalies: "all", unknown: true };
  const kinds: FailOn = { anomalies: ["lost-update"], unknown: false };
  const only: FailOn = { anomalies: "all", unknown: false };
  const never: FailOn = { anomalies: [], unknown: false };
  const having = (changed: Partial<Anomaly>) => ({ anomalies: [{ ...LOST_UPDATE, ...changed }] });
  const cases: readonly (readonly [string, Partial<LevelReport>, FailOn, number])[] = [
    ["an anomaly", {}, always, 1],
    ["an anomaly", {}, only, 1],
    ["an anomaly", {}, kinds, 1],
    ["an anomaly", {}, never, 0],
    ["an anomaly of another kind", having({ kind: "phantom" }), kinds, 0],
    ["a suppressed anomaly", { anomalies: [SUPPRESSED] }, always, 0],
    ["one that is off", having({ reportedAs: "off" }), kinds, 0],
    ["one that is information", having({ reportedAs: "information" }), always, 0],
    ["one that is information, by name", having({ reportedAs: "information" }), kinds, 1],
    ["one of a group", having({ representative: "2" }), always, 1],
    [
      "a suppressed one and something open",
      { anomalies: [SUPPRESSED], unknown: [UNKNOWN] },
      always,
      2,
    ],
    [
      "a suppressed one and something open",
      { anomalies: [SUPPRESSED], unknown: [UNKNOWN] },
      only,
      0,
    ],
    ["nothing", { verdict: "safe", anomalies: [] }, always, 0],
    [
      "one that is not confirmed",
      { verdict: "unknown", anomalies: [UNCONFIRMED], unknown: [UNKNOWN] },
      always,
      2,
    ],
    ["a cancelled check", { verdict: "cancelled", anomalies: [] }, only, 2],
    ["a cancelled check", { verdict: "cancelled", anomalies: [] }, kinds, 2],
    ["a cancelled check", { verdict: "cancelled", anomalies: [] }, never, 0],
  ];
  for (const [name, of, failOn, code] of cases) {
    it(`${name} with ${JSON.stringify(failOn)}: ${String(code)}`, () => {
      assert.equal(findingsExitCode([report(of)], failOn), code);
    });
  }
});

describe("the report for GitHub", () => {
  it("has a command for each finding and open question", () => {
    const of = {
      anomalies: [{ ...LOST_UPDATE, reportedAs: "error" as const }],
      unknown: [UNKNOWN],
    };
    assert.deepEqual(githubReport([told(of)]).split("\n"), [
      "::error file=db/bank.sql,line=14,col=3,endColumn=40,title=Lost update at postgres%3Aread-committed::withdraw overwrites what another withdraw wrote after it read the balance.",
      "::notice file=db/bank.sql,line=14,col=3,endColumn=40,title=Undecided at postgres%3Aread-committed::the function f is not known (audit)",
      "",
    ]);
  });

  it("escapes what would end a property or a line", () => {
    const file = "a,b:100%\n.sql";
    const end = { line: 16, character: 1 };
    const unknown = [
      { reason: "50% of\r\nit", transactions: [], file, range: { ...PLACE.range, end } },
    ];
    assert.equal(
      githubReport([{ report: report({ anomalies: [], unknown }), folder: ".." }]),
      `::notice file=../a%2Cb%3A100%25%0A.sql,line=14,endLine=17,title=Undecided at postgres%3Aread-committed::50%25 of%0D%0Ait\n`,
    );
  });

  it("leaves out what is suppressed, off, or told by another", () => {
    const hidden: readonly Anomaly[] = [
      SUPPRESSED,
      { ...LOST_UPDATE, reportedAs: "off" },
      { ...LOST_UPDATE, representative: "7" },
      UNCONFIRMED,
    ];
    assert.equal(githubReport([told({ anomalies: hidden })]), "");
    assert.equal(
      githubReport([told({ anomalies: hidden })], { all: true, suppressed: true }).split("\n")
        .length,
      4,
    );
  });
});

describe("the SARIF report", () => {
  const sarif = (of: Partial<LevelReport>, shown = {}): string =>
    sarifReport([told(of)], { version: "1.2.3", shown });
  const run = (of: Partial<LevelReport>, shown = {}) => {
    const text = sarif(of, shown);
    return checkSarif(text);
  };

  it("is as it was", () => {
    matchSnapshot("report.sarif", sarif({ unknown: [UNKNOWN] }));
  });

  it("has the structure that the standard asks for", () => {
    const [{ results } = assert.fail()] = run({
      anomalies: [LOST_UPDATE, { ...LOST_UPDATE, reportedAs: "information" }, SUPPRESSED],
      unknown: [UNKNOWN, { reason: "time", transactions: [] }],
    });
    assert.deepEqual(
      results.map(({ level, suppressions }) => [level, suppressions?.length]),
      [
        ["warning", undefined],
        ["note", undefined],
      ],
    );
  });

  it("has one thread for each instance, and one for the schedule", () => {
    const [{ results } = assert.fail()] = run({});
    const [schedule, apart] = results[0]?.codeFlows ?? [];
    assert.deepEqual(
      schedule?.threadFlows.map(({ id }) => id),
      ["schedule"],
    );
    assert.deepEqual(
      apart?.threadFlows.map(({ id }) => id),
      ["T1", "T2"],
    );
    const orders = (flow: typeof schedule): readonly number[] =>
      flow?.threadFlows.flatMap(({ locations }) => locations.map((each) => each.executionOrder)) ??
      [];
    assert.deepEqual(
      [...orders(apart)].sort((a, b) => a - b),
      orders(schedule),
    );
  });

  it("tells findings of the same content apart, and marks what is suppressed where that is asked", () => {
    const twin = { ...LOST_UPDATE, fingerprint: "f" };
    const [{ results } = assert.fail()] = run(
      { anomalies: [twin, twin, SUPPRESSED] },
      { suppressed: true },
    );
    assert.deepEqual(
      results.map((each) => each.partialFingerprints["isolensFinding/v1"]),
      ["f:postgres:read-committed", "f:postgres:read-committed:2", "1:postgres:read-committed"],
    );
    assert.deepEqual(
      results[2]?.suppressions?.map(({ kind, justification }) => [kind, justification]),
      [["inSource", "a counter"]],
    );
  });

  it("says that a cancelled run was no success", () => {
    const [{ invocations } = assert.fail()] = run({ verdict: "cancelled", anomalies: [] });
    assert.equal(invocations[0]?.executionSuccessful, false);
  });

  it("writes odd names of files as references", () => {
    const file = "a b/\u00e4#1:%.sql";
    const [edge = assert.fail()] = LOST_UPDATE.cycle;
    const odd = { ...LOST_UPDATE, cycle: [{ ...edge, from: { ...edge.from, file } }] };
    const [{ results } = assert.fail()] = run({ anomalies: [odd] });
    assert.equal(
      results[0]?.locations[0]?.physicalLocation.artifactLocation.uri,
      "db/a%20b/%C3%A4%231%3A%25.sql",
    );
  });
});

/** Handlers that read and write by the same two helpers, with a comment above the helper that writes. */
function helpers(names: readonly string[], comment: string): string {
  const handlers = names.map(
    (name, at) => `export async function ${name}(id: number, amount: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  const balance = await load(client, id);
  await save(client, id, balance - ${String(at + 1)} * amount);
  await client.query("COMMIT");
}
`,
  );
  return `import { Pool } from "pg";
import type { PoolClient } from "pg";
const pool = new Pool();
async function load(client: PoolClient, id: number) {
  const { rows } = await client.query("SELECT balance FROM account WHERE id = $1", [id]);
  return rows[0].balance;
}
async function save(client: PoolClient, id: number, balance: number) {
  ${comment}
  await client.query(
    \`UPDATE account
      SET balance = $1 WHERE id = $2\`,
    [balance, id],
  );
}
${handlers.join("")}`;
}

describe("a run over application code", () => {
  const code = (comment: string) => ({
    "schema.sql": SCHEMA,
    "bank.ts": helpers(["withdraw", "fee", "tax"], comment),
  });

  it("tells one finding for each transaction whose read goes stale, with its partners", async () => {
    const folder = makeFolder(code("// nothing here"));
    try {
      const result = await isolens(["check", ".", "--format", "json"], folder.kept);
      assert.equal(result.code, 1, result.error);
      const [report] = reportsOf(result);
      const lost = report?.anomalies ?? [];
      // Of two transactions either may lose what the other wrote.
      assert.equal(lost.length, 9);
      const causes = report?.causes ?? [];
      assert.deepEqual(causes.map(({ transactions }) => transactions.join()).sort(), [
        "fee",
        "tax",
        "withdraw",
      ]);
      assert.deepEqual(
        causes.flatMap(({ anomalies }) => anomalies).sort(),
        lost.map(({ id }) => id).sort(),
      );
      for (const { id, cause, representative } of lost) {
        const own = causes.find((each) => each.id === cause);
        assert.ok(own);
        assert.ok(own.anomalies.includes(id));
        assert.equal(representative, own.anomalies[0] === id ? undefined : own.anomalies[0]);
      }
      const text = await isolens(["check", "."], folder.kept);
      assert.match(text.out, /races with [^.]*itself[.]/u);
      assert.match(text.out, /the worst of \d cycles \(--all\)/u);
      assert.match(text.out, /^3 causes of 9 anomalies at /mu);
      const all = await isolens(["check", ".", "--all"], folder.kept);
      assert.equal(all.out.match(/\(lost update\)[.]/gu)?.length, 9);
    } finally {
      folder.remove();
    }
  });

  it("names the calls that lead to a statement", async () => {
    const folder = makeFolder({
      "schema.sql": SCHEMA,
      "bank.ts": `import type { PoolClient } from "pg";
import { read } from "./read";
export async function withdraw(client: PoolClient, id: number) {
  await client.query("BEGIN");
  const balance = await read(client, id);
  await client.query("UPDATE account SET balance = $1 WHERE id = $2", [balance - 1, id]);
  await client.query("COMMIT");
}`,
      "read.ts": `import type { PoolClient } from "pg";
export async function read(client: PoolClient, id: number) {
  const { rows } = await client.query("SELECT balance FROM account WHERE id = $1", [id]);
  return rows[0].balance;
}`,
    });
    try {
      const checked = await isolens(["check", ".", "--format", "json"], folder.kept);
      const id = reportsOf(checked)[0]?.anomalies[0]?.id ?? "";
      const result = await isolens(["show", ".", "--anomaly", id], folder.kept);
      assert.match(
        result.out,
        /read\.ts:3:40\n +by way of read\(\), bank\.ts:5:25$/mu,
        result.error,
      );
    } finally {
      folder.remove();
    }
  });

  for (const comment of [
    "// @isolens ignore lost-update -- queued",
    "/* @isolens ignore lost-update -- queued */",
    "/**\n   * @isolens ignore lost-update -- queued\n   */",
  ]) {
    it(`is suppressed by ${JSON.stringify(comment)}`, async () => {
      const folder = makeFolder(code(comment));
      try {
        const result = await isolens(["check", "."], folder.kept);
        assert.equal(result.code, 0, result.out + result.error);
        assert.match(result.out, /^Not told: 9 suppressed by comments \(--show-suppressed\)\.$/mu);
        assert.equal(result.error, "");
      } finally {
        folder.remove();
      }
    });
  }
});

describe("a run over files", () => {
  const folder = makeFolder({
    "bank.sql": `${SCHEMA}${changes("withdraw")}${changes("deposit", "+")}`,
  });
  after(() => {
    folder.remove();
  });
  const run = (...args: readonly string[]): Promise<CliResult> =>
    isolens(["check", "bank.sql", ...args], folder.kept);

  it("writes a baseline, is silent with it, and tells only what is new", async () => {
    const first = await run("--write-baseline", "base.json", "--format", "json");
    assert.equal(first.code, 0, first.error);
    assert.match(first.error, /^isolens: base\.json written with \d+ findings?$/mu);
    const again = await run("--baseline", "base.json");
    assert.equal(again.code, 0, again.out);
    assert.match(again.out, /^Nothing to tell at /mu);
    assert.match(again.out, /^Not told: \d+ in the baseline \(--show-suppressed\)\.$/mu);

    // Renamed, moved down and laid out anew; and one transaction more.
    const text = readFileSync(path.join(folder.path, "bank.sql"), "utf8");
    const moved = `-- a remark\n\n${text.replaceAll("  UPDATE account SET", "  update account\n    set")}`;
    folder.write("moved.sql", moved);
    folder.write("more.sql", `${moved}${changes("fee", "- 1 -")}`);
    const only = async (file: string) =>
      isolens(["check", file, "--baseline", "base.json", "--format", "json"], folder.kept);
    const still = await only("moved.sql");
    assert.equal(still.code, 0, still.error);
    assert.equal(still.error, "");
    const more = await only("more.sql");
    assert.equal(more.code, 1);
    // The new transaction is a cause of its own; what the known ones do to it is known.
    const [report] = reportsOf(more);
    const told = (report?.anomalies ?? []).filter(({ suppressed }) => suppressed === undefined);
    assert.ok(told.every(({ transactions }) => transactions.includes("fee")));
    assert.ok(told.some(({ transactions }) => transactions.join() === "fee,fee"));
    const known = (report?.anomalies ?? []).filter(({ suppressed }) => suppressed !== undefined);
    assert.ok(known.some(({ transactions }) => transactions.includes("fee")));
  });

  it("reads a baseline of the old version, says what to do, and writes it anew with its reasons", async () => {
    const found = reportsOf(await run("--format", "json"))[0]?.anomalies ?? [];
    const prints = found.map(({ fingerprint }) => fingerprint);
    const findings = [...new Set(prints)].map((each) => ({
      fingerprint: each,
      count: prints.filter((other) => other === each).length,
      kind: "lost-update",
      transactions: ["a", "b"],
      statements: [],
      reason: "a hint",
    }));
    const old = JSON.stringify({ format: "isolens-baseline", version: 1, findings });
    folder.write("v1.json", old);
    const still = await run("--baseline", "v1.json");
    assert.equal(still.code, 0, still.out);
    assert.match(still.error, /^isolens: v1\.json: this baseline is of version 1, .*anew/mu);
    await run("--write-baseline", "v1.json");
    const text = readFileSync(path.join(folder.path, "v1.json"), "utf8");
    assert.match(text, /"version": 2/u);
    assert.equal(text.match(/"reason": "a hint"/gu)?.length, text.match(/"read": /gu)?.length);
    const again = await run("--baseline", "v1.json");
    assert.equal(again.code, 0, again.out);
    assert.equal(again.error, "");
  });

  it("says which entries of a baseline are not found any more", async () => {
    await run("--write-baseline", "old.json", "--output", "out.txt");
    assert.ok(existsSync(path.join(folder.path, "out.txt")));
    folder.write("less.sql", `${SCHEMA}${changes("deposit", "+")}`);
    const less = await isolens(["check", "less.sql", "--baseline", "old.json"], folder.kept);
    assert.equal(less.code, 0);
    assert.match(
      less.error,
      /^isolens: old\.json: \d entr(y is|ies are) not found any more: lost-update of /mu,
    );
    assert.match(less.error, /withdraw/u);
  });

  it("refuses a broken baseline, wherever it is named", async () => {
    folder.write("broken.json", '{ "format": "isolens-baseline", "version": 7 }');
    const given = await run("--baseline", "broken.json");
    assert.equal(given.code, 3);
    assert.match(given.error, /^isolens: broken\.json:1:44: this baseline has version 7/u);
    assert.equal(given.out, "");
    const missing = await run("--baseline", "none.json");
    assert.equal(missing.code, 3);
    assert.match(
      missing.error,
      /none\.json: the baseline cannot be read \(not read: no such file/u,
    );
    const named = makeFolder({
      "a.sql": SCHEMA,
      "isolens.json": '{ "baseline": "broken.json" }',
      "broken.json": "[]",
    });
    try {
      const result = await isolens(["check", "."], { cwd: named.path });
      assert.equal(result.code, 3);
      assert.match(
        result.error,
        /^isolens: isolens\.json:1:15: broken\.json:1:1: this is no baseline/u,
      );
    } finally {
      named.remove();
    }
  });

  it("suppresses by comments, and says which suppress nothing", async () => {
    const ignored = changes("withdraw").replace(
      "  SELECT",
      "  -- @isolens ignore lost-update -- withdrawals are queued\n  SELECT",
    );
    folder.write(
      "ignored.sql",
      `${SCHEMA}${ignored}-- @isolens ignore phantom -- old\n${changes("deposit", "+").replace("bal + amount", "balance + amount")}`,
    );
    const result = await isolens(["check", "ignored.sql", "--format", "json"], folder.kept);
    assert.equal(result.code, 0, result.out);
    const [{ anomalies, verdict } = assert.fail()] = reportsOf(result);
    assert.equal(verdict, "anomaly");
    const on = anomalies.filter(({ reportedAs }) => reportedAs !== "off");
    assert.ok(on.length > 0);
    for (const { suppressed } of on) {
      assert.equal(suppressed?.reason, "withdrawals are queued");
      assert.equal(suppressed.range?.start.line, 4);
    }
    assert.match(
      result.error,
      /^isolens: ignored\.sql:\d+:4: No phantom is found here: the comment suppresses nothing\.$/mu,
    );
    const shown = await isolens(["check", "ignored.sql", "--show-suppressed"], folder.kept);
    assert.match(
      shown.out,
      /suppressed by the comment at ignored\.sql:5:6: withdrawals are queued/u,
    );
    assert.equal(shown.code, 0);
  });

  it("takes severities from isolens.json", async () => {
    const own = makeFolder({
      "bank.sql": `${SCHEMA}${changes("withdraw")}`,
      "isolens.json": '{ "severities": { "lost-update": "error", "write-skew": "hint" } }',
    });
    try {
      const result = await isolens(["check", ".", "--format", "github"], { cwd: own.path });
      assert.match(result.out, /^::error file=bank\.sql,line=5,/u);
      own.write("isolens.json", '{ "severities": { "lost-update": "off", "lost-updat": "hint" } }');
      const wrong = await isolens(["check", "."], { cwd: own.path });
      assert.equal(wrong.code, 3);
      assert.match(
        wrong.error,
        /there is no kind of anomaly "lost-updat"; did you mean "lost-update"\?/u,
      );
      own.write("isolens.json", '{ "severities": { "lost-update": "off" } }');
      const off = await isolens(["check", "."], { cwd: own.path });
      assert.equal(off.code, 0);
      assert.match(off.out, /^Not told: 1 of kinds that are off \(--all\)\.$/mu);
    } finally {
      own.remove();
    }
  });

  it("tells what was understood file by file", async () => {
    folder.write("data.sql", new Uint8Array([0, 1, 2, 0, 255, 0]));
    const args = ["check", "bank.sql", "data.sql", "--coverage"];
    const result = await isolens([...args, "--format", "json"], folder.kept);
    const [{ files = [] } = assert.fail()] = reportsOf(result);
    assert.deepEqual(
      files.map(({ file, transactions, statements, exact, anomaly, skipped }) => [
        file,
        transactions,
        statements,
        exact,
        anomaly,
        skipped,
      ]),
      [
        ["bank.sql", 2, 4, 4, 2, undefined],
        ["data.sql", 0, 0, 0, 0, "not read: binary, not text"],
      ],
    );
    const text = await isolens(args, folder.kept);
    assert.match(text.out, /^bank\.sql +2 +4 +4 +0 +0 +0 +0 +2 +0 +0$/mu);
    assert.match(text.out, /^data\.sql: not read: binary, not text$/mu);
  });

  it("counts the calls of the database that nothing leads to", async () => {
    const own = makeFolder({
      "kept.ts": `import { Pool } from "pg";
const pool = new Pool();
export async function f(id) {
  const never = { later: async () => pool.query("DELETE FROM account WHERE id = $1", [id]) };
  await pool.query("UPDATE account SET balance = 0 WHERE id = $1", [id]);
}
`,
    });
    try {
      const text = await isolens(["check", ".", "--coverage"], { cwd: own.path });
      assert.match(text.out, /^kept\.ts +1 +1 +1 +0 +0 +0 +1 +0 +1 +0$/mu);
    } finally {
      own.remove();
    }
  });

  it("says where it cannot write", async () => {
    const result = await run("--output", "no/such/folder.txt");
    assert.equal(result.code, 3);
    assert.match(result.error, /no\/such\/folder\.txt cannot be written: no such file or folder/u);
    assert.equal(result.out, "");
  });
});
