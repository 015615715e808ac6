// The actions behind a finding, clicked in a real VS Code: its script in the clipboard, its test in a file, its run on a
// database, a client program explored from its lens, a dirty read in all themes, and the proof where nothing is found.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { inWorkbench, type Workbench } from "./workbench";

/** The line of `SELECT balance INTO bal` in withdraw, from 1. */
const READ = 11;

const CLIENT = `{
  "initial": { "account": [{ "id": 1, "owner": "ann", "balance": 100 }] },
  "sessions": [[["withdraw", 1, 60]], [["withdraw", 1, 70]]],
  "assert": ["not (committed(s1[0]) and committed(s2[0]))"]
}
`;

test("an anomaly becomes a script, a test and a run on a database; a client program is explored", async () => {
  const options = { workspace: "test/apps/bank", file: "bank.sql" };
  await inWorkbench("features", options, async (workbench) => {
    const { page, folder } = workbench;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await workbench.squiggles("error").first().waitFor();

    await onLostUpdate(workbench, "Isolens: Copy as Two-Session Script");
    await workbench.statusItem("the script is in the clipboard").waitFor();
    const script = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(script, /^-- Lost update: withdraw, withdraw [^]*-- 5\. T2\n[^]*UPDATE account/);

    await onLostUpdate(workbench, "Isolens: Create Test from Anomaly");
    await workbench.choice("node:test and pg").first().click();
    const name = "lost-update-withdraw.test.ts";
    await page.waitForFunction(isSaving, name);
    await page.keyboard.press("Enter");
    await page.locator(".tab.active", { hasText: name }).waitFor();
    assert.match(readFileSync(path.join(folder, name), "utf8"), /import test from "node:test"/);
    await workbench.screenshot("features-1-test");

    await onLostUpdate(workbench, "Isolens: Reproduce on a Database");
    await workbench.statusItem("it happened on the server").waitFor();
    const replay = workbench.webview().locator(".replay");
    await replay.filter({ hasText: "It happened on the server as it is told here." }).waitFor();
    assert.match(await replay.locator("h2").innerText(), /^On PostgreSQL \d+/iu);
    await workbench.screenshot("features-2-reproduced");

    writeFileSync(path.join(folder, "withdraw.client.json"), CLIENT);
    // Beside the panel, which has the focus.
    await workbench.focusEditor("bank.sql");
    await workbench.open("withdraw.client.json");
    await workbench.clickLens("Explore client program");
    const subtitle = workbench.webview().locator(".subtitle");
    await subtitle.filter({ hasText: "fails at PostgreSQL READ COMMITTED" }).waitFor();
    await workbench.webview().locator(".schedule .card").first().waitFor();
    await workbench.squiggles("warning").first().waitFor();
    await workbench.lens("1 assertion fails").waitFor();
    await workbench.screenshot("features-3-explored");
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});

const THEMES = [
  "Default Dark Modern",
  "Default Light Modern",
  "Default High Contrast",
  "Default High Contrast Light",
];

test("a dirty read is drawn, and a stronger level proves that it is gone", async () => {
  const options = { workspace: "test/e2e/workspaces/shop", file: "shop.sql" };
  await inWorkbench("dirty", options, async (workbench) => {
    const { page, folder } = workbench;
    mkdirSync(path.join(folder, ".vscode"));
    // Beside the remark on the dialect.
    await workbench.squiggles("info").nth(1).waitFor();
    await workbench.goTo(11, 3);
    await workbench.run("Isolens: Show Anomaly");
    const panel = workbench.webview();
    await panel
      .locator(".subtitle", { hasText: /^At MySQL READ UNCOMMITTED, .*dirty read/ })
      .waitFor();
    await panel.locator(".schedule .card").nth(1).waitFor();
    for (const theme of THEMES) {
      writeFileSync(
        path.join(folder, ".vscode", "settings.json"),
        JSON.stringify({ "workbench.colorTheme": theme }),
      );
      await panel.locator(`body[data-vscode-theme-id="${theme}"]`).waitFor();
      await workbench.screenshot(`dirty-${theme.toLowerCase().replaceAll(" ", "-")}`);
      await page.keyboard.press("2");
      await workbench.screenshot(`dirty-cycle-${theme.toLowerCase().replaceAll(" ", "-")}`);
      await page.keyboard.press("1");
    }
    await workbench.focusEditor("shop.sql");
    await workbench.run("Isolens: Check at Isolation Level");
    await workbench.choice("MySQL READ COMMITTED").first().waitFor();
    await workbench.screenshot("dirty-levels");
    await workbench.choice("MySQL READ COMMITTED").first().click();
    await panel.locator(".notice.gone").waitFor();
    await workbench.squiggles("info").nth(1).waitFor({ state: "detached" });
    await workbench.lens("at MySQL READ COMMITTED").waitFor();
    await workbench.screenshot("dirty-gone");
    await workbench.run("Isolens: Show Anomaly");
    await panel.locator(".proof.proved").waitFor();
    await workbench.screenshot("dirty-proof");
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});

/** In the page: whether the dialog that asks for a file proposes this name. */
function isSaving(name: string): boolean {
  const input = document.querySelector<HTMLInputElement>(".quick-input-widget input[type=text]");
  return input?.value.endsWith(`/${name}`) === true;
}

/** A command with the cursor on the read of withdraw, for the lost update between two withdrawals. */
async function onLostUpdate(workbench: Workbench, command: string): Promise<void> {
  await workbench.focusEditor("bank.sql");
  await workbench.goTo(READ, 5);
  // The cursor stands on the finding, so that nothing is asked.
  await workbench.run(command);
}
