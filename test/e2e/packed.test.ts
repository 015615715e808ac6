// The extension as it is published: packed, installed in a fresh editor, and used; nothing of this checkout is loaded.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { root } from "../support/browser";
import { inWorkbench } from "./workbench";

const scratch = mkdtempSync(path.join(os.tmpdir(), "isolens-vsix-"));
after(() => {
  rmSync(scratch, { recursive: true, force: true });
});

test("the packed extension finds, explains and shows in an editor that has nothing else", async () => {
  const packing = [path.join(root, "packaging", "main.mjs"), "--only", "vsix", "--out", scratch];
  execFileSync(process.execPath, packing);
  const vsix = readdirSync(scratch).find((file) => file.endsWith(".vsix"));
  assert.ok(vsix);
  assert.ok(statSync(path.join(scratch, vsix)).size < 13e6);
  const options = { workspace: "test/apps/bank", file: "bank.sql", vsix: path.join(scratch, vsix) };
  await inWorkbench("packed", options, async (workbench) => {
    await workbench.squiggles("error").first().waitFor();
    await workbench.lens("anomalies at PostgreSQL READ COMMITTED - show").waitFor();
    await workbench.focusEditor("bank.sql");
    await workbench.goTo(11, 5);
    await workbench.run("Isolens: Show Anomaly");
    await workbench.webview().getByText("What happens").first().waitFor();
    await workbench.screenshot("packed");
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
