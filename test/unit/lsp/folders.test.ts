// A workspace of several folders: each is checked as its own settings say.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withServer } from "./harness";

const TEXT = "transaction A\nanomaly lost-update\n";

describe("a workspace of several folders", () => {
  it("checks each at its own level, with its own severities and lenses", async () => {
    const files = { "one/a.sql": TEXT, "two/b.sql": TEXT };
    const folders = {
      one: { level: "postgres:serializable" },
      two: { severities: { "lost-update": "hint" }, codeLens: { enabled: false } },
    };
    await withServer({ files, folders }, async (harness) => {
      await harness.open("one/a.sql", TEXT);
      await harness.open("two/b.sql", TEXT);
      const [found] = await harness.diagnostics("two/b.sql", ["1 lost-update"]);
      assert.equal(found?.severity, 4);
      await harness.status(
        ({ health, milliseconds }) => health === "ok" && milliseconds !== undefined,
      );
      const summaries = await harness.request("isolens/summaries", {});
      assert.deepEqual(summaries.map(({ level, anomalies }) => [level.name, anomalies]).sort(), [
        ["postgres:read-committed", 1],
        ["postgres:serializable", 0],
      ]);
      const lenses = async (file: string): Promise<number> => {
        const textDocument = { uri: harness.uri(file) };
        const told = await harness.client.sendRequest<readonly unknown[]>("textDocument/codeLens", {
          textDocument,
        });
        return told.length;
      };
      assert.equal(await lenses("one/a.sql"), 1);
      assert.equal(await lenses("two/b.sql"), 0);
    });
  });

  it("checks only the folders that are not checked by hand", async () => {
    const files = { "one/a.sql": TEXT, "two/b.sql": TEXT };
    const folders = { one: { check: "manual" }, two: {} };
    await withServer({ files, folders }, async (harness) => {
      await harness.open("one/a.sql", TEXT);
      await harness.open("two/b.sql", TEXT);
      await harness.diagnostics("two/b.sql", ["1 lost-update"]);
      assert.equal((await harness.request("isolens/summaries", {})).length, 1);
    });
  });
});
