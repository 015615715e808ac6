// `isolens explore` as scripts and people use it: exit codes, text, JSON, mistakes, code that never ends.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { ExplorationReport } from "../../server/src/protocol/exploration";
import { isolens, makeFolder, type Folder } from "./cli";

const CLIENTS = path.join(__dirname, "..", "clients");

let folder: Folder;

/** Two that each decide on the other's row, in a folder, with a line above each. */
function leaving(name: string, ...above: readonly [string, string]): Record<string, string> {
  const transaction = (at: number): string => `${above[at] ?? ""}-- @transaction leave${String(at)}
BEGIN;
SELECT count(*) AS n FROM doctor WHERE oncall \\gset
UPDATE doctor SET oncall = false WHERE id = :d AND :n >= 2;
COMMIT;
`;
  return {
    [`${name}/doctor.sql`]: `CREATE TABLE doctor (id integer PRIMARY KEY, oncall boolean NOT NULL);
${transaction(0)}${transaction(1)}`,
    [`${name}/two.client.json`]: JSON.stringify({
      initial: { doctor: [1, 2].map((id) => ({ id, oncall: true })) },
      sessions: [[["leave0", 1]], [["leave1", 2]]],
      assert: ["select count(*) >= 1 from doctor where oncall"],
    }),
  };
}

before(() => {
  folder = makeFolder({
    "endless.js": `
      export const schema = "create table t (id int primary key)";
      export const sessions = [[async (db) => { await db.query("select * from t"); for (;;) {} }]];
      export const assert = ["select count(*) = 0 from t"];`,
    "lost.js": `
      export const schema = "create table t (id int primary key)";
      export const sessions = [[async (db) => { Promise.reject(new Error("nobody looks")); setTimeout(() => { throw new Error("nor here"); }, 1); await db.query("select * from t"); }]];
      export const assert = ["select count(*) = 0 from t"];`,
    "broken.json": '{ "sessions": [["withdraw", 1]] }',
    "notes.md": "# no client",
    ...leaving("own", "-- @isolens level serializable\n", "-- @isolens level serializable\n"),
    ...leaving("mixed", "-- @isolens level serializable\n", ""),
    ...leaving("none", "", ""),
  });
});

after(() => {
  folder.remove();
});

const explore = (...args: readonly string[]) => isolens(["explore", ...args], { cwd: folder.path });

const courses = path.join(CLIENTS, "courseware", "overflow.client.json");

describe("isolens explore", () => {
  it("shows the smallest execution that breaks an assertion, and ends with 1", async () => {
    const result = await explore(courses, "--level", "causal");
    assert.equal(result.code, 1, result.error);
    assert.match(result.out, /fails: select count\(\*\) <= 1 from enrolment/u);
    assert.match(result.out, /write skew/u);
    assert.match(result.out, /one at a time: s1\[1\] then s2\[1\]/u);
    assert.match(result.out, /All 12 histories that causal consistency allows/u);
  });

  it("ends with 0 where every assertion holds in every execution", async () => {
    const result = await explore(courses, "--level", "ser");
    assert.equal(result.code, 0, result.out + result.error);
    assert.match(result.out, /holds: select count/u);
  });

  it("runs transactions at the level that they ask for", async () => {
    const own = await explore("own/two.client.json", "--level", "postgres:read-committed");
    assert.equal(own.code, 0, own.out + own.error);
    assert.match(own.out, /PostgreSQL SERIALIZABLE allows/u);
    const none = await explore("none/two.client.json", "--level", "postgres:read-committed");
    assert.equal(none.code, 1, none.out + none.error);
  });

  it("refuses a client whose transactions run at several levels", async () => {
    const mixed = await explore("mixed/two.client.json", "--level", "postgres:read-committed");
    assert.equal(mixed.code, 3, mixed.out);
    assert.match(
      mixed.error,
      /leave0 at postgres:serializable, leave1 at postgres:read-committed/u,
    );
  });

  it("tells a read of an old value before the commit that it does not see", async () => {
    const { out } = await explore("none/two.client.json", "--level", "postgres:read-committed");
    const reads = [...out.matchAll(/^ +\d+ .*counts 2 rows in doctor/gmu)].map(
      ({ index }) => index,
    );
    assert.equal(reads.length, 2, out);
    assert.ok(
      reads.every((at) => at < out.indexOf("commits\n")),
      out,
    );
  });

  it("tells errors that the client's code neither awaits nor catches", async () => {
    const result = await explore("lost.js", "--level", "causal");
    assert.equal(result.code, 2, result.out + result.error);
    assert.match(result.out, /nobody awaits or catches: nobody looks/u);
  });

  it("refuses levels that client programs cannot be run at", async () => {
    const result = await explore(courses, "--level", "sqlserver:read-committed");
    assert.equal(result.code, 3);
    assert.match(result.error, /reads that wait for writers/u);
  });

  it("prints JSON for programs, one object per level", async () => {
    const one = await explore(courses, "--level", "causal", "--format", "json");
    // The output of the command line is as its own types say; the test looks at single fields.
    const report = JSON.parse(one.out) as ExplorationReport;
    assert.deepEqual(
      [report.formatVersion, report.level, report.exhausted, report.histories],
      [1, "causal", true, 12],
    );
    assert.ok(
      report.violations.every(({ history, steps }) => history !== null && steps.length > 0),
    );
    const two = await explore(courses, "--level", "rc,si", "--format", "json");
    assert.equal((JSON.parse(two.out) as readonly ExplorationReport[]).length, 2);
  });

  it("runs at random from a seed, and says that this is a sample", async () => {
    const args = [courses, "--level", "ser", "--driver", "random", "--runs", "20", "--seed", "7"];
    const result = await explore(...args);
    assert.equal(result.code, 2, result.error);
    assert.match(result.out, /20 random runs at serializability from seed 7/u);
    assert.match(result.out, /a sample, not all/u);
  });

  it("keeps what is left, and gives the same however many threads explore", async () => {
    const file = path.join(folder.path, "rest.json");
    const args = [courses, "--level", "causal", "--format", "json"];
    const plain = await explore(...args, "--threads", "1");
    const kept = await explore(...args, "--threads", "2", "--work", file);
    const again = await explore(...args, "--work", file);
    assert.deepEqual([kept.out, again.out, kept.error], [plain.out, plain.out, ""]);
    const other = await explore(courses, "--level", "ser", "--work", file);
    assert.deepEqual([other.code, other.out], [3, ""]);
    assert.match(other.error, /at causal, not at serializable/u);
  });

  it("ends with 3 for what is no client program, saying where", async () => {
    const broken = await explore("broken.json");
    assert.deepEqual([broken.code, broken.out], [3, ""]);
    assert.match(broken.error, /broken\.json:1:16: .*this is one call/u);
    for (const args of [
      ["notes.md"],
      ["missing.json"],
      [],
      [courses, "--driver", "x"],
      [courses, "--runs", "3"],
      [courses, "--level", "x"],
      [courses, "--threads", "0"],
      [courses, "--driver", "random", "--threads", "2"],
      [courses, "--level", "ser,si", "--work", "rest.json"],
      [courses, "--work", "."],
    ])
      assert.equal((await explore(...args)).code, 3, args.join(" "));
  });

  it("gives up code that never comes back", async () => {
    const result = await explore("endless.js");
    assert.equal(result.code, 2, result.error);
    assert.match(result.out, /an endless loop/u);
  });
});
