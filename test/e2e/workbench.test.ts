// The workbench itself: it starts from packages alone, loads the extension, and asks nothing of the network.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inWorkbench } from "./workbench";

test("VS Code opens with the extension and without the network", async () => {
  const options = { workspace: "test/apps/bank", file: "bank.sql" };
  await inWorkbench("workbench", options, async (workbench) => {
    await workbench.statusItem("PostgreSQL READ COMMITTED").waitFor();
    await workbench.page.keyboard.press("F1");
    await workbench.page.locator(".quick-input-widget input[type=text]").fill(">Isolens");
    await workbench.choice("Isolens: Check at Isolation Level").first().waitFor();
    await workbench.screenshot("workbench");
    const outside = workbench.hosts().filter((host) => !isLocal(host));
    assert.deepEqual(outside, []);
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});

/** The editor itself, or a webview's resource, which its service worker answers without a request. */
function isLocal(host: string): boolean {
  return host.startsWith("127.0.0.1:") || host.endsWith(".vscode-resource.vscode-cdn.net");
}
