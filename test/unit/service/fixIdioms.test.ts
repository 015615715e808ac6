// The words of each library: in the small programs of test/fixes, the first fix of a kind is the edit that its users write.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { FixKind } from "../../../server/src/protocol/fixes";
import type { Session } from "../../../server/src/service/session";
import { loadProjects } from "../../../server/src/workspace/projects";
import { openTestSession } from "./testSession";

const ROOT = path.join(__dirname, "..", "..");

let session: Session;

before(async () => {
  session = await openTestSession();
});

after(async () => {
  await session.dispose();
});

const CASES: readonly {
  readonly program: string;
  readonly kind: FixKind;
  readonly edits: readonly string[];
}[] = [
  { program: "mysql2-stock", kind: "row-lock", edits: [" FOR UPDATE"] },
  {
    program: "mysql2-desks",
    kind: "anchor-lock",
    edits: [
      'await connection.execute("SELECT 1 FROM desk WHERE id = ? FOR UPDATE", [desk]);\n    ',
    ],
  },
  {
    program: "mysql2-desks",
    kind: "raised-level",
    edits: ['await connection.query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");\n    '],
  },
  { program: "postgresjs-stock", kind: "row-lock", edits: [" FOR UPDATE"] },
  {
    program: "postgresjs-stock",
    kind: "raised-level",
    edits: ['"isolation level serializable", '],
  },
  { program: "pgpromise-stock", kind: "row-lock", edits: [" FOR UPDATE"] },
  { program: "slonik-stock", kind: "row-lock", edits: [" FOR UPDATE"] },
  { program: "jdbc-stock", kind: "row-lock", edits: [" FOR UPDATE"] },
  { program: "pg-seats", kind: "anchor-lock", edits: [" FOR UPDATE"] },
  { program: "pg-seats", kind: "raised-level", edits: [" ISOLATION LEVEL SERIALIZABLE"] },
  {
    program: "booking-sql",
    kind: "anchor-lock",
    edits: ["PERFORM 1 FROM room WHERE id = the_room FOR UPDATE;\n  "],
  },
  { program: "mysql-routine", kind: "row-lock", edits: [" FOR UPDATE"] },
  { program: "ledger-plpgsql", kind: "guarded-update", edits: ["", "credit"] },
];

describe("fixes in the words of each library", () => {
  for (const { program, kind, edits } of CASES)
    it(`${program}: ${kind}`, async () => {
      const folder = path.join(ROOT, "fixes", program);
      const { projects } = await loadProjects([folder], { cwd: folder });
      const [project] = projects;
      assert.ok(project);
      const signal = AbortSignal.timeout(120_000);
      const { report } = await session.checkWorkspace({ project }, signal);
      const [anomaly] = report.anomalies;
      assert.ok(anomaly);
      const { fixes, advice } = await session.fixes({ project, anomaly, kinds: [kind] }, signal);
      assert.deepEqual(
        fixes.map((fix) => [fix.kind, fix.edits.map(({ newText }) => newText)]),
        [[kind, edits]],
        JSON.stringify(advice),
      );
    });
});
