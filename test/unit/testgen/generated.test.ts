// Generated tests on a real PostgreSQL: they fail while the anomaly is possible, and pass after it was fixed.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TemporaryServer } from "../../../server/src/replay/servers/temporary";
import type { SourceFile } from "../../../server/src/frontend/sql/readProgram";
import { serverFor } from "../../support/liveServers";
import { app, sql } from "../truth/analyse";
import { findIn, generated, openTestFolder, runNode, type TestFolder } from "./testgenCases";

const READ_COMMITTED = "postgres:read-committed";
const FAILURE = /at the same time gives what no order one after the other gives/g;

interface Case {
  readonly name: string;
  readonly files: readonly SourceFile[];
  readonly level?: string;
  /** At most so many anomalies. */
  readonly most?: number;
  /** The fix: of the user's files, or of the test. */
  readonly fix: (text: string) => string;
}

const lockReads = (text: string): string =>
  text.replace(/(SELECT \w+ INTO \w+ FROM \w+ WHERE \w+ = \w+);/g, "$1 FOR UPDATE;");
const raiseLevel = (text: string): string =>
  text.replace(/^(const )?LEVEL = .*$/m, '$1LEVEL = "SERIALIZABLE"');

const CASES: readonly Case[] = [
  {
    name: "routines of a bank, fixed by locking the reads",
    files: app("bank"),
    most: 2,
    fix: lockReads,
  },
  {
    name: "scripts of SmallBank, fixed by the level",
    files: app("smallbank"),
    most: 2,
    fix: raiseLevel,
  },
  {
    name: "placeholders of another style, and values of uuids, enumerations and short texts",
    files: [
      sql(`CREATE TYPE state AS ENUM ('open', 'closed', 'gone');
CREATE TABLE t (k text, owner uuid, s state, c char(1), at time, PRIMARY KEY (k, owner), v int NOT NULL);
-- @transaction Add
BEGIN;
SELECT v FROM t WHERE k = $1 AND owner = $2 AND s = $3 AND s <> 'gone' AND c = $4 AND at = $5 \\gset
UPDATE t SET v = :v + 1 WHERE k = $1 AND owner = $2;
COMMIT;`),
    ],
    fix: raiseLevel,
  },
];

describe("generated tests on PostgreSQL", () => {
  let temporary: TemporaryServer | undefined;
  const folders: TestFolder[] = [];
  before(async () => {
    temporary = await serverFor("postgres", { diagnostic: () => undefined });
  });
  after(async () => {
    for (const folder of folders) folder.remove();
    await temporary?.stop();
  });

  for (const { name, files, level = READ_COMMITTED, most = 9, fix } of CASES)
    test(name, async (context) => {
      if (!temporary) {
        context.diagnostic("not run: PostgreSQL (generated tests)");
        return;
      }
      const { address, server } = temporary;
      const found = await findIn(files, level);
      const anomalies = found.anomalies.slice(0, most);
      assert.ok(anomalies.length > 0, "there is nothing to test");
      const folder = openTestFolder(files);
      folders.push(folder);
      const texts: { readonly file: string; readonly text: string }[] = [];
      for (const [number, anomaly] of anomalies.entries()) {
        const file = `a${String(number)}.test.ts`;
        const made = await generated(found, anomaly, "ts");
        assert.ok(made.ok, made.ok ? "" : made.reason);
        texts.push({ file, text: made.text });
        folder.write(file, made.text);
      }
      const nodeFiles = texts.map(({ file }) => file);

      const broken = await runNode(folder, nodeFiles, address);
      assert.equal(broken.failed, anomalies.length, broken.out);
      assert.equal(broken.out.match(FAILURE)?.length, anomalies.length, broken.out);
      for (const { file, text } of [...files, ...texts]) folder.write(file, fix(text));
      const fixed = await runNode(folder, nodeFiles, address);
      assert.equal(fixed.passed, anomalies.length, fixed.out);
      assert.equal(fixed.failed, 0, fixed.out);

      const session = await server.open();
      const left = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'isolens%'";
      assert.deepEqual(await session.execute(left), { ok: true, rows: [], affected: 0 });
      await session.close();
    });
});
