// `isolens testgen` from the command line: what it writes where, and what it refuses.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { isolens, makeFolder, reportsOf, type Folder } from "./cli";

const COUNTER = `CREATE TABLE counter (id integer PRIMARY KEY, n integer NOT NULL);
-- @transaction Add
BEGIN;
SELECT n FROM counter WHERE id = :id \\gset
UPDATE counter SET n = :n + 1 WHERE id = :id;
COMMIT;
`;

let folder: Folder;
let id = "";
const run = (line: string) => isolens(line.split(" "), folder.kept);

before(async () => {
  folder = makeFolder({ "counter.sql": COUNTER });
  const [report] = reportsOf(await run("check . --format json"));
  id = report?.anomalies[0]?.id ?? "";
  assert.notEqual(id, "");
});

after(() => {
  folder.remove();
});

describe("isolens testgen", () => {
  for (const [language, expected] of [
    ["sql", /^-- 1\. T1: Add\(id = \d+\), counter\.sql:3$/m],
    ["ts", /from "pg"/],
    ["java", /import org\.junit\.jupiter/],
    ["python", /^import psycopg$/m],
  ] as const) {
    it(`prints the anomaly as ${language}`, async () => {
      const { code, out, error } = await run(`testgen . --anomaly ${id} --lang ${language}`);
      assert.equal(code, 0, error);
      assert.match(out, expected);
      assert.match(out, new RegExp(`\\(isolens ${id}\\)`));
    });
  }

  it("writes a file, writes it again, and leaves alone what it has not written", async () => {
    const line = `testgen . --anomaly ${id} --lang sql --out lost.sql`;
    for (let times = 0; times < 2; times++) assert.equal((await run(line)).code, 0);
    assert.match(readFileSync(path.join(folder.path, "lost.sql"), "utf8"), /^-- /);
    folder.write("mine.txt", "mine");
    const refused = await run(`testgen . --anomaly ${id} --lang sql --out mine.txt`);
    assert.equal(refused.code, 3);
    assert.match(refused.error, /mine\.txt exists and was not generated/);
    assert.equal(readFileSync(path.join(folder.path, "mine.txt"), "utf8"), "mine");
    const nowhere = await run(`testgen . --anomaly ${id} --lang sql --out no/where.sql`);
    assert.equal(nowhere.code, 3);
    assert.match(nowhere.error, /no\/where\.sql: not written/);
  });

  for (const [line, message] of [
    ["testgen . --anomaly 00000000 --lang sql", /00000000/],
    ["testgen . --lang sql", /--anomaly/],
    ["testgen . --anomaly ID --lang cobol", /cobol/],
  ] as const) {
    it(`leaves with 3 for ${line}`, async () => {
      const { code, out, error } = await run(line.replace("ID", id));
      assert.equal(code, 3, error);
      assert.match(error, message);
      assert.equal(out, "");
    });
  }
});
