// The programs of the gallery hold what their titles say, and nothing that only tests know.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { EXAMPLE_PROGRAMS } from "../../../client/src/features/examplePrograms";
import { isShown } from "../../../server/src/protocol/report";
import type { Session } from "../../../server/src/service/session";
import { loadProjects } from "../../../server/src/workspace/projects";
import { openTestSession } from "../service/testSession";

describe("the example programs", () => {
  let session: Session;
  before(async () => {
    session = await openTestSession();
  });
  after(() => session.dispose());

  for (const { title, kind, text } of EXAMPLE_PROGRAMS) {
    it(`${title} has ${kind ?? "nothing"}, is read exactly and has no marks of tests`, async () => {
      assert.doesNotMatch(text, /\^\^\^|@isolens|@transaction/u);
      const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-example-"));
      writeFileSync(path.join(folder, "example.sql"), text);
      const { projects } = await loadProjects([folder], { cwd: folder });
      rmSync(folder, { recursive: true });
      const [project] = projects;
      assert.ok(project);
      const { signal } = new AbortController();
      const { report } = await session.checkWorkspace({ project }, signal);
      const kinds = new Set(
        report.anomalies.filter((each) => isShown(each)).map((each) => each.kind),
      );
      assert.deepEqual([...kinds], kind === undefined ? [] : [kind]);
      assert.deepEqual(report.unknown, []);
      assert.equal(report.coverage.exact, report.coverage.statements);
    });
  }
});
