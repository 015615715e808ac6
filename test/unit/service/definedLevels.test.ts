// Levels that users define, levels that do not run side by side, and what reports say about levels.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PaperLevel } from "../../../server/src/isolation/levels";
import { findLevel } from "../../../server/src/isolation/levels";
import type { LevelReport } from "../../../server/src/protocol/report";
import type { FileId } from "../../../server/src/protocol/source";
import type { Session } from "../../../server/src/service/session";
import { parseConfiguration } from "../../../server/src/workspace/configuration";
import { parseLevelFile } from "../../../server/src/workspace/levelFile";
import type { WorkspaceCheck } from "../../../server/src/service/workspaceCheck";
import { openTestSession } from "./testSession";

let session: Session;

before(async () => {
  session = await openTestSession();
});

after(async () => {
  await session.dispose();
});

function define(name: string, base: string, ...axioms: readonly string[]): PaperLevel {
  const text = JSON.stringify({ name, ...(base !== "" && { extends: base }), axioms });
  const { level, problems } = parseLevelFile(text);
  assert.ok(level, JSON.stringify(problems));
  return level;
}

const NO_CONFLICT = "forall a, b. conflict(a, b) & ar(a, b) => vis(a, b)";
const MY_PSI = define("my-psi", "causal", NO_CONFLICT);
/** Nothing but what is seen stays seen. */
const MONOTONIC = define("monotonic", "", "forall w, q, p. po(q, p) & vis(w, q) => vis(w, p)");
const MY_SERIAL = define(
  "my-serial",
  "read-atomic",
  "forall t: transaction, u: transaction. t = u | vis(t, u) | vis(u, t)",
);

const TABLES = `
CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE b (id integer PRIMARY KEY, v integer NOT NULL);
`;
const ADD = `
-- @transaction add
BEGIN;
SELECT v FROM a WHERE id = :id \\gset
UPDATE a SET v = :v + 1 WHERE id = :id;
COMMIT;
`;
const skew = (name: string, table: string): string => `
-- @transaction ${name}
BEGIN;
SELECT v AS x FROM a WHERE id = 1 \\gset
SELECT v AS y FROM b WHERE id = 1 \\gset
\\if :x + :y > 0
UPDATE ${table} SET v = -1 WHERE id = 1;
\\endif
COMMIT;
`;
const SKEW = skew("one", "a") + skew("two", "b");

interface Request {
  readonly text: string;
  readonly defined?: readonly PaperLevel[];
  readonly configuration?: object;
  readonly asked?: string;
}

async function check(request: Request): Promise<WorkspaceCheck> {
  const { text, defined = [], configuration = {}, asked } = request;
  const parsed = parseConfiguration(JSON.stringify(configuration), defined);
  assert.deepEqual(parsed.problems, []);
  const project = {
    files: [{ file: "app.sql" as FileId, text: TABLES + text }],
    context: [],
    configuration: { ...parsed.configuration, maxTransactions: 2, budget: 60_000 },
  };
  const level = asked === undefined ? undefined : findLevel(asked, defined);
  return session.checkWorkspace({ project, ...(level && { level }) }, new AbortController().signal);
}

function kinds({ report }: WorkspaceCheck): string {
  assert.deepEqual(report.unknown, []);
  assert.ok(report.anomalies.every(({ status }) => status === "confirmed"));
  return report.anomalies
    .map(({ kind }) => kind)
    .sort()
    .join();
}

function reasons({ report }: WorkspaceCheck): readonly string[] {
  return report.unknown.map(
    ({ reason, range }) => `${String((range?.start.line ?? -1) + 1)}: ${reason}`,
  );
}

describe("levels that users define", () => {
  const cases: readonly (readonly [string, string, PaperLevel, string])[] = [
    ["a lost update", ADD, MY_PSI, ""],
    ["a lost update", ADD, MONOTONIC, "lost-update"],
    ["a lost update", ADD, MY_SERIAL, ""],
    ["a write skew", SKEW, MY_PSI, "write-skew"],
    ["a write skew", SKEW, MY_SERIAL, ""],
  ];
  for (const [what, text, level, expected] of cases)
    it(`${level.name}: ${expected === "" ? "forbids" : "allows"} ${what}`, async () => {
      const result = await check({ text, defined: [level], configuration: { level: level.name } });
      assert.equal(kinds(result), expected);
      assert.equal(result.report.level, level.name);
      assert.equal(result.report.verdict, expected === "" ? "safe" : "anomaly");
    });

  it("are compared with the papers' levels, in both directions", async () => {
    const defined = [MY_PSI, MY_SERIAL];
    const at = async (asked: string, text: string): Promise<LevelReport["anomalies"][number]> => {
      const { report } = await check({ text, defined, asked });
      const [anomaly] = report.anomalies;
      assert.ok(anomaly);
      return anomaly;
    };
    const lost = await at("causal", ADD);
    assert.deepEqual(lost.preventedBy, [
      "parallel-snapshot-isolation",
      "snapshot-isolation",
      "serializable",
      "my-psi",
      "my-serial",
    ]);
    const skewed = await at("my-psi", SKEW);
    assert.deepEqual(skewed.preventedBy, ["serializable", "my-serial"]);
    assert.ok(skewed.allowedAt.includes("my-psi"));
    assert.ok(skewed.allowedAt.includes("snapshot-isolation"));
  });

  it("are named by comments and by the configuration, beside other levels of axioms", async () => {
    const two = `${ADD}-- @isolens level causal\n${ADD.replace("add", "other")}`;
    const result = await check({
      text: two.replace("-- @transaction add", "-- @isolens level my-psi\n-- @transaction add"),
      defined: [MY_PSI],
      configuration: { level: "causal" },
    });
    assert.deepEqual(result.program.notes, []);
    assert.deepEqual(result.report.levels.perTransaction, { add: "my-psi", other: "causal" });
    const pairs = result.report.anomalies.map(({ transactions }) =>
      [...transactions].sort().join(),
    );
    // Two of `add` are kept apart; what comes later in the order need not have seen it.
    assert.deepEqual(pairs.sort(), ["add,other", "other,other"]);
    const byName = await check({
      text: ADD,
      defined: [MY_PSI],
      configuration: { level: "causal", transactions: { add: { level: "my-psi" } } },
    });
    assert.equal(kinds(byName), "");
  });

  it("have answers of their own: the name is not what is remembered", async () => {
    const weak = define("store", "read-committed", "forall a. exists b. ar(a, b) | a = b");
    const strong = define("store", "causal", NO_CONFLICT);
    const configuration = { level: "store" };
    assert.equal(kinds(await check({ text: ADD, defined: [weak], configuration })), "lost-update");
    assert.equal(kinds(await check({ text: ADD, defined: [strong], configuration })), "");
  });
});

describe("levels that are not there, or do not mix", () => {
  const marked = (level: string): string =>
    ADD.replace("-- @transaction", `-- @isolens level ${level}\n-- @transaction`);

  it("an unknown name in a comment leaves the verdict open, with the nearest names", async () => {
    const result = await check({ text: marked("my-ps"), defined: [MY_PSI], asked: "serializable" });
    assert.deepEqual(reasons(result), [
      '5: there is no level "my-ps"; did you mean "my-psi"? (checked at serializable)',
    ]);
    assert.equal(result.report.verdict, "unknown");
    assert.deepEqual(
      result.program.notes.map(({ code }) => code),
      ["unknown-level"],
    );
  });

  it("a level of another product, and one of axioms beside a product's, are refused", async () => {
    for (const [level, what] of [
      ["mysql:serializable", "is a level of mysql"],
      ["snapshot-isolation", "is defined by axioms"],
    ] as const) {
      const result = await check({
        text: marked(level),
        configuration: { level: "postgres:serializable" },
      });
      assert.deepEqual(reasons(result), [
        `5: add is to run at ${level}, which ${what}, and the others at postgres:serializable, which is a level of postgres; levels that are mixed must be of one database, or all be defined by axioms (checked at postgres:serializable)`,
      ]);
    }
  });

  it("a level that is asked for in place of the project's passes over them", async () => {
    const result = await check({ text: marked("postgres:serializable"), asked: "serializable" });
    assert.deepEqual(result.report.unknown, []);
    assert.equal(result.report.verdict, "safe");
  });
});

describe("what reports say about levels", () => {
  const bases: readonly (readonly [string, string])[] = [
    ["postgres:read-committed", "measured: measured on PostgreSQL 15 and 18"],
    ["mariadb:serializable", "measured: measured on MariaDB 10.11"],
    ["mysql:serializable", "predicted: follows the documentation; not measured"],
    ["oracle:serializable", "predicted: follows the documentation; not measured"],
    ["causal", "axioms: defined by axioms"],
  ];
  for (const [asked, expected] of bases)
    it(`${asked}: ${expected}`, async () => {
      const { report } = await check({ text: "", asked });
      const told = report.basis?.map(({ evidence, text }) => `${evidence}: ${text}`);
      assert.deepEqual(told, [expected]);
    });

  it("the version that MariaDB's REPEATABLE READ depends on is told once", async () => {
    const noted = async (asked: string): Promise<number> => {
      const { program } = await check({ text: ADD + ADD.replace("add", "more"), asked });
      return program.notes.filter(({ code }) => code === "level-version").length;
    };
    assert.equal(await noted("mariadb:repeatable-read"), 1);
    assert.equal(await noted("mariadb:repeatable-read(snapshot_isolation=off)"), 0);
    assert.equal(await noted("mariadb:repeatable-read(snapshot_isolation=on)"), 0);
    assert.equal(await noted("mysql:repeatable-read"), 0);
  });

  it("a name that is spelled out has the rules of the short one", async () => {
    const told = async (asked: string) => {
      const { report } = await check({ text: ADD, asked });
      return report.anomalies.map(({ kind, preventedBy, allowedAt }) => [
        kind,
        preventedBy,
        allowedAt.filter((name) => name !== asked),
      ]);
    };
    const short = await told("mariadb:repeatable-read");
    assert.equal(short.length, 1);
    assert.deepEqual(await told("mariadb:repeatable-read(snapshot-isolation=off)"), short);
  });
});
