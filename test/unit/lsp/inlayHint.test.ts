// Hints behind reads that go stale: off at first, told of causes, and gone with them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InlayHint } from "vscode-languageserver-protocol/node";
import { withServer, type Harness } from "./harness";

const TEXT = "transaction A\nanomaly lost-update\n";

async function hintsOf(
  harness: Harness,
  lines: readonly [number, number],
): Promise<readonly InlayHint[]> {
  const [start, end] = lines.map((line) => ({ line, character: 0 }));
  return harness.client.sendRequest("textDocument/inlayHint", {
    textDocument: { uri: harness.uri("a.sql") },
    range: { start, end },
  });
}

describe("hints of what a read may miss", () => {
  it("are off at first", async () => {
    await withServer({ files: { "a.sql": TEXT } }, async (harness) => {
      await harness.open("a.sql", TEXT);
      await harness.diagnostics("a.sql", ["1 lost-update"]);
      assert.deepEqual(await hintsOf(harness, [0, 9]), []);
    });
  });

  it("name the partners of the read's cause, within the lines that are asked for", async () => {
    const settings = { inlayHints: { enabled: true } };
    await withServer({ files: { "a.sql": TEXT }, settings }, async (harness) => {
      await harness.open("a.sql", TEXT);
      await harness.diagnostics("a.sql", ["1 lost-update"]);
      const [hint, ...others] = await hintsOf(harness, [0, 9]);
      assert.deepEqual(others, []);
      assert.equal(hint?.label, "may miss writes of another run of it");
      assert.deepEqual(hint.position, { line: 1, character: "anomaly lost-update".length });
      assert.deepEqual(await hintsOf(harness, [2, 9]), []);
    });
  });
});
