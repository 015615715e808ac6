// Primary and unique keys hold at every level but `any`: of two transactions that insert the same, one fails.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { runExploreJob } from "../../../server/src/service/exploration/job";
import type { ExplorationReport } from "../../../server/src/protocol/exploration";

const SCHEMA =
  "create table person (id int primary key, email text unique, name text, unique (name, email));";
const ROUTINES = `${SCHEMA}
create function enter(i int, mail text) returns void language plpgsql as $$
begin insert into person values (i, mail, 'x'); end $$;
create function enter_if(i int, mail text) returns void language plpgsql as $$
begin insert into person values (i, mail, 'x') on conflict do nothing; end $$;
create function leave(i int) returns void language plpgsql as $$
begin delete from person where id = i; end $$;
`;
const LEVELS = [
  "read-committed",
  "read-atomic",
  "causal",
  "prefix",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
  "serializable",
  "postgres:read-committed",
  "postgres:repeatable-read",
  "mariadb:repeatable-read",
];

let folder = "";
let files = 0;
before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "isolens-keys-"));
  writeFileSync(path.join(folder, "person.sql"), ROUTINES);
});
after(() => {
  rmSync(folder, { recursive: true });
});

async function explore(
  text: string,
  extension: string,
  levels: readonly string[],
  random?: number,
): Promise<readonly ExplorationReport[]> {
  files += 1;
  const file = path.join(folder, `client${String(files)}.${extension}`);
  writeFileSync(file, text);
  const driver =
    random === undefined
      ? ({ kind: "exhaustive" } as const)
      : ({ kind: "random", runs: random, seed: 1 } as const);
  const job = { file, name: path.basename(file), levels, driver, budget: 60_000, tool: "test" };
  let clock = 0;
  const { reports, problems } = await runExploreJob(job, {
    cancelled: () => false,
    progress: () => undefined,
    now: () => (clock += 0.01),
  });
  assert.deepEqual(problems, []);
  return reports;
}

function inJson(sessions: unknown, assertion: string, initial: unknown = {}): string {
  return JSON.stringify({ program: "person.sql", initial, sessions, assert: [assertion] });
}

function inCode(body: string, assertion: string): string {
  return `export const schema = ${JSON.stringify(SCHEMA)};
const enter = (id, email) => async (db) => {
  await db.query("begin");
  ${body}
  await db.query("insert into person values ($1, $2, 'x')", [id, email]);
  await db.query("commit");
};
export const sessions = [[enter(1, "a")], [enter(IDENTITY, "a")]];
export const assert = [${JSON.stringify(assertion)}];`;
}

const ONE = "select count(*) = 1 from person";
const FIRST = "committed(s1[0]) + committed(s2[0]) = 1";

describe("unique keys", () => {
  it("refuse the second of two routines that insert the same key or the same unique value", async () => {
    for (const second of [
      ["enter", 1, "b"],
      ["enter", 2, "a"],
    ])
      for (const assertion of [ONE, FIRST])
        for (const report of await explore(
          inJson([[["enter", 1, "a"]], [second]], assertion),
          "json",
          LEVELS,
        ))
          assert.deepEqual(
            [report.level, report.violations.length, report.exhausted, report.serial.states],
            [report.level, 0, true, 2],
          );
  });

  it("refuse the second of two functions that insert the same, whoever reads before", async () => {
    for (const body of ["", 'await db.query("select * from person");'])
      for (const identity of ["1", "2"])
        for (const report of await explore(
          inCode(body, ONE).replace("IDENTITY", identity),
          "js",
          LEVELS,
        ))
          assert.deepEqual([report.level, report.verdict], [report.level, unbroken(report.level)]);
  });

  it("are the business of nobody at no level at all", async () => {
    const text = inJson([[["enter", 1, "a"]], [["enter", 1, "b"]]], FIRST);
    const [report] = await explore(text, "json", ["any"]);
    assert.equal(report?.verdict, "anomaly");
  });

  it("may be free again", async () => {
    const initial = { person: [{ id: 1, email: "a", name: "x" }] };
    const sessions = [[["leave", 1]], [["enter_if", 2, "a"]], [["enter_if", 3, "a"]]];
    const asked = inJson(sessions, "select count(*) <= 1 from person", initial);
    const entered = inJson(sessions, "select count(*) = 0 from person", initial);
    for (const report of await explore(asked, "json", LEVELS))
      assert.deepEqual([report.level, report.verdict], [report.level, unbroken(report.level)]);
    const [report] = await explore(entered, "json", ["causal"]);
    assert.equal(report?.verdict, "anomaly", "somebody enters");
  });

  it("hold in random runs, which are drawn again", async () => {
    const sessions = [1, 2, 3, 4].map((id) => [["enter", id, "a"]]);
    for (const report of await explore(inJson(sessions, ONE), "json", LEVELS, 60))
      assert.deepEqual(
        [report.level, report.histories, report.violations.length],
        [report.level, 60, 0],
      );
  });
});

/** The verdict where nothing breaks: what PostgreSQL's statements find before they wait is not explored. */
function unbroken(level: string): string {
  return level === "postgres:read-committed" ? "unknown" : "safe";
}
