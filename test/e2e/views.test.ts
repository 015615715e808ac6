// Features that are off at first, switched on in a real VS Code and seen in all kinds of themes: hints, marks in the gutter, the Test view;
// and what a newcomer begins with: an example program and the walkthrough.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { inWorkbench } from "./workbench";

const THEMES = [
  "Default Dark Modern",
  "Default Light Modern",
  "Default High Contrast",
  "Default High Contrast Light",
];

test("hints, marks in the gutter and the Test view show what is known of transactions", async () => {
  const settings = {
    "isolens.inlayHints.enabled": true,
    "isolens.gutter.enabled": true,
    "isolens.testView.enabled": true,
  };
  const options = { workspace: "test/apps/bank", file: "bank.sql", settings };
  await inWorkbench("views", options, async (workbench) => {
    const { page, folder } = workbench;
    await workbench.checked(53);
    await page
      .locator(".view-line", { hasText: "may miss writes of 3 transactions" })
      .first()
      .waitFor();
    await page.locator(".glyph-margin-widgets .cgmr").first().waitFor();

    await workbench.run("Testing: Focus on Test Explorer View");
    const row = (text: string | RegExp) =>
      page.locator(".test-explorer .monaco-list-row", { hasText: text });
    await row("bank.sql").first().waitFor();
    await workbench.run("Test: Run All Tests");
    await row("bank.sql").locator(".codicon-testing-failed-icon").first().waitFor();
    await row("bank.sql").first().click();
    await page.keyboard.press("ArrowRight");
    await row("withdraw").locator(".codicon-testing-failed-icon").first().waitFor();
    await row("balance_of").locator(".codicon-testing-passed-icon").first().waitFor();

    await workbench.run("Isolens: Show Map of Transactions");
    const map = workbench.webview();
    await map.getByRole("heading", { name: "Transactions and the tables" }).waitFor();
    await map
      .getByRole("button", { name: /^withdraw/u })
      .first()
      .click();
    await map.locator(".pairs li.racing").first().waitFor();
    assert.equal(await map.locator(".pairs li.racing").count(), 3);
    await workbench.screenshot("views-map");
    await map.locator(".pairs li.racing button").first().click();
    await map.getByText("executed and confirmed").first().waitFor();
    await workbench.run("View: Close Editor");

    mkdirSync(path.join(folder, ".vscode"));
    for (const theme of THEMES) {
      writeFileSync(
        path.join(folder, ".vscode", "settings.json"),
        JSON.stringify({ "workbench.colorTheme": theme }),
      );
      const kind = theme.includes("Contrast") ? "hc" : "vs";
      const isLight = theme.includes("Light");
      const name = kind === "hc" ? (isLight ? "hc-light" : "hc-black") : isLight ? "vs" : "vs-dark";
      await page.locator(`.monaco-workbench.${name}`).waitFor();
      await workbench.screenshot(`views-${theme.toLowerCase().replaceAll(" ", "-")}`);
    }
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});

test("an example program is opened and checked, and the walkthrough leads to it", async () => {
  const options = { workspace: "test/apps/bank", file: "bank.sql" };
  await inWorkbench("begin", options, async (workbench) => {
    const { page } = workbench;
    await workbench.squiggles("error").first().waitFor();
    await workbench.run("Welcome: Open Walkthrough");
    await workbench.choice("Get started with Isolens").first().waitFor();
    await page.locator(".quick-input-widget input[type=text]").fill("Get started with Isolens");
    await page.keyboard.press("Enter");
    await page.locator(".getting-started-step", { hasText: "See what goes wrong" }).waitFor();
    await workbench.screenshot("begin-1-walkthrough");
    await page
      .locator(".getting-started-step a", { hasText: "Open Example Program" })
      .first()
      .click();
    await workbench.choice("Write skew").first().click();
    await workbench.lens("1 anomaly at PostgreSQL READ COMMITTED").waitFor();
    await workbench.screenshot("begin-2-example");

    await workbench.run("Isolens: Report an Issue");
    await workbench.choice("Without source").first().click();
    await page.locator(".view-line", { hasText: "Nothing was sent" }).first().waitFor();
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
